/*
 * Checks of submitted members of gangs of jobs.
 *
 * A request is checked as a whole. Its jobs must agree with each other and with the members that
 * wait already, and the number of members must not exceed the gang's cardinality.
 */
#pragma once

#include "core/admission/admission.h"

/*
 * _membership checks the options of one job, _gangs all jobs of a request and the waiting members.
 */
int admit_membership(struct admission *a);
int admit_gangs(struct txn *txn, const Armada__SubmitRequest *m, int *ret_code, struct err *err);
