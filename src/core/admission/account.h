/*
 * The account of a job: the name that its use is counted for, besides its queue and its user.
 */
#pragma once

#include "core/admission/admission.h"

/* Fills in the default, and refuses a name that is not valid. */
int admit_account(struct admission *a);
