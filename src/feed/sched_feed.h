/*
 * The scheduler's picture, kept up to date by folding the same records as everyone else.
 *
 * Runs on the scheduler's thread: it touches the sched and the record only.
 */
#pragma once

#include "proto/msg.h"
#include "sched/sched.h"

struct sched_feed;

/* Resources the feed knows, in the sched's order. s is borrowed. */
struct sched_feed *sched_feed_new(struct sched *s, const char *const *resources,
				  size_t resource_count);
void sched_feed_free(struct sched_feed *m);
struct core;
/* Bring a fresh feed up to date with this state; later records follow through sched_feed_apply. */
void sched_feed_fill(struct sched_feed *m, const struct core *c);
void sched_feed_apply(struct sched_feed *m, const Armada__Record *record);
