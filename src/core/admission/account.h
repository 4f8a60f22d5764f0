/*
 * The account of a job: the name that its use is counted for, besides its queue and its user.
 */
#pragma once

#include "core/admission/admission.h"

/*
 * Fills in the default, and refuses a name that is not valid, or that the caller may not use by the
 * accounts of armada.conf. A submission, or a job whose account changes.
 */
int admit_account(struct admission *a);
/* The account of jobs of the caller that name none; NULL: none. */
const char *account_default(const struct core_policy *p, const struct caller *who);
