/*
 * One row for all elements of an array that have ended, for a listing of the history.
 *
 * Rows come in the order of job, element and attempt. A merged row has the number of elements by state, the
 * state and the reason of the worst one, and, while all have the same state, their indexes.
 */
#pragma once

#include "proto/msg.h"
#include "util/arena.h"

#include <stdbool.h>

struct history_merge {
	Armada__JobRow *row; /* the merged row; NULL: none yet */
	Armada__JobState last_state;
	uint32_t last_first; /* of the element that was added last */
};

/* Whether the row is for elements of the array of the merged row. */
bool history_merge_fits(const struct history_merge *m, const Armada__JobRow *row);
/* The row, which is that of an array, becomes the merged row. */
void history_merge_begin(struct history_merge *m, Armada__JobRow *row, struct arena *arena);
/* Adds the elements of the row. Both are in the arena. O(1), amortized. */
void history_merge_add(struct history_merge *m, const Armada__JobRow *row, struct arena *arena);
/* The rank of an end state, higher is worse; -1: not an end state. */
int history_merge_rank(Armada__JobState state);
