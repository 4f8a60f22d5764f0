/*
 * Jobs that scavenge: they run in room that nobody else uses, and every other job may take it from them.
 */
#pragma once

#include "core/admission/admission.h"

/* What such a job may not ask for: what a preemption could not give back to others at once. */
int admit_scavenge(struct admission *a);
