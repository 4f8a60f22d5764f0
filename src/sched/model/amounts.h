/*
 * Amounts of resources: vectors of `dims` numbers, in the order given to sched_new.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is there at least the wanted amount of each resource? */
static inline bool amounts_cover(const int64_t *have, const int64_t *want, size_t dims)
{
	for (size_t r = 0; r < dims; r++)
		if (have[r] < want[r])
			return false;
	return true;
}

/* How many times the wanted amounts fit, up to `most`. */
static inline uint64_t amounts_hold(const int64_t *have, const int64_t *want, size_t dims,
				    uint64_t most)
{
	for (size_t r = 0; r < dims; r++) {
		if (have[r] < want[r])
			return 0;
		if (most > 1 && want[r] > 0 && (uint64_t)(have[r] / want[r]) < most)
			most = (uint64_t)(have[r] / want[r]);
	}
	return most;
}

/* Add these amounts to the row (1), or subtract them (-1). */
static inline void amounts_change(int64_t *row, const int64_t *by, int sign, size_t dims)
{
	for (size_t r = 0; r < dims; r++)
		row[r] += sign * by[r];
}

/* The sum, or INT64_MAX if it is larger. Also for times. */
static inline int64_t amounts_add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Which has less, resource by resource in this sequence: below 0, 0, above 0. */
static inline int amounts_compare(const uint32_t *sequence, size_t dims, const int64_t *a,
				  const int64_t *b)
{
	for (size_t i = 0; i < dims; i++) {
		uint32_t r = sequence[i];

		if (a[r] != b[r])
			return a[r] < b[r] ? -1 : 1;
	}
	return 0;
}

/* "4", "16G", "2": the amount of a resource for messages. */
void amounts_format(size_t resource, int64_t amount, char *out, size_t size);
