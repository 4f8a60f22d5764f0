/*
 * The credential that carries the public key of the controller's orders.
 *
 * Decoding is a round trip to a daemon that may hang, so a child does it, and sends the result to
 * the launcher through a pipe. Payload: "armada-order-key", the cluster id (16 bytes), the key
 * (32).
 */
#pragma once

#include "util/err.h"
#include <armada/auth.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CREDENTIAL_PAYLOAD = 64, CREDENTIAL_TIMEOUT_US = 10 * 1000000 };

/* A credential that is being decoded. fd -1: none. */
struct credential {
	int fd;
	pid_t pid;
	int64_t until_us; /* CLOCK_BOOTTIME */
};

struct credential_key {
	uint8_t cluster_id[16];
	uint8_t public_key[32];
};

/* text is borrowed for the call. */
int credential_begin(struct credential *c, const struct armada_auth_ops *auth, void *auth_handle,
		     const char *text, struct err *err);
/*
 * Called when fd is readable or until_us has passed: takes the result of the child. The credential
 * must be made by controller_uid. Afterwards c can be used for the next credential.
 */
int credential_end(struct credential *c, uint32_t controller_uid, struct credential_key *ret_key,
		   struct err *err);
