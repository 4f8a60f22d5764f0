/*
 * Submitting: specs in, one idempotent request out, ids back.
 */
#pragma once

#include "client/connection.h"
#include "client/spec/spec.h"

enum { SUBMIT_KEY_SIZE = 16 };

/* A fresh random key. One for each request; its retries use the same. */
void submit_key(uint8_t ret_key[SUBMIT_KEY_SIZE]);

/*
 * All jobs are accepted or none. The specs must be finished; scripts and environments that are
 * equal travel once. The reply lives in arena. -EAGAIN: it is not known whether the controller has
 * them; ask again with the same key.
 */
int submit(struct connection *c, struct spec *const *specs, size_t count,
	   const uint8_t key[SUBMIT_KEY_SIZE], bool test_only, struct arena *arena,
	   const Armada__SubmitReply **ret_reply, struct err *err);
