/*
 * The state as a listing shows it: lines of jobs, with why what waits does.
 */
#pragma once

#include "core/txn/txn.h"

/* At most so many ranges of what waits are named; the count says how many elements there are. */
enum { ROW_RANGES = 1000 };

/* Of one element that waits. */
void row_fill_waiting(const struct txn *txn, const struct job *j, uint32_t index, struct arena *a,
		      Armada__JobRow *ret_row);
/* Of an element that has tasks, or (NULL) of all that waits. */
void job_rows_fill(const struct txn *txn, const struct job *j, const struct element *e,
		   struct arena *a, Armada__JobRow *ret_row);
