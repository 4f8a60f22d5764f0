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
	bool append; /* to output files, instead of emptying them */
	const struct armada_contain_ops *contain;
	void *contain_handle;
	pid_t shepherd;
	const uint64_t *cpus; /* bits: bound to these; NULL: to none */
};

/* Become the task. A failure is written to report_fd, which the program does not inherit. */
_Noreturn void task_exec(const struct task *t, int report_fd);

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
