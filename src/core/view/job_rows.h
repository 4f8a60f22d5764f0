/*
 * The rows of a listing: jobs and elements, with the reason why they wait.
 */
#pragma once

#include "core/txn/txn.h"

/* A row names at most this many ranges of waiting elements. Its count is the number of elements. */
enum { ROW_RANGES = 1000 };

/* The row of one waiting element. */
void row_fill_waiting(const struct txn *txn, const struct job *j, uint32_t index, struct arena *a,
		      Armada__JobRow *ret_row);
/* The row of an element that has tasks, or (NULL) of all waiting elements. */
void job_rows_fill(const struct txn *txn, const struct job *j, const struct element *e,
		   struct arena *a, Armada__JobRow *ret_row);
