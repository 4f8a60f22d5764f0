/*
 * The key-value space of PMI-1 (kvs.h): a hash table of copies. Memory that is used up ends the process,
 * which serves one rank.
 */
#include "kvs.h"

#include <stdlib.h>
#include <string.h>

#define uthash_fatal(text) abort()
#include <uthash.h>

struct kvs_entry {
	UT_hash_handle hh;
	char *value;
	char key[];
};

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

void kvs_done(struct kvs *k)
{
	struct kvs_entry *e, *next;

	HASH_ITER (hh, k->entries, e, next) {
		HASH_DEL(k->entries, e);
		free(e->value);
		free(e);
	}
	*k = (struct kvs){0};
}

bool kvs_put(struct kvs *k, const char *key, const char *value)
{
	size_t key_len = strlen(key), len = strlen(value), before = 0, after;
	struct kvs_entry *e;

	if (key_len == 0 || key_len >= KVS_KEY_MAX || len >= KVS_VALUE_MAX)
		return false;
	HASH_FIND(hh, k->entries, key, key_len, e);
	if (e)
		before = sizeof(*e) + key_len + strlen(e->value);
	after = k->bytes - before + sizeof(*e) + key_len + len;
	if (after > KVS_BYTES_MAX)
		return false;
	k->bytes = after;
	if (e) {
		free(e->value);
	} else {
		e = need(malloc(sizeof(*e) + key_len + 1));
		memcpy(e->key, key, key_len + 1);
		HASH_ADD_KEYPTR(hh, k->entries, e->key, key_len, e);
	}
	e->value = need(strdup(value));
	return true;
}

const char *kvs_get(const struct kvs *k, const char *key)
{
	const struct kvs_entry *e;

	HASH_FIND(hh, k->entries, key, strlen(key), e);
	return e ? e->value : NULL;
}
