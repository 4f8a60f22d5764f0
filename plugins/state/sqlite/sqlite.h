/*
 * Internal types of state/sqlite.
 *
 * A store is one open state directory: the lock, the mark, log.db on one connection and history.db on two
 * (one writes, one reads). The caller of open owns it. Invariants of an open store: the log holds every
 * record from first_seq to last_seq without a gap, and last_hash is the chain's hash at last_seq.
 *
 * The first failed append or snapshot sets `failed`; then every call but close is refused. A write that only
 * lacked disk space changes nothing and can be repeated. plugins/state/README.md has the files and reasons.
 */
#pragma once

#include <armada/attempts.h>
#include <armada/state.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sqlite3.h>

#define HASH_BYTES       16
#define CLUSTER_ID_BYTES 16
/* Larger than any batch of events of the core; limits the cost of a damaged length. */
#define RECORD_BYTES_MAX (UINT64_C(64) << 20)

/* One database on one connection, with its prepared statements. */
#define DB_STMTS_MAX 32
struct db {
	sqlite3 *conn;
	const char *name; /* "log.db", for messages */
	sqlite3_stmt *stmt[DB_STMTS_MAX];
};

struct db_object {
	const char *type, *name, *sql;
};

/* The schema that a database must have, and its prepared statements. */
struct db_spec {
	const char *name;
	int application_id;
	const char *create; /* script that creates it: pragmas and empty tables */
	const char *setup;  /* pragmas of every connection */
	const struct db_object *objects;
	size_t object_count;
	const char *const *stmts;
	size_t stmt_count;
	/*
	 * Objects of later releases. db_complete creates them in a database of an older release after all
	 * checks, and then prepares their statements, which are the last ones.
	 */
	const struct db_object *added;
	size_t added_count, added_stmts;
	/* db_complete also makes these, and makes them again if their text is that of another release. */
	const struct db_object *views;
	size_t view_count;
};

/* Raised when older releases cannot read the new layout. */
#define STATE_SCHEMA_VERSION 1

enum log_stmt {
	LOG_META,
	LOG_BEGIN,
	LOG_COMMIT,
	LOG_ROLLBACK,
	LOG_RECORD_ADD,
	LOG_RECORD_CUT,
	LOG_RECORD_FIRST,
	LOG_RECORD_LAST,
	LOG_RECORD_AFTER,
	LOG_SNAPSHOT_ADD,
	LOG_SNAPSHOTS,
	LOG_SNAPSHOT_DELETE,
	LOG_CHUNK_ADD,
	LOG_CHUNK_LAST,
	LOG_CHUNK_RANGE,
	LOG_CHUNK_DELETE,
	LOG_STMT_COUNT,
};

enum put_stmt {
	PUT_META,
	PUT_BEGIN,
	PUT_COMMIT,
	PUT_ROLLBACK,
	PUT_ROW,
	PUT_JOB,
	PUT_BLOB,
	PUT_META_SET,
	PUT_SHARE, /* the first statement of a later release: the table of shares */
	PUT_SHARES_CUT,
	PUT_ACCOUNT,
	PUT_SHARE_USE,
	PUT_SHARE_USES_CUT,
	PUT_ATTEMPT,
	PUT_EVENT_SET,
	PUT_EVENT_SET_ID,
	PUT_EVENT,
	PUT_EVENT_SETS_AFTER,
	PUT_EVENTS_FIRST,
	PUT_EVENTS_CUT,
	PUT_EVENT_SET_CUT,
	PUT_ACCOUNTING,
	PUT_BLOB_USED,
	PUT_JOB_LABEL,
	PUT_START,
	PUT_STMT_COUNT,
};

/* Every FIND_ROWS_* yields the same columns, in order of (job, first_element, attempt). */
enum find_stmt {
	FIND_ROWS_ALL,
	FIND_ROWS_USER,
	FIND_ROWS_QUEUE,
	FIND_ROWS_JOB_SET,
	FIND_JOB,
	FIND_SHARES,
	/* these also yield the account, and only the rows that have one */
	FIND_ROWS_ACCOUNT,
	FIND_ROWS_ACCOUNTS,
	FIND_ATTEMPTS, /* these columns of the other table */
	FIND_EVENTS,
	FIND_EVENT_RANGE,
	FIND_EVENT_SET,
	FIND_ENDS,
	FIND_ENDS_COUNT,
	FIND_ENDED_JOBS,
	FIND_ENDED_JOBS_COUNT,
	FIND_ALL_ENDS,
	FIND_ALL_ENDS_COUNT,
	FIND_STMT_COUNT,
};

/* Keys of the meta tables. */
enum meta_key {
	META_CLUSTER_ID = 1,
	META_HISTORY_SEQ = 2,
};

/* The rows of the option table, in its order. */
enum store_option {
	OPTION_BUSY_TIMEOUT,
	OPTION_WAL_LIMIT,
	OPTION_SHARES_KEPT,
	OPTION_RESERVE,
	OPTION_HISTORY_KEEP,
	OPTION_HISTORY_SIZE,
};

struct snapshot {
	uint64_t seq; /* 0: none */
	bool again;   /* a second copy of the snapshot at seq; the key of its row is -seq */
	uint64_t first_chunk, chunk_count;
	uint8_t hash[HASH_BYTES]; /* the chain's at seq */
	uint32_t crc;             /* over all members above and the checksums of the chunks */
};

struct store {
	char *dir;
	const struct armada_host *host;
	int dir_fd, lock_fd, mark_fd;
	int log_fd; /* closed after log.db: a close of any descriptor of a file ends SQLite's locks on it */
	struct db log, history, reader, accounts;
	pthread_mutex_t reader_lock, accounts_lock; /* in this order, if both are taken */
	bool history_reported;                      /* under reader_lock: damage was logged */
	uint8_t cluster_id[CLUSTER_ID_BYTES];
	uint64_t wal_limit_bytes, wal_bytes, wal_checked_bytes;
	int64_t shares_kept_us, busy_us;
	int64_t history_kept_us; /* 0: for ever */
	uint64_t history_bytes;  /* 0: no bound */
	bool imported;           /* of the thread that writes the history: retention.c */
	/* Of the last step of retention.c, for other threads. */
	_Atomic uint64_t pruned, used_bytes;
	_Atomic int64_t oldest_us;
	atomic_bool incomplete;
	uint64_t first_seq; /* of the first record in the log; last_seq + 1: none */
	_Atomic uint64_t last_seq, history_seq;
	uint8_t last_hash[HASH_BYTES];
	struct snapshot writing; /* not complete; seq 0: none */
	size_t written;          /* its chunks so far */
	struct snapshot newest;
	struct snapshot older; /* another one that is kept, see snapshot_base(); seq 0: none */
	int history_wal_pages; /* of the thread that writes the history */
	bool look_for_space;   /* pages may have become free */
	bool shrinking;        /* tidy moves pages to the front of log.db */
	uint64_t torn_records;
	atomic_bool failed;
	/* The reserve: its file, the size that it should have, and its size now. */
	pthread_mutex_t reserve_lock;
	int reserve_fd;
	uint64_t reserve_option, reserve_left;
	atomic_bool full;    /* new jobs are refused, and the history keeps no scripts */
	uint64_t pruned_set; /* of that thread: the last set whose old events were deleted */
	bool slim;           /* of the thread that writes the history: as full was */
	_Atomic uint64_t snapshot_seq; /* of newest, for other threads */
};

extern const struct db_spec log_spec, log_copy_spec, put_spec, find_spec, accounts_spec;
enum { HISTORY_VIEWS = 5 };
extern const struct db_object history_views[HISTORY_VIEWS];
