/* The mark: the last record that is known to be durable. */
#pragma once

#include "sqlite.h"

struct mark {
	uint64_t seq;
	uint8_t hash[HASH_BYTES];
};
/* 1 and the mark; 0: missing or damaged, which is logged; or a negative errno. */
int mark_open(struct store *s, struct mark *ret_mark, struct armada_error *err);
/*
 * Record that everything up to last_seq is durable. Written only after that is true, so a log that ends
 * before its mark has lost records. sync: the mark itself must be on the disk.
 */
int mark_write(struct store *s, bool sync);
/* Write this one. */
int mark_put(int fd, const struct mark *mark, bool sync);
/* Read it without making or changing anything; as mark_open, but nothing is logged. */
int mark_read(int dir_fd, struct mark *ret_mark);
int mark_create(int dir_fd, struct armada_error *err);
