/*
 * Task replacements: tasks that wait for a new node while the rest of their element continues.
 *
 * If a task of an element fails and the job asks for it (on_task_failure), this task alone is
 * replaced. Its attempt has ended, and a task replacement exists until the task is leased again
 * under a new attempt number, or until its element ends or is requeued as a whole. The scheduler
 * knows a task replacement as a job with one member, in the queue and class of its job. Its id is
 * in a range that no job id uses. No lease of a task replacement is ever pending: the task is
 * leased once there is free room.
 *
 * Always true between inputs: a task with a task replacement has ended, and its element is not
 * being ended. The element counts its task replacements.
 */
#pragma once

#include "core/state/job.h"

#define REPLACEMENT_ID_BIT SCHED_TASK_IDS

struct task_replacement {
	uint64_t id;
	LINK(task) task;
	UT_hash_handle hh;
};

/* NULL: no such task replacement. */
LINK(task_replacement) task_replacement_find(const struct state *state, uint64_t id);
/*
 * Replace the id of a task replacement in a scheduler's decision by its job and element. Other ids
 * stay unchanged.
 */
void task_replacement_translate(const struct state *state, uint64_t *job, uint32_t *element);

#ifdef STATE_WRITES
void task_replacement_restore(struct state *state, struct task *t, uint64_t id);
void task_replacement_drop(struct state *state, struct task_replacement *v);
void task_replacements_drop(struct state *state, struct element *e);
#endif
