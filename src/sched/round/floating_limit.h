/*
 * Are there enough floating resources for a gang? An evicted gang keeps its own until it is
 * displaced, and in the round it may not be given to others: the tasks may still run.
 */
#pragma once

#include "sched/round/limit_check.h"

enum limit_verdict floating_limit_check(struct round *r, uint32_t subqueue, struct reason *ret_why);
