/*
 * The child's side of a task: everything between the shepherd's fork and the user's program.
 *
 * The steps are a table (task.c), in the order that keeps root away from what the user controls:
 * containment and identity first, each read back; then, as the user, directory, files and program.
 * Whatever fails is told to the shepherd as one sentence, and nothing runs.
 */
#ifndef ARMD_TASK_H
#define ARMD_TASK_H

#include "proto/msg.h"
#include "util/arena.h"
#include "util/err.h"
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

/* argv and environment of a body, NULL-terminated, in arena. script: its path, or NULL. */
char **task_argv(const Armada__TaskBody *body, const char *script, struct arena *arena);
char **task_environment(const Armada__TaskBody *body, struct arena *arena);

/* oom_score_adj of this process (shepherd_contain.c). */
void oom_score_set(int score);

/* The steps that have a file of their own; each returns 0 or a negative errno and a sentence. */
int task_take_identity(const struct task *t, struct err *err);
int task_check_identity(const struct task *t, struct err *err);
int task_bind(const struct task *t, struct err *err);
int task_open_stdio(const struct task *t, struct err *err);
/* Returns only when it failed. */
int task_run(const struct task *t, struct err *err);

#endif
