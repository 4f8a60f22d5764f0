/*
 * Texts of tokens (token.h). Input: a record, or a text from anybody. Output: the text with its signature,
 * or the record of a text whose signature is right. Caveat: a right signature is not enough. The caller
 * compares the record with the state, where a revoked token is missing.
 */
#include "proto/token.h"

#include "util/le.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

/* Layout: magic 4, number 8, uid 4, expiry 8, secret 32, signature 64. */
enum { MAGIC = 0x31544d41 /* "AMT1" */, SIGNED = TOKEN_RECORD - crypto_sign_BYTES };

static const char prefix[] = "armt_", domain[] = "armada token";
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum { PREFIX = sizeof(prefix) - 1, VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING };

/* What is signed: no other signed thing of Armada begins with these bytes. */
struct message {
	uint8_t bytes[sizeof(domain) + 16 + SIGNED];
};

static void message_make(struct message *m, const uint8_t cluster_id[16], const uint8_t *record)
{
	memcpy(m->bytes, domain, sizeof(domain));
	memcpy(m->bytes + sizeof(domain), cluster_id, 16);
	memcpy(m->bytes + sizeof(domain) + 16, record, SIGNED);
}

void token_write(const struct token_record *t, const uint8_t cluster_id[16], const uint8_t key[64],
		 char ret_text[TOKEN_TEXT])
{
	uint8_t record[TOKEN_RECORD];
	struct message m;

	le_put(record, MAGIC, 4);
	le_put(record + 4, t->number, 8);
	le_put(record + 12, t->uid, 4);
	le_put(record + 16, (uint64_t)t->expires_us, 8);
	memcpy(record + 24, t->secret, TOKEN_SECRET);
	message_make(&m, cluster_id, record);
	crypto_sign_detached(record + SIGNED, NULL, m.bytes, sizeof(m.bytes), key);
	memcpy(ret_text, prefix, PREFIX);
	sodium_bin2base64(ret_text + PREFIX, TOKEN_TEXT - PREFIX, record, sizeof(record), VARIANT);
	sodium_memzero(record, sizeof(record));
	sodium_memzero(&m, sizeof(m));
}

static int not_ours(struct err *err)
{
	return err_set(err, -EINVAL, "this is not a token of this cluster");
}

int token_read(const char *text, size_t len, const uint8_t cluster_id[16],
	       const uint8_t public_key[32], struct token_record *ret_token, struct err *err)
{
	uint8_t record[TOKEN_RECORD];
	struct message m;
	size_t size = 0;

	/* libsodium would also accept some bytes above 127 */
	if (len != TOKEN_TEXT - 1 || memcmp(text, prefix, PREFIX) != 0 ||
	    strspn(text, alphabet) < len ||
	    sodium_base642bin(record, sizeof(record), text + PREFIX, len - PREFIX, NULL, &size,
			      NULL, VARIANT) != 0 ||
	    size != sizeof(record) || le_get(record, 4) != MAGIC)
		return not_ours(err);
	message_make(&m, cluster_id, record);
	if (crypto_sign_verify_detached(record + SIGNED, m.bytes, sizeof(m.bytes), public_key) != 0)
		return not_ours(err);
	ret_token->number = le_get(record + 4, 8);
	ret_token->uid = (uint32_t)le_get(record + 12, 4);
	ret_token->expires_us = (int64_t)le_get(record + 16, 8);
	memcpy(ret_token->secret, record + 24, TOKEN_SECRET);
	sodium_memzero(record, sizeof(record));
	return 0;
}

void token_digest(const uint8_t secret[TOKEN_SECRET], uint8_t ret_digest[TOKEN_DIGEST])
{
	crypto_generichash(ret_digest, TOKEN_DIGEST, secret, TOKEN_SECRET, (const uint8_t *)domain,
			   sizeof(domain) - 1);
}
