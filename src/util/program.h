/*
 * What a process does between fork and exec.
 *
 * Only system calls that are safe in the child of a process with threads.
 */
#pragma once

/* Every signal has its default action and none is blocked: a program expects that. -errno or 0. */
int program_reset_signals(void);

/*
 * Run a program of the site with one argument, in a session of its own. Nothing of ours reaches it: no
 * descriptor, no signal mask, an environment built from nothing (S2). Its standard error is error_fd,
 * or /dev/null for -1, as are its input and output. Exits with 127 when it cannot be run, with 126 when
 * that cannot be prepared.
 */
_Noreturn void program_exec(const char *path, const char *argument, int error_fd);
