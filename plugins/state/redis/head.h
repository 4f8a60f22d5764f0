/* The head of the log, and single records of it. */
#pragma once

#include "conn.h"

/* Reads the head; ret_head->exists is false if there is none. */
int head_read(struct link *l, struct head *ret_head, struct armada_error *err);
/*
 * Reads the head, and checks that the store has what this controller knew as acknowledged before, and that
 * it belongs to the same cluster. -ENOENT: nothing was ever there. -EUCLEAN: it went backwards.
 */
int head_check(struct link *l, struct head *ret_head, struct armada_error *err);
/* A record as it is in the stream; borrowed from the reply. */
struct entry {
	uint64_t seq, epoch;
	const uint8_t *prev;
	const void *data;
	size_t len;
};
/* Parses and checks one entry. -EUCLEAN: it is damaged. */
int entry_parse(const redisReply *r, struct entry *ret_entry, struct armada_error *err);
/* Records from first to last, at most SLICE of them; the caller frees the reply. */
redisReply *entries_read(struct link *l, uint64_t first, uint64_t last, int *ret_rc,
			 struct armada_error *err);
/* The hash of the chain at a record. -ENOENT: the log does not have it. */
int hash_at(struct link *l, const struct head *h, uint64_t seq, uint8_t ret_hash[HASH_BYTES],
	    struct armada_error *err);
/* -EUCLEAN: the log lacks a record that another controller knows as acknowledged. */
int head_has(struct link *l, const struct head *h, const struct place *p, struct armada_error *err);
/* Notes the last acknowledged record, in memory and in the mark. */
void acked_note(struct engine *e, const struct place *p);
struct place acked_place(struct engine *e);
