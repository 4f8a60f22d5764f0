/*
 * The first bytes of a stream between a task's io stub and arun: authentication and key exchange.
 *
 * Both hold a secret of 256 bits that was made for this run alone and reached the stub in a signed
 * order. The stub sends a hello, and arun answers. Each message carries fresh random bytes and a
 * MAC (keyed BLAKE2b) over all bytes so far, so neither can be forged. The keys depend on both
 * random parts, so a replayed message leads to keys that the attacker cannot use.
 *
 *	hello	"ARIO" 4, version 1, zero 3, rank 4, tasks 4, attempt 4, random 32, MAC 32
 *	answer	"ARIA" 4, version 1, zero 3, window 4, random 32, MAC 32
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	HELLO_KEY = 32,
	HELLO_RANDOM = 32,
	HELLO_SIZE = 84,
	HELLO_ANSWER_SIZE = 76,
	HELLO_TASKS_MAX = 1 << 20,
};

/* The task of the stub, from its environment. */
struct hello {
	uint32_t rank, tasks, attempt;
};

struct hello_keys {
	uint8_t from_stub[32], from_arun[32];
	uint8_t nonce_stub[24], nonce_arun[24];
};

void hello_make(const uint8_t key[HELLO_KEY], const struct hello *h,
		const uint8_t random[HELLO_RANDOM], uint8_t ret_bytes[HELLO_SIZE]);
/* False if it was not made with this key, or its numbers are impossible. */
bool hello_check(const uint8_t key[HELLO_KEY], const uint8_t bytes[HELLO_SIZE],
		 struct hello *ret_hello);

void hello_answer_make(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
		       uint32_t window, const uint8_t random[HELLO_RANDOM],
		       uint8_t ret_bytes[HELLO_ANSWER_SIZE]);
bool hello_answer_check(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
			const uint8_t bytes[HELLO_ANSWER_SIZE], uint32_t *ret_window);

/* The session keys; both ends compute the same. */
void hello_keys(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
		const uint8_t answer[HELLO_ANSWER_SIZE], struct hello_keys *ret_keys);
