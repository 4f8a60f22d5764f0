/*
 * What the files of a replica share: its struct. Two threads use it, the follower and the announcer, and the
 * loop. The members that one of them writes and another one reads are under the lock.
 */
#pragma once

#include "armctld/copy_change.h"
#include "armctld/replica.h"
#include "armctld/replica_view.h"
#include "util/buf.h"

#include <pthread.h>
#include <sys/queue.h>

struct loop_notify;

/* A record that the follower has read, and that the loop has not folded yet. */
struct replica_record {
	STAILQ_ENTRY(replica_record) entry;
	uint64_t seq;
	size_t len;
	uint8_t data[];
};

STAILQ_HEAD(replica_records, replica_record);

struct replica {
	const struct armada_replica_ops *engine;
	void *handle;
	const struct replica_ops *ops;
	void *arg;
	struct armada_replica_controller self; /* of the announcer */
	const void *facts;
	size_t facts_len;
	struct buf told; /* the facts, and what the history lacks */

	pthread_t follower, announcer;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct loop_notify *notify;
	/* under lock: */
	bool stopping;
	bool named;     /* no other controller has this name */
	bool holds;     /* lead has succeeded, and ... */
	bool caught_up; /* ... all its records are given to the loop */
	bool acts;      /* its first record is durable */
	uint64_t led;   /* the epoch */
	int64_t lease_us;
	uint64_t seq, epoch; /* folded */
	uint64_t given;      /* to the loop */
	int64_t current_us;  /* when the follower last knew that it had all acknowledged records */
	struct replica_records queue;
	size_t queued; /* bytes */
	struct replica_view view;
	int64_t viewed_us;
	enum { CHANGE_NONE, CHANGE_ASKED, CHANGE_MADE } change_is;
	struct copy_change copy_change;
	char history[REPLICA_HISTORY + 1];
	bool refuses; /* the store lacks records: this standby stays, and tells others what it knows */
	struct err full; /* the store has no memory for what the lead needs; "": it has */
	/* of the loop: */
	bool leading;
};
