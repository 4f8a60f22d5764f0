/*
 * A job, or an element of it, as one line of a listing or of the history. What the lines of waiting jobs
 * say besides is added by core/view/job_rows.h. Everything borrows from the state.
 */
#pragma once

#include "core/txn/txn.h"

/* Of the element, or (NULL) of what waits, without its elements and why it waits. */
void job_row_fill(const struct txn *txn, const struct job *j, const struct element *e,
		  struct arena *a, Armada__JobRow *ret_row);
/* Of a job that is no array, its element, though it waits again; NULL: none. */
const struct element *job_row_element(const struct job *j, const struct element *e);
/* How the job has ended, for those who wait for it. */
void job_row_end(const struct job *j, Armada__WaitJobReply *ret_reply);
/* As it was submitted, with what it still waits for and what has ended of it. */
void job_row_detail(const struct txn *txn, const struct job *j, struct arena *a,
		    Armada__ShowJobReply *ret_reply);
