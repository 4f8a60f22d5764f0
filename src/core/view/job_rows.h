/*
 * The state as a listing shows it: lines of jobs, with why what waits does.
 */
#ifndef CORE_VIEW_JOB_ROWS_H
#define CORE_VIEW_JOB_ROWS_H

#include "core/txn/txn.h"

/* At most so many ranges of what waits are named; the count says how many elements there are. */
enum { ROW_RANGES = 1000 };

/* The same without its elements: the caller names them, and how many they are. */
void row_fill_job(const struct txn *txn, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *ret_row);
void row_fill(const struct txn *txn, const struct job *j, const struct element *e, struct arena *a,
	      Armada__JobRow *ret_row);

#endif
