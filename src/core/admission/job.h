/*
 * Admission of a job: checks it, fills in defaults, or says in a sentence what is wrong.
 *
 * All user errors are refused here, before anything changes. The fold never validates again.
 */
#pragma once

#include "core/admission/admission.h"

/* Checks and completes a job of a request. */
int admit_job(struct txn *txn, const Armada__SubmitRequest *m, size_t place, int *ret_code,
	      struct err *err);
/*
 * The same for a changed job. mask: the bits of UpdateJobRequest.Field; script: the only blob that the
 * specification may name.
 */
int admit_update(struct txn *txn, Armada__JobSpec *spec, const struct job *j, unsigned mask,
		 const ProtobufCBinaryData *script, struct err *err);
