/*
 * Tasks that wait for a node again while the rest of their element goes on.
 *
 * When a task of an element fails and its job says so (on_task_failure), it alone is vacated: its
 * attempt has ended, and a vacancy is there until it is leased again, under a new attempt number, or
 * until its element ends or goes back as a whole. The scheduler knows a vacancy as a job with one
 * member, in the queue and class of its job; its id is one that no job can have. Nothing is promised
 * to a vacancy: it is filled once there is room that nobody has.
 *
 * Always true between inputs: a task with a vacancy has ended, its element is not being ended, and
 * counts as many vacancies as it has.
 */
#pragma once

#include "core/state/job.h"

#define VACANCY_IDS SCHED_TASK_IDS

struct task_replacement {
	uint64_t id;
	LINK(task) task;
	UT_hash_handle hh;
};

/* NULL: none. */
LINK(task_replacement) task_replacement_find(const struct state *state, uint64_t id);
/* What a decision of the scheduler says of a vacancy, said of its element. Others stay as they are. */
void task_replacement_translate(const struct state *state, uint64_t *job, uint32_t *element);

#ifdef STATE_WRITES
void task_replacement_restore(struct state *state, struct task *t, uint64_t id);
void task_replacement_drop(struct state *state, struct task_replacement *v);
void task_replacements_drop(struct state *state, struct element *e);
#endif
