/*
 * Who is uid 1234? Names and groups, looked up on worker threads and remembered for a while.
 *
 * An identity does not change once made and is shared by every connection of its user; whoever
 * keeps one holds a reference. All calls are of the loop's thread; only the look-up itself runs
 * elsewhere. Two askers for one uid cause one look-up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workers;

struct identity {
	uint32_t uid;
	char *user; /* NULL: the uid has no name here */
	uint32_t *gids;
	char **groups; /* names; a gid without a name has its number written out */
	size_t gid_count;
	bool failed; /* the look-up broke (LDAP away): not remembered */
	unsigned refs;
};

/* Fill uid's names and groups into id. May block; called from several threads. */
typedef void identity_lookup_fn(uint32_t uid, struct identity *id);
/* What the machine's user database says; a identity_lookup_fn. */
void identity_cache_look_up(uint32_t uid, struct identity *id);
/* The answer, borrowed for the call: take a reference to keep it. */
typedef void identity_answer_fn(void *arg, uint64_t conn, struct identity *id);

struct identity_cache;

/* lookup NULL: the machine's user database. Borrows the workers, which must be freed first. */
struct identity_cache *identity_cache_new(struct workers *workers, int64_t ttl_us,
					  identity_lookup_fn *lookup);
void identity_cache_free(struct identity_cache *c);
/* answer may be called before this returns (remembered), else from the loop later. */
void identity_cache_get(struct identity_cache *c, uint32_t uid, int64_t now_us,
			identity_answer_fn *answer, void *arg, uint64_t conn);

struct identity *identity_ref(struct identity *id);
void identity_unref(struct identity *id);
