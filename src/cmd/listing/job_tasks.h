/*
 * The tasks of a row: their number by state, and by group if there are several groups.
 */
#pragma once

#include "proto/msg.h"

struct task_counts {
	uint32_t pending, running, unknown, succeeded, failed;
};

/*
 * Counts the tasks of one element of the row. For a row without groups, the state of the job
 * counts.
 */
void job_row_counts(const Armada__JobRow *row, struct task_counts *ret);
/* The minimum number of its tasks that must start together and keep running. */
uint32_t job_row_min_available(const Armada__JobRow *row);
/*
 * Adds "ps 1 running; worker 2 running, 1 pending; at least 3"; nothing for a row without groups.
 */
void job_row_tasks(const Armada__JobRow *row, struct buf *out);
const char *task_failure_word(Armada__TaskFailure policy);
