/*
 * Admission: check a job as submitted, fill in defaults, or say in words what is wrong.
 *
 * Everything a user can get wrong is refused here, before anything changes; the fold never
 * validates again (F13).
 */
#pragma once

#include "core/admission/admission.h"

/* check and complete a JobSpec as submitted. */
int admit_job(struct txn *txn, Armada__JobSpec *spec, const Armada__SubmitRequest *m, int *ret_code,
	      struct err *err);
/* The same of a job that is changed; mask: the bits of UpdateJobRequest.Field. */
int admit_update(struct txn *txn, Armada__JobSpec *spec, const char *user, unsigned mask,
		 struct err *err);
