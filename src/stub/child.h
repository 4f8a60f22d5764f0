/*
 * The program that a stub runs: starts it with pipes or on its own terminal, signals it, and kills
 * what it leaves behind. It leads a session and a process group, so signals to the group never
 * reach the stub.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

struct child_plan {
	char *const *argv, *const *envp;
	const char *chdir; /* NULL: stay */
	bool pty;
	struct winsize size; /* with pty */
	int inherited;       /* a descriptor that the program keeps, under its number; -1: none */
};

/*
 * The stub's ends; -1: closed. Non-blocking. On a terminal in and out are the same terminal, and
 * err is unused.
 */
struct child {
	pid_t pid;
	bool pty;
	int in, out, err;
};

/*
 * Returns 0 when the program runs, with ret_child set. Otherwise nothing runs, and ret_exit_code is
 * the exit code that a shell would give.
 */
int child_start(const struct child_plan *plan, struct child *ret_child, int *ret_exit_code,
		struct err *err);
/* Signal the process group; on a terminal the group in its foreground. */
void child_signal(const struct child *c, int sig);
void child_resize(const struct child *c, const struct winsize *size);

/* True if this process has a living child, forked or adopted (as subreaper). */
bool child_any_left(void);
/* Signal every such process and all descendants. */
void child_signal_left(int sig);
