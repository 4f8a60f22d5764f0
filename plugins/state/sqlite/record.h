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
/* Inside a transaction: delete up to budget records at or below cut_goal. */
int record_cut(struct store *s, uint64_t budget, uint64_t *ret_first, struct armada_error *err);
/* Write the WAL back if it is larger than its limit. The last batch is already durable. */
void record_checkpoint(struct store *s);
