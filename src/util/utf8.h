/*
 * UTF-8: one character at a time, and texts that were cut.
 *
 * A character is well-formed as RFC 3629 has it: the shortest form, no surrogates, at most U+10FFFF.
 * Which characters a text may hold (control characters, newlines) is the caller's rule.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The bytes of the character at p, of which left can be read; 0 if there is none. A NUL is a character
 * of one byte. ret_code (may be NULL) is untouched when there is none. In a text that ends with a NUL,
 * left may be as large as UTF8_MAX: nothing is read after the first byte that does not belong.
 */
enum { UTF8_MAX = 4 };
size_t utf8_char(const void *p, size_t left, uint32_t *ret_code);
/*
 * How many of the first len bytes of a longer text are whole characters: len, less the beginning of a
 * character that does not end there.
 */
size_t utf8_whole(const char *text, size_t len);
