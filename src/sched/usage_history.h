/*
 * The usage history of queues, as callers report and read it.
 *
 * A fairness plugin may keep one number for each queue, such as its decayed usage. The plugin's
 * interface calls this number `memory`. It is not an amount of the resource memory.
 */
#pragma once

#include "sched/sched.h"

/*
 * Sets the time of the following calls, for fairness plugins that keep a history. If the clock is
 * set back, no time passes. O(1) for other plugins.
 */
void sched_now(struct sched *s, int64_t now_us);

/*
 * The name of the fairness plugin. sched_has_history: does the plugin keep a number for each queue?
 */
const char *sched_fairness(const struct sched *s);
bool sched_has_history(const struct sched *s);
/* The number of the queue at this time, if its use does not change until then. O(dims). */
double sched_queue_history(const struct sched *s, const char *name, int64_t at_us);
/* Restores the number of a queue that has no history yet, from its value at that time. */
void sched_queue_restore_history(struct sched *s, const char *name, int64_t at_us, double memory);
/* The value at that time was stored durably: a restarted scheduler restores it. */
void sched_queue_history_noted(struct sched *s, const char *name, int64_t at_us, double memory);
