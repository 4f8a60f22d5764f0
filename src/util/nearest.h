/*
 * The word that somebody may have meant, for messages about one that does not exist.
 *
 * Words are compared without regard to case. Up to three typing errors are forgiven, fewer in short
 * words; failing that, the beginning of a word finds it.
 */
#pragma once

#include <stddef.h>

/* The nearest of the words to a misspelt one, or NULL when none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t count);
