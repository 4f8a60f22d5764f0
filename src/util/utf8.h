/*
 * UTF-8: single characters, and texts that were cut.
 *
 * A character must be well-formed by RFC 3629: the shortest form, no surrogates, at most U+10FFFF. The caller
 * decides which characters a text may contain (control characters, newlines).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The number of bytes of the character at p, where left bytes can be read; 0: no valid character. A NUL is a
 * character of one byte. ret_code (may be NULL) is not changed for 0. In a text that ends with a NUL, left
 * may be UTF8_MAX: no byte is read after the first one that does not belong to the character.
 */
enum { UTF8_MAX = 4 };
size_t utf8_char(const void *p, size_t left, uint32_t *ret_code);
/*
 * The number of bytes of complete characters in the first len bytes of a longer text: len, less the bytes of
 * a last character that is cut.
 */
size_t utf8_whole(const char *text, size_t len);
