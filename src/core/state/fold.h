/*
 * The fold: how each event of the log changes the state. Only core/txn includes this, and the folds
 * themselves.
 *
 * The same code runs when an event has just been decided and when it is read back, so a replay gives
 * the same bytes (I8). It never decides and never refuses for policy: an event that does not fit the
 * state (a job that is not there) is damage, and gives -EINVAL with a sentence.
 *
 * It applies events and does nothing else. What others do about an event they find marked in struct
 * fold afterwards: a job whose last element has ended, and jobs whose dependencies changed.
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
	int64_t now_us; /* its wall time */
	/* what the last event did; emptied by who reads it */
	LINK(job) over; /* its last element has ended: fold_bury; NULL: none */
	uint64_t
		*to_look; /* jobs whose dependencies or begin time may let them go, or never will */
	size_t look_count, look_cap;
};

/* A state without records; the fold owns it. */
struct fold *fold_new(void);
void fold_free(struct fold *f);
/* A record begins: submission keys whose time is over by then are forgotten. */
void fold_begin(struct fold *f, uint64_t seq, int64_t now_us);
int fold_event(struct fold *f, const Armada__Event *ev, struct err *err);
/* The job that is over leaves memory. */
void fold_bury(struct fold *f);
/* The record is complete. */
void fold_end(struct fold *f);
/* Of a new cluster, before any record. */
void fold_set_cluster(struct fold *f, const uint8_t cluster_id[16]);
/* Of a snapshot: its records tell no epoch by events. */
void fold_set_epoch(struct fold *f, uint64_t epoch);

#ifdef STATE_WRITES
/* The dependencies of this job are to be looked at once the event is applied. */
void fold_look(struct fold *f, const struct job *j);
#endif
