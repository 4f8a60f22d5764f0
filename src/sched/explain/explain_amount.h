/*
 * Changes that ask for less of something.
 */
#pragma once

#include "sched/explain/explain_change.h"

/* All of it in reach when `beyond` is set, else at most half. */
void explain_amount_try(struct explain_search *c, bool beyond);
