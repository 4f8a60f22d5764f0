/*
 * The identities that clients act under besides their own: tokens, and users for whom a gateway vouches.
 *
 * The controller checks both in the handshake of a session. A token is signed with the key of the orders and
 * must be in the state; gateways and their users are in armada.conf.
 */
#pragma once

#include "armctld/ctld.h"

/* NULL: it is not valid, with a sentence that does not say more than an attacker may know. */
const struct token *tokens_find(const struct ctld *c, const char *text, struct err *err);
/* NULL: it was revoked, or has expired. */
const struct token *tokens_valid(const struct ctld *c, uint64_t number);
/* May the gateway with this uid vouch for this caller? 0, or a refusal. */
int tokens_vouches(const struct ctld *c, uint32_t gateway_uid, const struct caller *who,
		   struct err *err);
/* EFFECT_TOKEN: sign a token and send it, or end the sessions of a revoked one. */
void tokens_apply(struct ctld *c, const struct effect *e);
