/*
 * Input: the text of a token. An accepted token, written again, must be the same text, and no other key or
 * cluster may accept it.
 */
#include "proto/token.h"

#include "util/buf.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t seed[crypto_sign_SEEDBYTES] = {1}, cluster[16] = {2}, other[16] = {3};
	uint8_t public_key[crypto_sign_PUBLICKEYBYTES], key[crypto_sign_SECRETKEYBYTES];
	CLEANUP_BUF struct buf text = {0};
	char again[TOKEN_TEXT];
	struct token_record t;
	struct err err = {""};

	buf_add(&text, data, size);
	if (crypto_sign_seed_keypair(public_key, key, seed) < 0)
		abort();
	if (token_read((char *)text.data, size, cluster, public_key, &t, &err) < 0) {
		if (!err.text[0])
			abort();
		return 0;
	}
	token_write(&t, cluster, key, again);
	if (size != strlen(again) || memcmp(again, data, size) != 0 ||
	    token_read(again, size, other, public_key, &t, &err) == 0)
		abort();
	public_key[0] ^= 1;
	if (token_read(again, size, cluster, public_key, &t, &err) == 0)
		abort();
	return 0;
}
