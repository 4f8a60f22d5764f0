/*
 * Changes that drop or replace a demand: label values, node lists, taints, a class.
 */
#pragma once

#include "sched/explain/explain_change.h"

/* Tries the demands in order; stops at the first change that starts the job. */
void explain_demand_try(struct explain_search *c);
