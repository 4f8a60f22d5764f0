/*
 * Text for people in lines of a width, with a hanging indent.
 *
 * Lines break at spaces only. A word that is wider than a line stands on a line of its own and is not cut, so
 * that it can be copied. Widths are columns of a terminal: a letter of CJK takes two, a combining mark none
 * (listing_locale() must have been called). Control characters are printed as \xNN.
 */
#pragma once

#include "util/buf.h"

#include <stdio.h>

/* The columns of a text, as it is printed. */
size_t wrap_width(const char *text);
/*
 * Adds the text, which begins in column `at`. Further lines begin after `indent` spaces. width 0: one line.
 * Runs of spaces, tabs and newlines are one space.
 */
void wrap_add(struct buf *out, const char *text, size_t at, size_t indent, size_t width);
/* The width of the terminal that the file is; 0: it is none. */
size_t wrap_terminal(FILE *out);
