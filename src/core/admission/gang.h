/*
 * What may be submitted as a member of a gang of jobs.
 *
 * A request is looked at as a whole: its jobs must agree with one another and with the members that
 * wait already, and there must not be more of them than the gang's cardinality.
 */
#pragma once

#include "core/admission/admission.h"

/* one job's options; then all jobs of a request among themselves and with who waits. */
int admit_membership(struct admission *a);
int admit_gangs(struct txn *txn, const Armada__SubmitRequest *m, int *ret_code, struct err *err);
