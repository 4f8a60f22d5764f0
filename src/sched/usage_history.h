/*
 * What the fairness plugin remembers of each queue's use, as the outside tells and reads it.
 */
#pragma once

#include "sched/sched.h"

/*
 * The time of what is told next, for fairness plugins that remember use. When it goes back, no time
 * has passed. O(1), but for that.
 */
void sched_now(struct sched *s, int64_t now_us);

/* The fairness plugin's name; does it remember use (sched_queue_memory)? */
const char *sched_fairness(const struct sched *s);
bool sched_remembers(const struct sched *s);
/* What it remembers of the queue, at this time if nothing else happens until then. O(dims). */
double sched_queue_memory(const struct sched *s, const char *name, int64_t at_us);
/* That was so then, and is from now on what is remembered: of a queue that has nothing yet. */
void sched_queue_recall(struct sched *s, const char *name, int64_t at_us, double memory);
/* It was noted durably that this was so then: what a scheduler that begins anew would recall. */
void sched_queue_noted(struct sched *s, const char *name, int64_t at_us, double memory);
