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
#ifndef CORE_VACANCY_H
#define CORE_VACANCY_H

#include "core/request.h"

#define VACANCY_IDS SCHED_TASK_IDS

struct vacancy {
	uint64_t id;
	struct task *task;
	char *reason; /* volatile: why it waits, from the last round that looked at it */
	UT_hash_handle hh;
};

/* NULL: none. */
struct vacancy *vacancy_find(const struct core *c, uint64_t id);
/* What a decision of the scheduler says of a vacancy, said of its element. Others stay as they are. */
void vacancy_translate(const struct core *c, uint64_t *job, uint32_t *element);

/* For the fold. */
int fold_task_vacated(struct core *c, const Armada__TaskVacated *m, struct err *err);
int fold_task_leased(struct core *c, const Armada__TaskLeased *m, struct err *err);
void vacancy_restore(struct core *c, struct task *t, uint64_t id);
void vacancies_drop(struct core *c, struct element *e);

/* A task that has just ended is to be started anew. */
void task_vacate(struct core *c, struct task *t, const char *reason);
/* Why the tasks of an element wait that do; "" when none does. */
char *vacancies_reason(const struct element *e, struct arena *a);
/* A scheduling decision; false: it no longer holds. */
bool vacancy_start(struct core *c, const struct sched_decision *d);

#endif
