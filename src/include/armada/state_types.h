/*
 * What state plugins and their host exchange: records, snapshots, disk space, and what is left of a damaged
 * state. <armada/state.h> has the operations.
 */
#ifndef ARMADA_STATE_TYPES_H
#define ARMADA_STATE_TYPES_H

#include <armada/history.h>

struct armada_state_record {
	uint64_t seq;
	const void *data;
	size_t len;
};

struct armada_state_chunk {
	const void *data;
	size_t len;
};

/* The result of open. */
struct armada_state_info {
	uint8_t cluster_id[16];
	uint64_t last_seq;     /* of the last record; 0: none */
	uint64_t snapshot_seq; /* 0: no snapshot */
	uint64_t history_seq;  /* every row of records up to this is durable in the history */
	uint64_t torn_records; /* unacknowledged records that open dropped: at least this many */
};

/* Disk space of the state. */
struct armada_state_space {
	uint64_t free_bytes;                  /* without the reserve */
	uint64_t needed_bytes;                /* must be free until full becomes false */
	uint64_t reserve_bytes, reserve_left; /* kept for a full disk, and what is left of it */
	uint64_t snapshot_seq;                /* of the newest snapshot that is durable */
	bool full;                            /* the host refuses what stores more */
};

/* The part of a damaged state that can be kept. */
struct armada_state_salvage {
	uint8_t cluster_id[16];
	bool damaged;
	char damage[512];      /* the first damage that was found */
	uint64_t snapshot_seq; /* 0: no snapshot */
	uint64_t kept_seq;     /* of the last record that can be kept */
	uint64_t known_seq;    /* the last record that is known to have been acknowledged */
};

/* Some chunks of a snapshot. */
struct armada_state_part {
	uint64_t seq;
	size_t first; /* the number of chunks before these; 0: a new snapshot begins */
	size_t total; /* the number of chunks of the snapshot, and their size */
	uint64_t total_bytes;
	const struct armada_state_chunk *chunks;
	size_t count;
};

/* A result other than 0 stops the caller, which returns it. The data is borrowed for the call. */
typedef int armada_state_record_fn(void *arg, uint64_t seq, const void *data, size_t len);
typedef int armada_state_row_fn(void *arg, uint64_t job, uint32_t first, uint32_t last,
				const void *row, size_t len);
typedef int armada_state_event_fn(void *arg, const struct armada_history_event *event);
typedef int armada_state_share_fn(void *arg, const struct armada_history_share *share);

#endif
