/*
 * The frames between arun and the io stub, once their stream is open.
 *
 * A frame is of one kind; the table has its sender and the size of its body. Numbers
 * never change. Integers are little endian. Data frames (STDOUT, STDERR, STDIN) count against the
 * receiver's window until it sends TAKEN; other frames are small and few, but for those of a fence, which
 * armada/mpi.h bounds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stream_end { STREAM_STUB = 1, STREAM_ARUN = 2, STREAM_BOTH = 3 };

enum { STREAM_DATA_MAX = 64 << 10, STREAM_TEXT_MAX = 1024 };

/*     X(number, NAME, sender, min bytes, max bytes) */
#define STREAM_FRAMES(X)                                                                           \
	X(1, STARTED, STREAM_STUB, 0, 256)                                                         \
	X(2, STDOUT, STREAM_STUB, 1, STREAM_DATA_MAX)                                              \
	X(3, STDERR, STREAM_STUB, 1, STREAM_DATA_MAX)                                              \
	X(4, ENDED, STREAM_STUB, 8, 8 + STREAM_TEXT_MAX)                                           \
	X(5, TAKEN, STREAM_BOTH, 4, 4)                                                             \
	X(6, FENCE, STREAM_STUB, 1, STREAM_DATA_MAX)                                               \
	X(7, ABORT, STREAM_STUB, 4, 4 + STREAM_TEXT_MAX)                                           \
	X(16, BEGIN, STREAM_ARUN, 0, 0)                                                            \
	X(17, STDIN, STREAM_ARUN, 1, STREAM_DATA_MAX)                                              \
	X(18, STDIN_END, STREAM_ARUN, 0, 0)                                                        \
	X(19, SIGNAL, STREAM_ARUN, 4, 4)                                                           \
	X(20, SIZE, STREAM_ARUN, 8, 8)                                                             \
	X(21, NODES, STREAM_ARUN, 12, STREAM_DATA_MAX)                                             \
	X(22, MERGED, STREAM_ARUN, 1, STREAM_DATA_MAX)                                             \
	X(23, FENCED, STREAM_ARUN, 0, 0)

/*
 *	STARTED		the first frame: the name of the node; the stub waits for BEGIN
 *	ENDED		the last frame: exit code 4, signal 4 (0: it exited), the text of an error
 *	TAKEN		this many bytes of data were consumed
 *	FENCE		mpi: data of the rank for all ranks; the first byte is 1 in its last part, else 0
 *	ABORT		mpi: the step must end: exit code 4, the reason
 *	BEGIN		run the program
 *	STDIN_END	no more input
 *	SIGNAL		send this signal to the program
 *	SIZE		of the terminal: rows, columns, and both in pixels, 2 bytes each
 *	NODES		mpi, before BEGIN: the nodes of the ranks, as blocks (armada/mpi.h) of 3 times 4 bytes
 *	MERGED		mpi: a part of the data of all ranks
 *	FENCED		mpi: all of it was sent
 */
enum stream_type {
#define X(number, NAME, from, min, max) STREAM_##NAME = number,
	STREAM_FRAMES(X)
#undef X
};

struct stream_kind {
	uint16_t type;
	const char *name;
	enum stream_end from;
	size_t min, max;
};

/* NULL for a number that is not in the table. */
const struct stream_kind *stream_kind(uint16_t type);

static inline bool stream_is_data(uint16_t type)
{
	return type == STREAM_STDOUT || type == STREAM_STDERR || type == STREAM_STDIN;
}
