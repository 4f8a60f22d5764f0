/*
 * Internal types of state/redis.
 *
 * An engine is one controller's view of a log that lives in Redis, with a local directory for the history
 * and the mark: `local` is a store of state/sqlite without its log, and comes first, because the operations
 * on the history take it. A link is a connection to the primary with its connections to the replicas; each
 * thread of the host has a link of its own. plugins/state/redis/README.md describes keys and protocol.
 */
#pragma once

#include "../sqlite/sqlite.h"

#include <armada/replica.h>
#include <hiredis.h>
#include <stdatomic.h>

enum {
	COPIES_MAX = ARMADA_REPLICA_COPIES_MAX + 1, /* one more, for servers that are unknown */
	NAME_BYTES = ARMADA_REPLICA_NAME_MAX + 1,
	SCRIPT_MAX = 12,
	KEY_BYTES = 256,
	SLICE = 1000, /* records that one command reads or deletes */
};

/* The rows of the option table after those of state/sqlite (enum store_option). */
enum redis_option {
	OPTION_SERVERS = OPTION_HISTORY_SIZE + 1,
	OPTION_SENTINELS,
	OPTION_PRIMARY_NAME,
	OPTION_PREFIX,
	OPTION_USER,
	OPTION_PASSWORD_FILE,
	OPTION_TLS,
	OPTION_DURABILITY,
	OPTION_COPIES,
	OPTION_LEASE,
	OPTION_TIMEOUT,
};

/* A place in the log: a record, and the chain's hash at it. */
struct place {
	uint64_t seq;
	uint8_t hash[HASH_BYTES];
};

/* A snapshot: the hash snapSLOT of the store has its chunks. */
struct saved {
	struct place at; /* seq 0: none */
	uint64_t chunks, slot;
};

/* The in-sync set, as the store has it. */
struct copy_set {
	uint64_t version;
	size_t count, out_count;
	char names[COPIES_MAX][NAME_BYTES];
	char out[COPIES_MAX][NAME_BYTES]; /* servers that do not come back by themselves */
};

/* The hash HEAD of the store. */
struct head {
	bool exists;
	uint8_t cluster_id[CLUSTER_ID_BYTES];
	uint64_t epoch, beat, acked;
	int64_t lease_us;
	struct place end;
	struct saved snapshot, older;
	char leader[NAME_BYTES], owner[NAME_BYTES], heir[NAME_BYTES];
	struct copy_set set;
};

struct link {
	struct engine *engine;
	redisContext *conn;                /* to the primary; NULL: none */
	size_t primary;                    /* its index in the servers */
	char run_id[48];                   /* of the primary */
	redisContext *replica[COPIES_MAX]; /* by index in the servers; NULL: none */
	uint64_t full_syncs;               /* of the primary, when the replicas were looked at */
	bool looked, good[COPIES_MAX];     /* has the replica all that it gets on disk? */
	char sha[SCRIPT_MAX][41];
	bool uncertain; /* of append: what was sent last may be in the log or not */
};

struct engine {
	struct store local;
	/* options */
	const char *const *servers, *const *sentinels;
	size_t server_count, sentinel_count;
	const char *primary_name, *user;
	char *prefix, *password;
	bool strict;
	int64_t shrink_us; /* 0: never */
	int64_t lease_us;
	int timeout_ms;

	int wake_fd; /* readable while interrupted */
	char self[NAME_BYTES], incarnation[33];
	char ended[33]; /* the incarnation of a process of this directory that wanted to lead; "": none */
	bool announced;

	_Atomic uint64_t epoch;      /* that we hold or held; 0: none */
	_Atomic int64_t lease_until; /* 0: we do not lead */
	atomic_bool stopped;         /* data is missing: writes are refused */
	pthread_mutex_t lock;
	struct place acked;           /* under lock: of the mark */
	struct copy_set set;          /* under lock */
	struct link main, side, feed; /* of append, of renew and its like, of the events */
	struct place at;              /* of replay and follow: the last record that they gave */
	struct place tail;            /* of append: the last record that the store has from us */
	uint64_t led_to;              /* last_seq of lead */
	uint64_t floor, kept_from;    /* of tidy: records below are deleted, and may be deleted */
	int64_t rewrite_us;           /* of tidy: when it looked at the files of the servers */
	struct saved writing;         /* of snapshot_part: chunks are those that are written */
	/* of the beats of the leader, seen by the thread of follow */
	uint64_t beat, beat_epoch;
	int64_t beat_us;
	char beat_run[48];
	int64_t away_us[COPIES_MAX]; /* of the side: when the server was first away; 0: it is not */
	struct seen *seen;           /* of the side: other controllers */
	size_t seen_count;
	uint64_t count; /* of the side: what this one has announced */
	void *noted;
	size_t noted_len;
	bool feed_failed; /* of the thread of the history */
};

int64_t now_us(void);
uint64_t read_u64(const char *text);
