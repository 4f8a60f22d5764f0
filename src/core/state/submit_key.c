/*
 * Submission keys: a table by key and uid, and lists by age, of all and of each user, from which
 * expired and surplus keys are removed. Named keys have a list of their own, without surplus.
 * Caveat: a list is in the order of insertion, so a key with a later expiry time delays the
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

static struct key_user *find_user(const struct state *state, uint32_t uid)
{
	struct key_user *u;

	HASH_FIND(hh, state->key_users, &uid, sizeof(uid), u);
	return u;
}

static struct key_user *obtain_user(struct state *state, uint32_t uid)
{
	struct key_user *u = find_user(state, uid);

	if (u)
		return u;
	u = xcalloc(1, sizeof(*u));
	u->uid = uid;
	TAILQ_INIT(&u->by_age);
	HASH_ADD(hh, state->key_users, uid, sizeof(u->uid), u);
	return u;
}

uint64_t submit_keys_of(const struct state *state, uint32_t uid, bool named)
{
	const struct key_user *u = find_user(state, uid);

	return !u ? 0 : named ? u->named : u->count;
}

void submit_key_add(struct state *state, uint32_t uid, const ProtobufCBinaryData *key,
		    const ProtobufCBinaryData *content, uint64_t first, uint32_t jobs,
		    int64_t until_us)
{
	struct submit_key *k = xcalloc(1, sizeof(*k));

	make_id(k, uid, key);
	k->first = first;
	k->jobs = jobs;
	k->until_us = until_us;
	HASH_ADD(hh, state->keys, id, sizeof(k->id), k);
	k->user = obtain_user(state, uid);
	k->named = content->len > 0;
	if (k->named) {
		memcpy(k->content, content->data,
		       content->len < HASH_SIZE ? content->len : HASH_SIZE);
		TAILQ_INSERT_TAIL(&state->named_keys, k, by_age);
		state->named_key_count++;
		k->user->named++;
		return;
	}
	TAILQ_INSERT_TAIL(&state->keys_by_age, k, by_age);
	state->key_count++;
	TAILQ_INSERT_TAIL(&k->user->by_age, k, of_user);
	k->user->count++;
}

static void drop(struct state *state, struct submit_key *k)
{
	struct key_user *u = k->user;

	HASH_DEL(state->keys, k);
	if (k->named) {
		TAILQ_REMOVE(&state->named_keys, k, by_age);
		state->named_key_count--;
		u->named--;
	} else {
		TAILQ_REMOVE(&state->keys_by_age, k, by_age);
		state->key_count--;
		TAILQ_REMOVE(&u->by_age, k, of_user);
		u->count--;
	}
	free(k);
	if (u->count || u->named)
		return;
	HASH_DEL(state->key_users, u);
	free(u);
}

void submit_keys_forget(struct state *state, uint32_t uid, uint32_t own, uint32_t oldest)
{
	struct key_user *u;

	for (; own && (u = find_user(state, uid)) && u->count; own--)
		drop(state, TAILQ_FIRST(&u->by_age));
	for (; oldest && state->key_count; oldest--)
		drop(state, TAILQ_FIRST(&state->keys_by_age));
}

void submit_keys_expire(struct state *state, int64_t now_us)
{
	struct submit_key *k;

	while ((k = TAILQ_FIRST(&state->keys_by_age)) && k->until_us < now_us)
		drop(state, k);
	while ((k = TAILQ_FIRST(&state->named_keys)) && k->until_us < now_us)
		drop(state, k);
}

void submit_keys_free(struct state *state)
{
	while (!TAILQ_EMPTY(&state->keys_by_age))
		drop(state, TAILQ_FIRST(&state->keys_by_age));
	while (!TAILQ_EMPTY(&state->named_keys))
		drop(state, TAILQ_FIRST(&state->named_keys));
}
