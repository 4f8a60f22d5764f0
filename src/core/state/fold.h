/*
 * The fold: how each event of the log changes the state. Only core/txn and the folds themselves
 * include this header.
 *
 * The same code runs when an event has just been decided and when it is read from the log, so a
 * replay gives the same bytes. The fold never decides and never refuses for reasons of policy. An
 * event that does not fit the state (for example, its job is not in memory) is damage: the fold
 * returns -EINVAL with a sentence.
 *
 * The fold applies events and does nothing else. It marks the follow-up work in struct fold, and
 * the caller does this work afterwards: a job whose last element has ended must be removed, and
 * jobs whose dependencies changed must be checked.
 */
#pragma once

#include "core/state/link.h"
#include "proto/msg.h"

struct job;
struct state;

struct fold {
	struct state *state;
	/* the record whose events are applied */
	uint64_t seq;
	int64_t now_us;    /* its wall time, which never goes back */
	int64_t clock_us;  /* the wall clock, for display: earlier if it was set back */
	int64_t before_us; /* the wall time of the record before */
	/*
	 * The numbers of job events that were derived from the event: in the job set that the job is in
	 * before the event, and in that after it. The caller sets them before fold_event(), which
	 * sets the first number of each.
	 */
	uint64_t events_before, events_after, first_before, first_after;
	/* marks of the last event; the caller clears them */
	LINK(job) over; /* a job whose last element has ended, for fold_remove_job; NULL: none */
	uint64_t *to_check; /* jobs to check: what they wait for may be met, or can never be met */
	size_t check_count, check_cap;
};

/* A fold with an empty state; the fold owns the state. */
struct fold *fold_new(void);
void fold_free(struct fold *f);
/* A record begins. Submission keys that have expired by its time are forgotten. */
void fold_begin(struct fold *f, uint64_t seq, int64_t now_us, int64_t clock_us);
int fold_event(struct fold *f, const Armada__Event *ev, struct err *err);
/* The job in fold->over leaves memory. */
void fold_remove_job(struct fold *f);
/* The record is complete. */
void fold_end(struct fold *f);
/* The id of a new cluster, before any record. */
void fold_set_cluster(struct fold *f, const uint8_t cluster_id[16]);
/* The epoch of a snapshot: its records contain no event that sets one. */
void fold_set_epoch(struct fold *f, uint64_t epoch);

#ifdef STATE_WRITES
/* Mark this job: its dependencies must be checked after the event has been applied. */
void fold_check_later(struct fold *f, const struct job *j);
#endif
