/*
 * The child's side of a task: everything between the shepherd's fork and the user's program.
 *
 * The steps are a table (task.c), in the order that keeps root away from what the user controls (S7):
 * containment and identity first; then, as the user, directory, files, limits and program. What a step
 * did is read back before the next. Whatever fails is told to the shepherd as one sentence, and
 * nothing runs.
 */
#pragma once

#include "proto/msg.h"
#include <armada/contain.h>

#include <stdbool.h>
#include <sys/types.h>

/* Everything is borrowed. */
struct task {
	const Armada__TaskBody *body;
	bool privileged;    /* run by root: the identity is the body's; else it stays our own */
	const char *script; /* path of the copy made for this task; NULL: body->argv */
	char *const *argv;
	char *const *envp;
	bool stdio;  /* it has input and output files; else it keeps what is there */
	bool append; /* to output files, instead of emptying them */
	int report;  /* where a failure is written to; -1: nobody wants to know */
	int gate; /* say TASK_READY there, and wait for a byte here before the program runs; -1 */
	int payload; /* what the program finds as descriptor 3; -1: nothing */
	const struct armada_contain_ops *contain;
	void *contain_handle;
	bool contained; /* born where it belongs: nothing is to be entered */
	pid_t shepherd;
	const uint64_t *cpus; /* bits: bound to these; NULL: to none */
};

/* The byte on the report pipe that says: everything is set up, only the gate is shut. */
enum { TASK_READY = 1 };

/* Become the task. Its program inherits descriptors 0 to 2, and 3 if there is a payload. */
_Noreturn void task_exec(const struct task *t);

/* Take the containment, the cpus and the identity of the task, for good: for programs run as its user. */
int task_become(const struct task *t, struct err *err);

/* What the words of a failure begin with when the node is to blame for it. */
enum { TASK_BLAMES_NODE = 2, TASK_BLAME = 3 }; /* and ": " */

typedef int task_step_fn(const struct task *t, struct err *err);

enum task_step_flag {
	STEP_TASK = 1 << 0, /* on the way to the task's program */
	STEP_HOOK = 1 << 1, /* on the way to a program of the site that is run as the user */
	STEP_BOTH = STEP_TASK | STEP_HOOK,
	STEP_NODE = 1 << 2, /* a failure is the node's: the task would go well elsewhere */
	STEP_ROOT = 1 << 3, /* where armd is root */
	STEP_USER = 1 << 4, /* where the task is not root */
};

/* Each returns 0 or a negative errno and a sentence; check NULL: there is nothing to be read back. */
struct task_step {
	const char *name;
	unsigned flags;
	task_step_fn *take, *check;
};

/* All of them, in order, up to the program. */
const struct task_step *task_steps(size_t *ret_count);
/* Those of a list that are for `who`, up to the first that fails; its index, or count, in ret_at. */
int task_take_steps(const struct task_step *list, size_t count, unsigned who, const struct task *t,
		    size_t *ret_at, struct err *err);
/* task_exec with another list. */
_Noreturn void task_exec_steps(const struct task_step *list, size_t count, const struct task *t);
