/*
 * The steps of a running element: volatile data.
 *
 * The controller knows a step from its request, and the nodes report when it runs and ends in each
 * task. After a restart of the controller, nodes report all that they know, so the steps appear again,
 * but without their command lines. Numbers are durable (StepsNumbered): none is used twice in an attempt.
 *
 * A step with many tasks has 8 bytes for each of them while it runs. All bounds are options
 * (limits.steps_per_job, step_tasks, ended_steps_per_job, ended_steps). A step over a bound runs without a
 * number, and the controller keeps nothing of it.
 */
#pragma once

#include "core/txn/txn.h"
#include "proto/step_state.h"

enum { STEP_COMMAND = 200 };

/* A program of the step in a task of the job. */
enum step_task_state {
	STEP_TASK_ORDERED, /* its node has not reported it yet */
	STEP_TASK_RUNS,
	STEP_TASK_ENDED,
	STEP_TASK_LOST, /* the task of the job has ended, and its node did not tell how the step did */
	STEP_TASK_UNHEARD, /* its node has not reported it for a long time */
	STEP_TASK_STATES,
};
enum step_task_event {
	STEP_TASK_EV_RUNS,
	STEP_TASK_EV_ENDS,
	STEP_TASK_EV_GONE,   /* the task of the job has ended */
	STEP_TASK_EV_SILENT, /* it was ordered long ago */
	STEP_TASK_EVENTS,
};
enum step_task_state step_task_next(enum step_task_state state, enum step_task_event ev);

struct step_task {
	uint32_t rank; /* of the task of the job */
	uint16_t layer;
	uint8_t state;
};

/* It has not ended, as far as is known. */
bool step_task_is_open(const struct step_task *t);

struct step {
	struct steps *of;
	TAILQ_ENTRY(step) ended_entry; /* live.ended_steps: if it has ended */
	uint32_t number;
	bool restored;          /* known only from reports: there may be more tasks */
	struct step_task *list; /* by rank and layer; NULL: all have ended */
	uint32_t listed;
	size_t list_cap;
	uint32_t tasks, open; /* of these, those that have not ended */
	uint32_t lost, unheard;
	int32_t exit_code, exit_signal;
	int64_t ordered_us;       /* steady */
	int64_t start_us, end_us; /* wall clock */
	struct task_usage usage;
	char *command, *nodes; /* owned; nodes is a node list, NULL until steps_of() */
	uint32_t node_count;
};

struct steps {
	struct step **list; /* by number */
	size_t count, cap, ended;
	uint32_t next; /* number */
};

/* NULL: the element has no steps in memory. Steps of which no node has told for long count as ended. */
const struct steps *steps_of(struct txn *txn, const struct element *e);
const struct step *step_find(const struct steps *s, uint32_t number);
/* The state for listings. */
Armada__JobState step_shown_state(const struct step *s);

/* True: there is room for a new step, or for further tasks of one. */
bool steps_admit(struct txn *txn, const struct element *e, bool is_new, uint32_t tasks);
/* A new step. May emit StepsNumbered, so all checks come before. */
uint32_t step_begin(struct txn *txn, const struct element *e, const char *command);
/* The step gets a program in each named task that has none of this layer. O(tasks log tasks). */
void step_add_tasks(struct txn *txn, const struct element *e, uint32_t number, const bool *named,
		    uint32_t layer);
/* A node has told of a step in a task that runs there. False: it is no step of this attempt. O(tasks). */
bool step_report(struct txn *txn, const struct task *t, const struct step_state *state);
/* The task is about to end; with the last one all steps are forgotten. O(steps and tasks of its element). */
void steps_task_ended(struct txn *txn, const struct task *t);
/* Frees the steps of an element. May be NULL. */
void steps_free(struct live *l, struct steps *s);
/* Whether the sums over all steps are right. For tests and the simulator. O(elements and tasks of steps). */
int steps_check(struct txn *txn, struct err *err);
