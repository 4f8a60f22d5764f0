/*
 * Submission: specifications become one idempotent request; the reply has the ids.
 */
#pragma once

#include "client/connection.h"
#include "client/spec/spec.h"

enum { SUBMIT_KEY_SIZE = 16 };

/* Makes a random key. Each request has its own key; its retries use the same key. */
void submit_key(uint8_t ret_key[SUBMIT_KEY_SIZE]);

/*
 * Submits all jobs or none. The specs must be finished. Equal scripts and environments are sent
 * once. The reply is allocated in arena. -EAGAIN: it is not known whether the controller has
 * accepted the jobs; send the request again with the same key.
 */
int submit(struct connection *c, struct spec *const *specs, size_t count,
	   const uint8_t key[SUBMIT_KEY_SIZE], bool test_only, struct arena *arena,
	   const Armada__SubmitReply **ret_reply, struct err *err);
