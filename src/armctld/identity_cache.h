/*
 * Names and groups of uids, looked up on worker threads and cached for a while.
 *
 * An identity is immutable and shared by all connections of its user; each user of it holds a
 * reference. All calls are made on the loop's thread; only the lookup runs elsewhere. Concurrent
 * requests for a uid cause one lookup.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workers;

struct identity {
	uint32_t uid;
	uint32_t gid; /* the primary group, if it has a name */
	char *user;   /* NULL: the uid has no name here */
	uint32_t *gids;
	char **groups; /* names; a gid without a name has its number written out */
	size_t gid_count;
	bool failed; /* the lookup failed (LDAP unavailable): not cached */
	unsigned refs;
};

/* Fill uid's names and groups into id. May block; called from several threads. */
typedef void identity_lookup_fn(uint32_t uid, struct identity *id);
/* Look up in the machine's user database; an identity_lookup_fn. */
void identity_cache_look_up(uint32_t uid, struct identity *id);
/* The answer, borrowed for the call: take a reference to keep it. */
typedef void identity_answer_fn(void *arg, uint64_t conn, struct identity *id);

struct identity_cache;

/* lookup NULL: the machine's user database. Borrows the workers, which must be freed first. */
struct identity_cache *identity_cache_new(struct workers *workers, int64_t ttl_us,
					  identity_lookup_fn *lookup);
void identity_cache_free(struct identity_cache *c);
/* answer is called before this returns if the identity is cached, else from the loop later. */
void identity_cache_get(struct identity_cache *c, uint32_t uid, int64_t now_us,
			identity_answer_fn *answer, void *arg, uint64_t conn);

struct identity *identity_ref(struct identity *id);
void identity_unref(struct identity *id);
