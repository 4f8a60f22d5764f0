/*
 * The keys of a step as one rank knows them: its own at once, those of the others after a fence.
 *
 * The size is bounded: kvs_put refuses what exceeds the bounds, which clients are told with get_maxes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* With the final NUL. */
enum { KVS_NAME_MAX = 256, KVS_KEY_MAX = 64, KVS_VALUE_MAX = 1024, KVS_BYTES_MAX = 96 << 20 };

struct kvs {
	struct kvs_entry *entries; /* a hash table */
	size_t bytes;
};

void kvs_done(struct kvs *k);
/* Sets or replaces a value. False, with nothing changed: key or value or the whole is too long. */
bool kvs_put(struct kvs *k, const char *key, const char *value);
/* NULL: there is none. */
const char *kvs_get(const struct kvs *k, const char *key);
