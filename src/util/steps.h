/*
 * Ranges of indices with a step, as in messages (IndexRange): first, first + step and so on up to last. A
 * step of 0 means 1. A range with last below first is empty.
 */
#pragma once

#include "util/rangeset.h"

/* The number of indices. */
static inline uint64_t steps_count(uint32_t first, uint32_t last, uint32_t step)
{
	return last < first ? 0 : ((uint64_t)last - first) / (step ? step : 1) + 1;
}

/* The number of ranges without a step that it consists of. */
static inline uint64_t steps_pieces(uint32_t first, uint32_t last, uint32_t step)
{
	return step > 1 ? steps_count(first, last, step) : first <= last;
}

static inline bool steps_have(uint32_t first, uint32_t last, uint32_t step, uint32_t index)
{
	return first <= index && index <= last && (index - first) % (step ? step : 1) == 0;
}

void steps_add(struct rangeset *s, uint32_t first, uint32_t last, uint32_t step);
