/*
 * The rows of a round: queues with something that runs or is ready, by name, with their weights, costs and
 * shares.
 */
#pragma once

#include "sched/round/round.h"

/* Ranks the queues, asks the fairness plugin, computes the shares. */
void queue_rows_make(struct round *r);
/* A cost as the plugin says it, checked. */
double queue_rows_cost(struct round *r, const int64_t *allocated);
/* What the queues cost now that the round is over; and when it decided nothing. */
void queue_rows_cost_after(struct round *r);
void queue_rows_undecided(struct round *r);
