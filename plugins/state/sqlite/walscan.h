/*
 * A look at a write-ahead log before SQLite opens it.
 *
 * SQLite reads a WAL up to the first frame that does not check out and takes the rest for a
 * transaction that was never finished. That is right after a power failure, and wrong after a bit
 * has flipped in the middle: everything later is dropped in silence. The two can be told apart.
 * A transaction begins only when the one before it is on the disk; so if a frame that checks out
 * lies beyond the end of the transaction that holds the bad one, the bad one was once good.
 *
 * Frames left over from before the WAL was last begun anew carry other salts and mean nothing. The
 * format is described in https://www.sqlite.org/fileformat2.html#walformat.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct wal_scan {
	uint64_t frames;     /* whole frames in the file, of whatever age */
	uint64_t committed;  /* frames SQLite will take */
	uint64_t torn;       /* frames of an unfinished transaction, which SQLite will cut */
	bool damaged;        /* what was durable would be lost */
	uint64_t bad_frame;  /* if damaged: the first bad frame, from 1; 0: the header */
	uint64_t bad_offset; /* and where in the file it begins */
};

/* Returns 0, or a negative errno of reading. The contents never cause an error, only a verdict. */
int wal_scan(int fd, struct wal_scan *ret_scan);
