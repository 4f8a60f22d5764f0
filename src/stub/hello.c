/*
 * Makes and checks the first bytes of a stream, and derives its keys (hello.h). Input: the shared
 * secret, the task of the stub, random bytes. Output: hello and answer with their MACs, and the
 * session keys. Every MAC and key has a label of its own, so none can be used in the place of
 * another.
 */
#include "stub/hello.h"

#include "util/le.h"

#include <sodium.h>
#include <string.h>

enum { VERSION = 1, MAC = 32, LABEL = 16, HEAD = 8 };

/* BLAKE2b, keyed with the secret, over a label and up to two byte strings. */
static void mix(const uint8_t key[HELLO_KEY], const char label[LABEL + 1], const uint8_t *a,
		size_t a_len, const uint8_t *b, size_t b_len, uint8_t *ret, size_t ret_len)
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, key, HELLO_KEY, ret_len);
	crypto_generichash_update(&state, (const uint8_t *)label, LABEL);
	crypto_generichash_update(&state, a, a_len);
	if (b_len)
		crypto_generichash_update(&state, b, b_len);
	crypto_generichash_final(&state, ret, ret_len);
	sodium_memzero(&state, sizeof(state));
}

static void put_head(uint8_t *p, const char magic[5])
{
	memcpy(p, magic, 4);
	memset(p + 4, 0, 4);
	p[4] = VERSION;
}

static bool head_is(const uint8_t *p, const char magic[5])
{
	uint8_t want[HEAD];

	put_head(want, magic);
	return memcmp(p, want, HEAD) == 0;
}

void hello_make(const uint8_t key[HELLO_KEY], const struct hello *h,
		const uint8_t random[HELLO_RANDOM], uint8_t ret_bytes[HELLO_SIZE])
{
	put_head(ret_bytes, "ARIO");
	le_put(ret_bytes + 8, h->rank, 4);
	le_put(ret_bytes + 12, h->tasks, 4);
	le_put(ret_bytes + 16, h->attempt, 4);
	memcpy(ret_bytes + 20, random, HELLO_RANDOM);
	mix(key, "armada io stub 1", ret_bytes, HELLO_SIZE - MAC, NULL, 0,
	    ret_bytes + HELLO_SIZE - MAC, MAC);
}

bool hello_check(const uint8_t key[HELLO_KEY], const uint8_t bytes[HELLO_SIZE],
		 struct hello *ret_hello)
{
	struct hello h = {(uint32_t)le_get(bytes + 8, 4), (uint32_t)le_get(bytes + 12, 4),
			  (uint32_t)le_get(bytes + 16, 4)};
	uint8_t mac[MAC];

	mix(key, "armada io stub 1", bytes, HELLO_SIZE - MAC, NULL, 0, mac, MAC);
	if (sodium_memcmp(mac, bytes + HELLO_SIZE - MAC, MAC) != 0 || !head_is(bytes, "ARIO"))
		return false;
	if (h.tasks == 0 || h.tasks > HELLO_TASKS_MAX || h.rank >= h.tasks)
		return false;
	*ret_hello = h;
	return true;
}

void hello_answer_make(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
		       uint32_t window, const uint8_t random[HELLO_RANDOM],
		       uint8_t ret_bytes[HELLO_ANSWER_SIZE])
{
	put_head(ret_bytes, "ARIA");
	le_put(ret_bytes + 8, window, 4);
	memcpy(ret_bytes + 12, random, HELLO_RANDOM);
	mix(key, "armada io arun 1", hello, HELLO_SIZE, ret_bytes, HELLO_ANSWER_SIZE - MAC,
	    ret_bytes + HELLO_ANSWER_SIZE - MAC, MAC);
}

bool hello_answer_check(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
			const uint8_t bytes[HELLO_ANSWER_SIZE], uint32_t *ret_window)
{
	uint8_t mac[MAC];

	mix(key, "armada io arun 1", hello, HELLO_SIZE, bytes, HELLO_ANSWER_SIZE - MAC, mac, MAC);
	if (sodium_memcmp(mac, bytes + HELLO_ANSWER_SIZE - MAC, MAC) != 0 ||
	    !head_is(bytes, "ARIA"))
		return false;
	*ret_window = (uint32_t)le_get(bytes + 8, 4);
	return true;
}

void hello_keys(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
		const uint8_t answer[HELLO_ANSWER_SIZE], struct hello_keys *ret_keys)
{
	mix(key, "armada io key s1", hello, HELLO_SIZE, answer, HELLO_ANSWER_SIZE,
	    ret_keys->from_stub, sizeof(ret_keys->from_stub));
	mix(key, "armada io key a1", hello, HELLO_SIZE, answer, HELLO_ANSWER_SIZE,
	    ret_keys->from_arun, sizeof(ret_keys->from_arun));
	mix(key, "armada io non s1", hello, HELLO_SIZE, answer, HELLO_ANSWER_SIZE,
	    ret_keys->nonce_stub, sizeof(ret_keys->nonce_stub));
	mix(key, "armada io non a1", hello, HELLO_SIZE, answer, HELLO_ANSWER_SIZE,
	    ret_keys->nonce_arun, sizeof(ret_keys->nonce_arun));
}
