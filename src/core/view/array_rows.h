/*
 * Arrays in listings: how many elements are in each state, and one row for all of them.
 *
 * Cost for an array with n elements that have tasks or wait after an attempt, and t tasks: progress takes
 * O(n) steps, merging O(n + t log t). Elements that have ended or that have not started yet are ranges and
 * counters: their number does not matter. No row is made for each element.
 */
#pragma once

#include "core/txn/txn.h"

struct array_progress {
	Armada__StateCount **list;
	size_t count;
};

/*
 * The number of elements by state, also of those that have ended, for the states that the filter (NULL: all)
 * selects. Empty for a job that is no array.
 */
void array_rows_progress(const struct job *j, const Armada__JobFilter *f, struct arena *a,
			 struct array_progress *ret);
/* Whether the filter allows one row for each array: it names no elements and no nodes. */
bool array_rows_may_merge(const Armada__JobFilter *f);
/*
 * The row of all elements of the array that the filter selects and that have not ended. False: there are
 * none. Has the row several elements with tasks, or such ones and waiting ones, it names none of them; its
 * start is that of the first, and its nodes are those of all.
 */
bool array_rows_merge(const struct txn *txn, const struct job *j, const Armada__JobFilter *f,
		      struct arena *a, Armada__JobRow *ret_row);
