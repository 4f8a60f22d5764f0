/*
 * The rows of a round: queues with running tasks or ready jobs, by name, with their weights, costs
 * and shares.
 */
#pragma once

#include "sched/round/round.h"

/* Make the rows, call the fairness plugin, compute the shares. */
void queue_rows_make(struct round *r);
/* The cost that the plugin computes, checked. */
double queue_rows_cost(struct round *r, const int64_t *allocated);
/* The costs of the queues at the end of the round; _undecided: of a round that failed. */
void queue_rows_cost_after(struct round *r);
void queue_rows_undecided(struct round *r);
