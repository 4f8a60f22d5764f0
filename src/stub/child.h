/*
 * The program that a stub runs: started with pipes or on a terminal of its own, signalled, and at
 * the end cleaned up after. It leads a session and a process group, so signals reach all of it and
 * never the stub.
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
};

/* Our ends; -1: closed. Non-blocking. On a terminal in and out are the same thing, err is none. */
struct child {
	pid_t pid;
	bool pty;
	int in, out, err;
};

/*
 * The program runs when this returns 0; ret_child is set. Otherwise nothing runs, and the exit code
 * that a shell would give for it is in ret_exit_code.
 */
int child_start(const struct child_plan *plan, struct child *ret_child, int *ret_exit_code,
		struct err *err);
/* To the whole group; on a terminal to the group in its foreground. */
void child_signal(const struct child *c, int sig);
void child_resize(const struct child *c, const struct winsize *size);

/* Does any process live that this one is the parent of, by birth or by adoption? */
bool child_any_left(void);
/* Signal every such process, and theirs. */
void child_signal_left(int sig);
