/*
 * The feed: keeps the scheduler's model up to date from the records of the core.
 *
 * It runs on the scheduler's thread and accesses only the model and the record, never the core. The
 * exception is the fill at the start.
 */
#pragma once

#include "proto/msg.h"
#include "sched/sched.h"

struct sched_feed;

/* resources: the names, in the order of the scheduler. s is borrowed. */
struct sched_feed *sched_feed_new(struct sched *s, const char *const *resources,
				  size_t resource_count);
void sched_feed_free(struct sched_feed *m);
struct core;
struct sched_trial;
/*
 * When would the job in this record start? The record is that of its submission under SCHED_TRIAL_ID,
 * and of its queue if the queue does not exist yet. Both are in the model only during the call.
 */
int sched_feed_try(struct sched_feed *m, const Armada__Record *record,
		   const struct sched_round *round, struct sched_trial *ret_trial);
/* Fills an empty feed from the core. Later records follow with _apply. */
void sched_feed_fill(struct sched_feed *m, const struct core *c);
void sched_feed_apply(struct sched_feed *m, const Armada__Record *record);
