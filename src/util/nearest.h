/*
 * Suggestions for misspelt words in messages.
 *
 * Comparison ignores case. A word of up to 4 letters may have one typing error, one of up to 8 two, a
 * longer one three; the shorter of both words counts. Words with more than one error must begin with
 * the same letter. If no word is that near, a word that begins with the given one is suggested.
 */
#pragma once

#include <stddef.h>

/* The nearest of the words to a misspelt one, or NULL if none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t count);
