/*
 * Array expressions: "1-1000%20", "0,5,7-9", "0-100:4".
 *
 * Expressions are parsed into ranges with steps, so that a million elements cost one entry. Duplicate
 * indices, and more than max indices, are refused.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

struct index_range {
	uint32_t first, last, step; /* last - first is a multiple of step; step >= 1 */
};

/* Returns a new array, freed with free(). ret_throttle: the number after "%"; 0: none. */
int indexlist_parse(const char *text, uint64_t max, struct index_range **ret_ranges,
		    size_t *ret_count, uint32_t *ret_throttle, struct err *err);
