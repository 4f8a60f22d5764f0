/*
 * A set of 32-bit numbers, stored as sorted, disjoint, non-adjacent closed ranges.
 *
 * It holds the pending elements of an array: a million consecutive elements are one range. Steps ("0-100:2")
 * make many ranges, which the caller limits. Zero-initialised memory is the empty set.
 * add and remove cost O(log r + r) in the number of ranges r, contains O(log r).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint32_t lo;
	uint32_t hi; /* inclusive */
};

struct rangeset {
	struct range *ranges;
	size_t count;
	size_t cap;
	uint64_t total; /* numbers in the set */
};

void rangeset_done(struct rangeset *s);
void rangeset_clear(struct rangeset *s);
/* Add the numbers lo to hi; some of them may be in the set. lo <= hi. */
void rangeset_add(struct rangeset *s, uint32_t lo, uint32_t hi);
/* Remove the numbers lo to hi; some of them may be missing. Returns how many were removed. */
uint64_t rangeset_remove(struct rangeset *s, uint32_t lo, uint32_t hi);
bool rangeset_contains(const struct rangeset *s, uint32_t n);
/* The lowest number; the set must not be empty. */
uint32_t rangeset_first(const struct rangeset *s);
void rangeset_copy(struct rangeset *to, const struct rangeset *from);
/* Keep only numbers that are in the other set, too. O(r) in the ranges of both. */
void rangeset_intersect(struct rangeset *s, const struct rangeset *with);
/* Keep the last ranges only: taking them from the end of another set costs least. Were there more? */
bool rangeset_keep_last(struct rangeset *s, size_t ranges);
/* Remove, or add, all numbers of the other set. O(r) in the ranges of both. */
void rangeset_subtract(struct rangeset *s, const struct rangeset *what);
void rangeset_unite(struct rangeset *s, const struct rangeset *with);
bool rangeset_equal(const struct rangeset *a, const struct rangeset *b);
