/* The records of the log. */
#pragma once

#include "sqlite.h"

int record_append(void *handle, const struct armada_state_record *records, size_t count,
		  struct armada_error *err);
/*
 * Read the records after from.seq, whose chain hash is from.hash, in order, and check each. on_record may
 * be NULL. Returns the sequence and the hash of the last record.
 */
int record_read(struct store *s, const struct snapshot *from, armada_state_record_fn *on_record,
		void *arg, uint64_t *ret_last, uint8_t ret_hash[HASH_BYTES],
		struct armada_error *err);
int record_first(struct store *s, uint64_t *ret_first, struct armada_error *err);
/* Insert a record. hash: in: of the one before it; out: of this one. */
int record_add(struct db *db, const struct armada_state_record *r, uint8_t hash[HASH_BYTES],
	       struct armada_error *err);
/* Is the record before this one needed no longer: it is in a snapshot and in the history? */
bool record_can_cut(const struct store *s);
/*
 * Inside a transaction: delete records that are not needed, at most this many and about this many bytes. Each
 * is checked first: a damaged one may lead to pages that are in use.
 */
int record_cut(struct store *s, uint64_t rows, uint64_t bytes, uint64_t *ret_first,
	       struct armada_error *err);
/*
 * Write the WAL back if it is larger than its limit, or if force is set. The last batch is already durable.
 */
void record_checkpoint(struct store *s, bool force);
