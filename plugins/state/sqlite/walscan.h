/*
 * A check of a write-ahead log before SQLite opens it.
 *
 * SQLite reads a WAL up to the first frame with a bad checksum, and treats the rest as an unfinished
 * transaction. That is right after a power failure. After a bit flip in the middle it is wrong: all later
 * transactions are dropped silently. The two cases can be distinguished. A transaction begins only when the
 * one before it is on the disk. So if a valid frame follows the end of the transaction that holds the bad
 * frame, the bad frame was once valid.
 *
 * Frames from before the last restart of the WAL have other salts and are ignored. The format is described
 * in https://www.sqlite.org/fileformat2.html#walformat.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct wal_scan {
	uint64_t frames;     /* complete frames in the file, of any age */
	uint64_t committed;  /* frames that SQLite will use */
	uint64_t torn;       /* frames of an unfinished transaction, which SQLite will drop */
	bool damaged;        /* opening the file would lose durable transactions */
	uint64_t bad_frame;  /* if damaged: the first bad frame, from 1; 0: the header */
	uint64_t bad_offset; /* and where in the file it begins */
};

/* Returns 0, or a negative errno if the file cannot be read. Damage is no error, but a result. */
int wal_scan(int fd, struct wal_scan *ret_scan);
