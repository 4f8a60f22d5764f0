/*
 * A job, or an element of it, as one row of a listing or of the history. core/view/job_rows.h adds
 * the parts for rows of waiting jobs. All rows borrow from the state.
 */
#pragma once

#include "core/txn/txn.h"

/* The row of the element, or (NULL) of the waiting part, without its elements and its reason. */
void job_row_fill(const struct txn *txn, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *ret_row);
/*
 * Processor time, reads and writes of all tasks together, and the peak memory of the largest task, in the
 * arena. NULL: the usage of a task is not known; a sum without it would be untrue.
 */
Armada__Usage *job_row_usage(const struct txn *txn, const struct element *e, struct arena *a);
/* When the first task of an element whose tasks have ended started (0: none did), and when the last ended. */
void job_row_times(const struct txn *txn, const struct element *e, int64_t *ret_start_us,
		   int64_t *ret_end_us);
/* The element of a job that is not an array, also while it waits again; NULL: none. */
const struct element *job_row_element(const struct job *j, const struct element *e);
/* The result of the job, for clients that wait for it. */
void job_row_end(const struct job *j, Armada__WaitJobReply *ret_reply);
/* The spec as submitted, with the remaining dependencies, and the counts of ended elements. */
void job_row_detail(const struct txn *txn, const struct job *j, struct arena *a,
		    Armada__ShowJobReply *ret_reply);
