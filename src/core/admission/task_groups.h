/*
 * Jobs with several groups of tasks: whether the groups form a valid job, and whether nodes and
 * limits could hold it.
 */
#pragma once

#include "core/admission/admission.h"

/* Checks the groups. The constraints and script of a single group become those of the job. */
int admit_groups(struct admission *a);
/* Checks the task failure policy. */
int admit_on_failure(struct admission *a);
/* For several groups: feasibility by the present nodes if they were empty, and by the limits. */
int admit_groups_fit(struct admission *a);
int admit_groups_limits(struct admission *a);
