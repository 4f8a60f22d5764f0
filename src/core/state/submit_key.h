/*
 * Keys of submissions: a request with a known key gets the ids of the first request. Each key
 * expires at the time that the record of its submission contains. A record may also say how many
 * of the oldest keys, of its user or of all, are forgotten before (core/admission/bounds.h).
 *
 * A key that its user named (asubmit --submit-key) is never forgotten before it expires. It has a
 * digest of the request, so that the same name with another content is noticed.
 */
#pragma once

#include "core/state/intern.h"
#include "core/state/link.h"
#include "proto/msg.h"

#include <uthash.h>

struct state;

/* A user with keys. */
struct key_user {
	uint32_t uid;
	uint64_t count, named; /* keys that were not named, and named ones */
	LINK_QUEUE(own_key_list, submit_key) by_age; /* those that were not named */
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
	bool named;
	uint8_t content[HASH_SIZE]; /* of a named key */
	LINK(key_user) user;
	LINK_IN_QUEUE(submit_key) by_age;
	LINK_IN_QUEUE(submit_key) of_user;
	UT_hash_handle hh;
};

/* NULL: not known, or expired. */
LINK(submit_key)
submit_key_find(const struct state *state, uint32_t uid, const ProtobufCBinaryData *key);
/* The number of keys of a user, named ones or the others. O(1). */
uint64_t submit_keys_of(const struct state *state, uint32_t uid, bool named);

#ifdef STATE_WRITES
/* content: the digest of the request if the key was named, else empty. */
void submit_key_add(struct state *state, uint32_t uid, const ProtobufCBinaryData *key,
		    const ProtobufCBinaryData *content, uint64_t first, uint32_t jobs,
		    int64_t until_us);
/* Forget the oldest keys of the user that were not named, and then the oldest of all users. */
void submit_keys_forget(struct state *state, uint32_t uid, uint32_t own, uint32_t oldest);
/* Forget the keys that have expired. */
void submit_keys_expire(struct state *state, int64_t now_us);
void submit_keys_free(struct state *state);
#endif
