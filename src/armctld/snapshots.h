/*
 * When a snapshot of the state is due: after many records or many bytes of log, and after the state has
 * become much smaller, so that the log does not keep the space of jobs that have left.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: no snapshot. The sizes count from the start of the process; those of older files are not known. */
struct snapshots {
	uint64_t seq;                /* of the last snapshot taken, or found at the start */
	uint64_t bytes, older_bytes; /* of that snapshot and of the one before it */
	uint64_t log_bytes;          /* of records after it */
	uint64_t begun_bytes;        /* of log_bytes: of records before the snapshot that is being taken */
	int64_t taken_us;            /* steady */
	bool failed;                 /* it was not written */
	unsigned failures; /* in a row; the pause before the next attempt grows with them */
};

/* A record of this size was added to the log. */
void snapshots_record(struct snapshots *s, size_t len);
/* A snapshot is being taken of the state after the last record. */
void snapshots_begun(struct snapshots *s);
/* It was taken. steady_us: when it was begun. */
void snapshots_taken(struct snapshots *s, uint64_t seq, uint64_t bytes, int64_t steady_us);
/* The last one was not written, for example on a full disk. */
void snapshots_failed(struct snapshots *s);
/* seq: of the last record. used: bytes of memory in use, 0: unknown. */
bool snapshots_due(const struct snapshots *s, uint64_t seq, uint64_t used, int64_t steady_us);
