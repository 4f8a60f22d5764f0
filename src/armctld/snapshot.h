/*
 * The whole durable state at one record, as chunks for the state plugin. The chunks are packed one after
 * the other, in memory or, if a child process took the snapshot (snapshot_child.h), in a file of memory.
 */
#pragma once

#include "core/core.h"
#include "util/arena.h"
#include "util/buf.h"

struct snapshot {
	struct arena *arena; /* holds what follows some chunks */
	uint64_t seq, bytes; /* bytes of all chunks, with what follows them */
	size_t count;        /* of chunks */
	struct buf packed;   /* chunks that are not in the file */
	const uint8_t *file; /* mapped; NULL: none */
	size_t file_len;
	size_t part_next, part_at; /* snapshot_part: the next chunk, and where it begins */
};

struct snapshot *snapshot_new(uint64_t seq);
/* tail, which is not copied, follows the data; NULL: nothing. */
void snapshot_add(struct snapshot *s, const void *data, size_t len, struct shared *tail);
/* Takes all chunks of the core. O(state). */
void snapshot_take(struct snapshot *s, const struct core *core);
/*
 * The chunks from first on, at least one and at most about `bytes` bytes, as the state plugin takes them.
 * total and total_bytes are set, too. O(part) if first follows the last part, else O(first) more. They
 * are valid until the snapshot changes.
 */
void snapshot_part(struct snapshot *s, size_t first, size_t bytes, struct arena *arena,
		   struct armada_state_part *ret_part);
/*
 * For a child process: writes the chunks of the core to the file as they come, and the totals. What follows
 * them is written as an address, which the parent holds. 0 or a negative errno.
 */
int snapshot_write(struct snapshot *s, const struct core *core, int fd);
/* For its parent: the file of snapshot_write has the chunks of this snapshot, which has none. */
int snapshot_map(struct snapshot *s, int fd);
void snapshot_free(struct snapshot *s);
