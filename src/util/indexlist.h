/*
 * Array expressions: "1-1000%20", "0,5,7-9", "0-100:4".
 *
 * Parsed into ranges with steps, so that a million elements cost one entry. Duplicate or
 * overlapping indices are refused, and more than max indices.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

struct index_range {
	uint32_t first, last, step; /* last is reached exactly; step >= 1 */
};

/* Returns a new array, freed with free(). ret_throttle: what follows "%", 0 without. */
int indexlist_parse(const char *text, uint64_t max, struct index_range **ret_ranges,
		    size_t *ret_count, uint32_t *ret_throttle, struct err *err);
