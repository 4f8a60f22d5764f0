/*
 * Keys of submissions: a request with a known key gets the ids of the first request. Each key
 * expires at the time that the record of its submission contains. A record may also say how many
 * of the oldest keys, of its user or of all, are forgotten before (core/admission/bounds.h).
 */
#pragma once

#include "core/state/link.h"
#include "proto/msg.h"

#include <uthash.h>

struct state;

/* A user with keys. */
struct key_user {
	uint32_t uid;
	uint64_t count;
	LINK_QUEUE(own_key_list, submit_key) by_age;
	UT_hash_handle hh;
};

struct submit_key {
	struct {
		uint8_t key[16];
		uint32_t uid;
	} id;
	uint32_t jobs;
	uint64_t first;
	int64_t until_us;
	LINK(key_user) user;
	LINK_IN_QUEUE(submit_key) by_age;
	LINK_IN_QUEUE(submit_key) of_user;
	UT_hash_handle hh;
};

/* NULL: not known, or expired. */
LINK(submit_key)
submit_key_find(const struct state *state, uint32_t uid, const ProtobufCBinaryData *key);
/* The number of keys of a user. O(1). */
uint64_t submit_keys_of(const struct state *state, uint32_t uid);

#ifdef STATE_WRITES
void submit_key_add(struct state *state, uint32_t uid, const ProtobufCBinaryData *key,
		    uint64_t first, uint32_t jobs, int64_t until_us);
/* Forget the oldest keys of the user, and then the oldest of all. */
void submit_keys_forget(struct state *state, uint32_t uid, uint32_t own, uint32_t oldest);
/* Forget the keys that have expired. */
void submit_keys_expire(struct state *state, int64_t now_us);
void submit_keys_free(struct state *state);
#endif
