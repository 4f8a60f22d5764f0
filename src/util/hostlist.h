/*
 * Slurm's hostlist grammar: "cn[01-04,07],gpu1" stands for cn01 cn02 cn03 cn04 cn07 gpu1.
 *
 * Several brackets in a name multiply. Zero padding is kept. The caller limits the number of names; the limit
 * is checked before memory is allocated.
 */
#pragma once

#include "util/buf.h"
#include "util/err.h"

#include <stddef.h>

/* Returns a new array of new strings in order, duplicates kept; free with hostlist_free. */
int hostlist_expand(const char *text, size_t max, char ***ret_names, size_t *ret_count,
		    struct err *err);
void hostlist_free(char **names, size_t count);
/* Sorts names in natural order: n2 before n10. */
void hostlist_sort(const char **names, size_t count);
/* The shortest expression for the names, sorted in natural order, appended to out. */
void hostlist_compress(const char *const *names, size_t count, struct buf *out);
