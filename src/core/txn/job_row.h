/*
 * A job, or an element of it, as one row of a listing or of the history. core/view/job_rows.h adds
 * the parts for rows of waiting jobs. All rows borrow from the state.
 */
#pragma once

#include "core/txn/txn.h"

/* The row of the element, or (NULL) of the waiting part, without its elements and its reason. */
void job_row_fill(const struct txn *txn, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *ret_row);
/* The element of a job that is not an array, also while it waits again; NULL: none. */
const struct element *job_row_element(const struct job *j, const struct element *e);
/* The result of the job, for clients that wait for it. */
void job_row_end(const struct job *j, Armada__WaitJobReply *ret_reply);
/* The spec as submitted, with the remaining dependencies, and the counts of ended elements. */
void job_row_detail(const struct txn *txn, const struct job *j, struct arena *a,
		    Armada__ShowJobReply *ret_reply);
