/* Snapshots in the log database. */
#pragma once

#include "sqlite.h"

int snapshot_write(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
		   size_t count, struct armada_error *err);
int snapshot_part(void *handle, const struct armada_state_part *p, struct armada_error *err);
/*
 * Find the newest complete snapshot; a damaged one is logged and skipped. ret_older: the one before it, which
 * may be damaged; its seq is 0 if there is none.
 */
int snapshot_find(struct store *s, struct snapshot *ret_newest, struct snapshot *ret_older,
		  struct armada_error *err);
/* A replay starts from it: the newest, unless the history lacks rows of records before it. */
const struct snapshot *snapshot_base(const struct store *s);
int snapshot_read(struct store *s, const struct snapshot *snap, armada_state_record_fn *on_chunk,
		  void *arg, struct armada_error *err);
/* Copy a snapshot to another database, in a transaction of that. -EUCLEAN: it is damaged. */
int snapshot_copy(struct store *s, const struct snapshot *snap, struct db *to,
		  struct armada_error *err);
/* In a transaction of an empty log: write a snapshot; its chain begins with the hash of the cluster's id. */
int snapshot_begin_log(struct db *to, const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t seq,
		       const struct armada_state_chunk *chunks, size_t count,
		       struct armada_error *err);
