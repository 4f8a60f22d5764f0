/*
 * Who may have jobs at all, as whom, and under which limits of theirs.
 */
#pragma once

#include "core/admission/admission.h"

/* the caller, and the limits that the job's tasks are to have. */
int admit_user(struct admission *a);
int admit_rlimits(struct admission *a);
