/*
 * The usage history that the fairness plugin keeps for each queue, as the files of src/sched read
 * it. A round reads it as of its own time and stores nothing.
 */
#pragma once

#include "sched/usage_history.h"

struct model;

struct queue;

struct usage_clock {
	int64_t now_us; /* of the reports that follow */
	char remembers_by
		[128]; /* the plugin whose numbers the queues have: plugins are replaced in place */
};

/* Brings the number up to now, before the values it depends on change. */
void usage_history_lapse(struct model *m, struct queue *q);
void usage_history_lapse_all(struct model *m);
void usage_history_belongs(struct model *m, const struct plugin *fairness);
/* The number as of that time, not stored. _unnoted: does it differ from the noted one? */
double usage_history_at(const struct model *m, const struct queue *q, int64_t at_us);
bool usage_history_unnoted(const struct model *m, const struct queue *q, int64_t at_us);
