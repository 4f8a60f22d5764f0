/*
 * Checks of the user and group of a job, and of the resource limits (rlimits) of its tasks.
 */
#pragma once

#include "core/admission/admission.h"

/* _user: whether the caller may have jobs, with this group. _rlimits: the names of the limits. */
int admit_user(struct admission *a);
int admit_rlimits(struct admission *a);
