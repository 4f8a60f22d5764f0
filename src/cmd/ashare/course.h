/*
 * The use of a queue over time, as its samples tell it: pieces of time with one value each.
 *
 * A sample says the mean use from from_us to time_us, and the level that lasts until from_us of the
 * next sample. Nothing is known before the first sample, nor after one that has unknown_after. A
 * sample of an older release has no from_us: its cost is the level.
 */
#pragma once

#include "proto/msg.h"

enum piece_kind {
	PIECE_USE,     /* the queue used `value` */
	PIECE_ABSENT,  /* it took no part, and used nothing */
	PIECE_UNKNOWN, /* no controller ran, or no sample is as old */
};

typedef void piece_fn(void *arg, int64_t from_us, int64_t until_us, enum piece_kind kind,
		      double value);

/* A number that can be drawn: 0 for what is negative or not finite. */
double course_share(double share);
double course_level(const Armada__ShareSample *s);
/*
 * Calls fn for the pieces between from_us and until_us, in order and without gaps. samples: of one
 * queue, by time.
 */
void course_walk(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, piece_fn *fn, void *arg);
