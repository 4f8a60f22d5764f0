/*
 * The Ed25519 key that signs launch and kill orders.
 *
 * Kept in state_dir/order.key, 0600, made by `armctld --init`. Nodes learn the public half from a
 * credential that this process makes (its uid is what they trust), with the payload of
 * proto/order.h.
 */
#pragma once

#include "proto/order.h"
#include "util/err.h"

#include <stdint.h>

struct order_key {
	uint8_t secret[64]; /* libsodium's crypto_sign */
	uint8_t public[32];
};

/* Makes the file; refuses one that is there (-EEXIST). */
int order_key_create(const char *state_dir, struct err *err);
/* Refuses a file that others may read, is not ours, or is not a key. */
int order_key_load(const char *state_dir, struct order_key *ret_key, struct err *err);
void order_key_clear(struct order_key *k);
void order_key_payload(const struct order_key *k, const uint8_t cluster_id[16],
		       uint8_t ret_payload[ORDER_KEY_PAYLOAD]);
