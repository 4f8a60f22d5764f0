/*
 * Changes that do without a demand: values of labels, lists of nodes, taints, a class.
 */
#ifndef SCHED_EXPLAIN_EXPLAIN_DEMAND_H
#define SCHED_EXPLAIN_EXPLAIN_DEMAND_H

#include "sched/explain/explain_change.h"

/* The first of the demands that it could do without. */
void explain_demand_try(struct explain_search *c);

#endif
