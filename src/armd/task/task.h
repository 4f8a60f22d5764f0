/*
 * The child's side of a task: everything between the shepherd's fork and the user's program.
 *
 * The steps are a table (task.c), in the order that keeps root away from what the user controls
 *: containment and identity first; then, as the user, directory, files, limits and program.
 * Each step is verified before the next one. A failure is sent to the shepherd as one sentence, and
 * the program does not run.
 */
#pragma once

#include "proto/msg.h"
#include <armada/contain.h>

#include <stdbool.h>
#include <sys/types.h>

/* Everything is borrowed. */
struct task {
	const Armada__TaskBody *body;
	bool privileged;    /* armd runs as root: the identity is the body's; else it stays */
	const char *script; /* path of the copy made for this task; NULL: body->argv */
	char *const *argv;
	char *const *envp;
	bool stdio;  /* open the input and output files of the body; else keep the descriptors */
	bool append; /* to output files, instead of emptying them */
	int report;  /* where a failure is written; -1: nowhere */
	/*
	 * write TASK_READY to report and wait for a byte here before the program runs; -1: do not
	 * wait
	 */
	int gate;
	int payload; /* becomes descriptor 3 of the program; -1: none */
	const struct armada_contain_ops *contain;
	void *contain_handle;
	bool contained; /* forked into its group: step_contain does nothing */
	pid_t shepherd;
	const uint64_t *cpus; /* bits: the cpus of the task; NULL: not bound */
};

/*
 * Take the identity of the body permanently, for code of armd that reads a file of the user in the directory
 * of the body. Of the descriptors only 0 to 2, and the payload as 3, stay open.
 */
int task_become_reader(const struct task *t, struct err *err);

/* The byte on the report pipe: everything is set up, the task waits at the gate. */
enum { TASK_READY = 1 };

/*
 * Run the task in this process. Its program inherits descriptors 0 to 2, and 3 if there is a
 * payload.
 */
_Noreturn void task_exec(const struct task *t);

/*
 * Take the containment, the cpus and the identity of the task permanently, for a site program that
 * runs as the user.
 */
int task_become(const struct task *t, struct err *err);

/* The first byte of a failure's text when the node is to blame. */
enum { TASK_BLAMES_NODE = 2, TASK_BLAME = 3 }; /* and ": " */

typedef int task_step_fn(const struct task *t, struct err *err);

enum task_step_flag {
	STEP_TASK = 1 << 0, /* for the task's program */
	STEP_HOOK = 1 << 1, /* for a program of the site that runs as the user */
	STEP_BOTH = STEP_TASK | STEP_HOOK,
	STEP_READ = 1 << 5, /* for a process that reads a file of the user */
	STEP_ALL = STEP_BOTH | STEP_READ,
	STEP_NODE = 1 << 2, /* a failure is the node's, not the job's */
	STEP_ROOT = 1 << 3, /* only if armd runs as root */
	STEP_USER = 1 << 4, /* only if the task's user is not root */
};

/* Each returns 0, or a negative errno with a sentence; check NULL: nothing to verify. */
struct task_step {
	const char *name;
	unsigned flags;
	task_step_fn *take, *check;
};

/* All steps, in order, up to the program. */
const struct task_step *task_steps(size_t *ret_count);
/*
 * Take the steps of a list that apply to `who`, up to the first failure; ret_at: its index, or
 * count.
 */
int task_take_steps(const struct task_step *list, size_t count, unsigned who, const struct task *t,
		    size_t *ret_at, struct err *err);
/* task_exec with another list. */
_Noreturn void task_exec_steps(const struct task_step *list, size_t count, const struct task *t);
