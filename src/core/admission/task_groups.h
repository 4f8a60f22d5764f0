/*
 * Jobs with several groups of tasks: whether the groups make a job, and whether nodes and limits could
 * hold it.
 */
#pragma once

#include "core/admission/admission.h"

/* What only one group says is said by the job; then whether they make a job. */
int admit_groups(struct admission *a);
/* What is to be done when a task fails. */
int admit_on_failure(struct admission *a);
/* Of several groups: could the nodes of today hold them, were they empty; would the limits? */
int admit_groups_fit(struct admission *a);
int admit_groups_limits(struct admission *a);
