/*
 * Changes that ask for less of something.
 */
#pragma once

#include "sched/explain/explain_change.h"

/* beyond: any smaller amount; otherwise at most half of it less. */
void explain_amount_try(struct explain_search *c, bool beyond);
