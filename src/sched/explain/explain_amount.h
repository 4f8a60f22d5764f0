/*
 * Changes that ask for less of something.
 */
#pragma once

#include "sched/explain/explain_change.h"

/* beyond: try reductions by more than half; otherwise by at most half. */
void explain_amount_try(struct explain_search *c, bool beyond);
