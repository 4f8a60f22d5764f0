/*
 * The scheduler's thread.
 *
 * It owns a sched and its feed. The core's records go in and are folded here. After a change that
 * matters to the scheduler a round runs, at most one in each cycle period, and its result goes back
 * to the loop. The next round waits until the records that the result caused have been folded, so
 * no decision is made twice.
 *
 * Between rounds it explains jobs, one at a time. A due round waits for at most one explanation,
 * which is cut short.
 */
#pragma once

#include "armctld/explain_queue.h"
#include "feed/sched_feed.h"

struct event_base;
struct rounds;

struct rounds_config {
	int64_t cycle_period_us, max_round_us; /* max_round_us 0: no limit */
	int64_t explain_us;                    /* for the search of one explanation */
	uint64_t seed;
};

/* The number of the round (from 1), its start (wall clock) and its duration. */
struct round_facts {
	uint64_t number;
	int64_t start_us, took_us;
};

/* Called on the loop; everything is borrowed for the call. */
struct rounds_ops {
	/*
	 * A part of the result, in order: from..upto of its decisions and then its reasons; called
	 * once if it has neither. The records that follow are passed to rounds_record before it
	 * returns.
	 */
	void (*result)(void *arg, const struct sched_result *result,
		       const struct round_facts *facts, size_t from, size_t upto);
	void (*explained)(void *arg, const struct explain_question *question);
};

/* Takes s and m, which have the state of the core. */
struct rounds *rounds_new(struct event_base *base, struct sched *s, struct sched_feed *m,
			  const struct rounds_config *config, const struct rounds_ops *ops,
			  void *arg);
/* A round in progress is cut short; its result is dropped. */
void rounds_free(struct rounds *r);
/* A packed Record, copied. */
void rounds_record(struct rounds *r, const void *record, size_t len);
void rounds_wanted(struct rounds *r);
/*
 * Stop the thread; decisions of a round in progress are kept. Until rounds_resume the sched belongs
 * to the caller, who may reconfigure it. The random seed stays the same.
 */
struct sched *rounds_pause(struct rounds *r);
void rounds_resume(struct rounds *r, const struct rounds_config *config); /* NULL: as it was */
/* Copied. False when too many wait already. */
bool rounds_explain(struct rounds *r, const struct explain_question *question);
/* The number of jobs that wait to be explained. */
size_t rounds_explaining(struct rounds *r);
