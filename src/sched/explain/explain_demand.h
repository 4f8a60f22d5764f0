/*
 * Changes that do without a demand: values of labels, lists of nodes, taints, a class.
 */
#pragma once

#include "sched/explain/explain_change.h"

/* The first of the demands that it could do without. */
void explain_demand_try(struct explain_search *c);
