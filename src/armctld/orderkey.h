/*
 * The Ed25519 key that signs launch and kill orders.
 *
 * The file state_dir/order.key, mode 0600, holds the key. `armctld --init` makes the key, and a start
 * replaces a missing or damaged one. Nodes get the public key in a credential that armctld makes, with the
 * payload of proto/order.h. They trust the key because the credential was made by the uid of
 * controller_user.
 */
#pragma once

#include "proto/order.h"
#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

struct order_key {
	uint8_t secret[64]; /* libsodium's crypto_sign */
	uint8_t public[32];
};

/* Make the file. -EEXIST: it exists. */
int order_key_create(const char *state_dir, const uint8_t cluster_id[16], struct err *err);
/*
 * Refuses a file that others may read, is not ours, or is the key of another cluster (S6). A missing or
 * damaged key is replaced, which is logged, or refused if it is shared with other controllers.
 * cluster_id: of the state.
 */
int order_key_load(const char *state_dir, const uint8_t cluster_id[16], bool shared,
		   struct order_key *ret_key, struct err *err);
void order_key_clear(struct order_key *k);

enum { SESSION_PROOF = 64 };
/* Shows that this end of a session (its binding: wire/session.h) has the key, as only controllers have. */
void order_key_prove(const struct order_key *k, const uint8_t binding[32],
		     uint8_t ret_proof[SESSION_PROOF]);
bool order_key_proves(const struct order_key *k, const uint8_t binding[32],
		      const uint8_t proof[SESSION_PROOF]);
void order_key_payload(const struct order_key *k, const uint8_t cluster_id[16],
		       uint8_t ret_payload[ORDER_KEY_PAYLOAD]);
