/* Waits until what was written is on the copies of the in-sync set. */
#pragma once

#include "conn.h"

/* Sends what sync_wait reads, behind the writes on the same connection. */
int sync_send(struct link *l, struct armada_error *err);
/*
 * all: all copies of the set; else a majority. set: NULL is the present one. -EAGAIN: err names the copies
 * that are away. The connection can be used further unless its err is set.
 */
int sync_wait(struct link *l, const struct copy_set *set, bool all, struct armada_error *err);
/* Fills in what the primary says about all servers; offset: that a copy must have. */
struct sync_view {
	uint64_t offset;
	bool holds[COPIES_MAX], connected[COPIES_MAX]; /* by index in the servers */
	uint64_t lag[COPIES_MAX];
};
int sync_look(struct link *l, struct sync_view *view, struct armada_error *err);
struct copy_set set_read(struct engine *e);
void set_note(struct engine *e, const struct copy_set *set);
bool set_has(const struct copy_set *set, const char *name);
