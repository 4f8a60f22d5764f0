/*
 * --deadline and --time-min: the end that a job must reach, and the limit that is enough for it.
 *
 * A job with a deadline starts at its latest when its time limit, or the least limit (time_min_s)
 * that it accepts, still ends before the deadline.
 */
#pragma once

#include "core/admission/admission.h"

/* Checks both for a submission, or for an update of a job with waiting elements. */
int admit_deadline(struct admission *a);
