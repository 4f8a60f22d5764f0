/*
 * Text of others, shown on a terminal or in a log.
 *
 * A character is hidden if it does not show as a letter but acts on the text or the terminal: control
 * characters (C0, DEL, C1), the marks that reverse the order of other letters, line separators, and
 * characters without width. The joiners U+200C and U+200D are not: words of several scripts contain them.
 */
#pragma once

#include "util/buf.h"

#include <stdbool.h>

bool visible_is_control(uint32_t code); /* C0, DEL, C1 */
bool visible_is_hidden(uint32_t code);  /* those, and invisible formatting characters */

/* The number of bytes of the character at p, which ends with a NUL; 0: it is hidden or not UTF-8. */
size_t visible_char(const char *p);

/*
 * Append the text, with the bytes of hidden characters and those that are not UTF-8 as \xNN. paragraph:
 * newlines and tabs stay. The length form is for a text that may contain NULs.
 */
void visible_add(struct buf *out, const char *text, bool paragraph);
void visible_add_bytes(struct buf *out, const void *text, size_t len, bool paragraph);

/* Print "before: text" and a newline on stderr, as visible_add writes it with newlines. */
void visible_complain(const char *before, const char *text);
