/* The copies and the in-sync set. */
#pragma once

#include "redis.h"

/* Shrinks the set by copies that were away for long, and takes back those that have caught up. */
void copies_keep(struct engine *e, struct link *l);
int copies_get(void *handle, struct armada_replica_copies *ret_copies, struct armada_error *err);
int copies_set(void *handle, const char *const *names, size_t count, const char *const *out,
	       size_t out_count, struct armada_error *err);
