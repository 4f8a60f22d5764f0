/*
 * The elements of arrays by state: as text, and in the rows of a listing.
 */
#pragma once

#include "cmd/listing/job_rows.h"

/* "7500 done, 3 failed, 128 running, 12000 waiting"; nothing for a job that is no array. */
void job_progress_text(const Armada__JobRow *row, struct buf *out);
/* The number of states that the elements have. */
size_t job_progress_states(const Armada__JobRow *row);
/*
 * Completes the progress of ended elements, whose rows come from the history without it. The rows are sorted
 * by job and element.
 */
void job_progress_fill(struct job_rows *rows);
/* Keeps one row for each array: that of the controller, or the sum of the pages of the history. */
void job_progress_merge(struct job_rows *rows);
