/*
 * Submission keys: a table by key and uid, and a list by age from which expired keys are removed.
 * Caveat: the list is in the order of insertion, so a key with a later expiry time delays the
 * removal of the keys behind it.
 */
#include "core/state/write.h"

#include "core/state/submit_key.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

static void make_id(struct submit_key *k, uint32_t uid, const ProtobufCBinaryData *key)
{
	memcpy(k->id.key, key->data, key->len < 16 ? key->len : 16);
	k->id.uid = uid;
}

struct submit_key *submit_key_find(const struct state *state, uint32_t uid,
				   const ProtobufCBinaryData *key)
{
	struct submit_key probe = {0}, *k;

	make_id(&probe, uid, key);
	HASH_FIND(hh, state->keys, &probe.id, sizeof(probe.id), k);
	return k;
}

void submit_key_add(struct state *state, uint32_t uid, const ProtobufCBinaryData *key,
		    uint64_t first, uint32_t jobs, int64_t until_us)
{
	struct submit_key *k = xcalloc(1, sizeof(*k));

	make_id(k, uid, key);
	k->first = first;
	k->jobs = jobs;
	k->until_us = until_us;
	HASH_ADD(hh, state->keys, id, sizeof(k->id), k);
	TAILQ_INSERT_TAIL(&state->keys_by_age, k, by_age);
}

static void drop(struct state *state, struct submit_key *k)
{
	TAILQ_REMOVE(&state->keys_by_age, k, by_age);
	HASH_DEL(state->keys, k);
	free(k);
}

void submit_keys_expire(struct state *state, int64_t now_us)
{
	struct submit_key *k;

	while ((k = TAILQ_FIRST(&state->keys_by_age)) && k->until_us < now_us)
		drop(state, k);
}

void submit_keys_free(struct state *state)
{
	while (!TAILQ_EMPTY(&state->keys_by_age))
		drop(state, TAILQ_FIRST(&state->keys_by_age));
}
