/*
 * The usage history that the fairness plugin keeps for each queue, as callers report and read it.
 */
#pragma once

#include "sched/sched.h"

/*
 * The time of the calls that follow, for fairness plugins that keep a history. If the clock is set
 * back, no time has passed. O(1) for other plugins.
 */
void sched_now(struct sched *s, int64_t now_us);

/* The fairness plugin's name; sched_remembers: does it keep a history (sched_queue_memory)? */
const char *sched_fairness(const struct sched *s);
bool sched_remembers(const struct sched *s);
/* The number for the queue at this time, if nothing else happens until then. O(dims). */
double sched_queue_memory(const struct sched *s, const char *name, int64_t at_us);
/* Restores the number of a queue that has no history yet: it was this number at that time. */
void sched_queue_recall(struct sched *s, const char *name, int64_t at_us, double memory);
/* The number at that time was written to durable storage; a restarted scheduler would recall it. */
void sched_queue_noted(struct sched *s, const char *name, int64_t at_us, double memory);
