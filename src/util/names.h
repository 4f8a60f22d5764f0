/*
 * Lists of names: arrays of strings, and arrays of structs that begin with a pointer to their name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The index of the name in the list; count: not found. */
size_t names_index(const char *const *names, size_t count, const char *name);
bool names_have(const char *const *names, size_t count, const char *name);
/*
 * Comparisons for qsort and bsearch: for elements that begin with a pointer to their name (a plain string
 * pointer is one), and for pointers to such elements. The key of a bsearch is an element, too.
 */
int names_compare(const void *a, const void *b);
int names_compare_indirect(const void *a, const void *b);
