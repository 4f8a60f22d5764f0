/*
 * What the fairness plugin remembers of each queue's use, as the files of src/sched read it. A round
 * looks at it as of its own time and keeps nothing.
 */
#pragma once

#include "sched/usage_history.h"

struct model;

struct queue;

struct usage_clock {
	int64_t now_us; /* of what is being told */
	char remembers_by
		[128]; /* whose numbers the queues' memories are: plugins change in place */
};

/* What the fairness plugin remembers, brought up to now: before what it depends on changes. */
void usage_history_lapse(struct model *m, struct queue *q);
void usage_history_lapse_all(struct model *m);
void usage_history_belongs(struct model *m, const struct plugin *fairness);
/* As of that time, without keeping it; and has it gone another way than was noted? */
double usage_history_at(const struct model *m, const struct queue *q, int64_t at_us);
bool usage_history_unnoted(const struct model *m, const struct queue *q, int64_t at_us);
