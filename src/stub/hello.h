/*
 * The first bytes of a stream between a task's io stub and arun: who they are, and the keys.
 *
 * Both hold a secret of 256 bits that was made for this run alone and came to the stub by a way
 * that arun trusts. The stub says hello, arun answers; each carries fresh random bytes and a MAC
 * (keyed BLAKE2b) over everything so far, so neither can be made up, and keys that both random
 * parts went into make a replayed one lead nowhere.
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

/* Who the stub says it serves. */
struct hello {
	uint32_t rank, tasks, attempt;
};

struct hello_keys {
	uint8_t from_stub[32], from_arun[32];
	uint8_t nonce_stub[24], nonce_arun[24];
};

void hello_make(const uint8_t key[HELLO_KEY], const struct hello *h,
		const uint8_t random[HELLO_RANDOM], uint8_t ret_bytes[HELLO_SIZE]);
/* False for one that was not made with this key, or says what cannot be. */
bool hello_check(const uint8_t key[HELLO_KEY], const uint8_t bytes[HELLO_SIZE],
		 struct hello *ret_hello);

void hello_answer_make(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
		       uint32_t window, const uint8_t random[HELLO_RANDOM],
		       uint8_t ret_bytes[HELLO_ANSWER_SIZE]);
bool hello_answer_check(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
			const uint8_t bytes[HELLO_ANSWER_SIZE], uint32_t *ret_window);

/* The same at both ends. */
void hello_keys(const uint8_t key[HELLO_KEY], const uint8_t hello[HELLO_SIZE],
		const uint8_t answer[HELLO_ANSWER_SIZE], struct hello_keys *ret_keys);
