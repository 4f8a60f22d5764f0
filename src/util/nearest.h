/*
 * Suggestions for misspelt words in messages.
 *
 * Comparison ignores case. Up to three typing errors are allowed, fewer in short words. If
 * no word is that near, a word that begins with the given one is suggested.
 */
#pragma once

#include <stddef.h>

/* The nearest of the words to a misspelt one, or NULL if none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t count);
