/*
 * Tokens: a text that stands for a user, in place of a credential of the auth plugin.
 *
 * A token is "armt_" and the base64 (URL alphabet, no padding) of a signed record: version, number, uid,
 * time of expiry, and a secret that the user chose at random. The controller signs it with its Ed25519
 * key, together with the id of its cluster, so only a token of this cluster is looked up at all. The state
 * has the digest of the secret and what the token may do (core/state/token.h), never the token.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	TOKEN_SECRET = 32,
	TOKEN_DIGEST = 32,
	TOKEN_RECORD = 120,
	TOKEN_TEXT = 166, /* size of its text, with the zero byte */
};

struct token_record {
	uint64_t number;
	uint32_t uid;
	int64_t expires_us;
	uint8_t secret[TOKEN_SECRET];
};

/* key: libsodium's crypto_sign secret key. */
void token_write(const struct token_record *t, const uint8_t cluster_id[16], const uint8_t key[64],
		 char ret_text[TOKEN_TEXT]);
/*
 * text ends with a zero byte. -EINVAL: it is no token, or was not signed by the owner of the key for this
 * cluster.
 */
int token_read(const char *text, size_t len, const uint8_t cluster_id[16],
	       const uint8_t public_key[32], struct token_record *ret_token, struct err *err);
/* What the state keeps of a secret. */
void token_digest(const uint8_t secret[TOKEN_SECRET], uint8_t ret_digest[TOKEN_DIGEST]);
