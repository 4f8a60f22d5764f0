/*
 * What the tasks of a row are doing: numbers by state, and by group where there are several.
 */
#pragma once

#include "proto/msg.h"

struct task_counts {
	uint32_t pending, running, succeeded, failed;
};

/* Of one element of the row. A row of one task says it by its state. */
void job_row_counts(const Armada__JobRow *row, struct task_counts *ret);
/* So many of its tasks must start together, and run on. */
uint32_t job_row_min_available(const Armada__JobRow *row);
/* "ps 1 running; worker 2 running, 1 pending; at least 3"; nothing for one task. */
void job_row_tasks(const Armada__JobRow *row, struct buf *out);
const char *task_failure_word(Armada__TaskFailure policy);
