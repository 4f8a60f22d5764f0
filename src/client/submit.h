/*
 * Submission: specifications become one idempotent request; the reply has the ids.
 */
#pragma once

#include "client/connection.h"
#include "client/spec/spec.h"

enum { SUBMIT_KEY_SIZE = 16 };

struct submit_key {
	uint8_t bytes[SUBMIT_KEY_SIZE];
	const char *name; /* as the user gave it; "": the key is for retries only */
};

/*
 * Makes the key of a request; its retries use the same key. name (borrowed): the key is made from it,
 * so that another run with this name gets the same jobs. NULL: a random key.
 */
struct submit_key submit_key_make(const char *name);

/*
 * Submits all jobs or none. The specs must be finished. Equal scripts and environments are sent
 * once. The reply is allocated in arena. -EAGAIN: it is not known whether the controller has
 * accepted the jobs; send the request again with the same key.
 */
int submit(struct connection *c, struct spec *const *specs, size_t count,
	   const struct submit_key *key, bool test_only, struct arena *arena,
	   const Armada__SubmitReply **ret_reply, struct err *err);

/* Sends the request with this number and does not wait for the reply, which connection_receive() returns. */
int submit_send(struct connection *c, uint32_t number, struct spec *const *specs, size_t count,
		const struct submit_key *key, struct err *err);
