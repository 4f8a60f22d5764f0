/*
 * Functions for a child between fork and exec.
 *
 * They only make system calls that are safe in the child of a process with threads.
 */
#pragma once

/* Set all signals to their default action and unblock them, as programs expect. -errno or 0. */
int program_reset_signals(void);

/*
 * Run a program of the site with one argument, in a session of its own. It inherits no descriptor and no
 * signal mask, and gets a new environment. Its standard error is error_fd, or /dev/null for -1; its
 * input and output are /dev/null. Exits with 127 if the program cannot be run, and with 126 if a step
 * before that fails.
 */
_Noreturn void program_exec(const char *path, const char *argument, int error_fd);
/* The same with an argv that begins with the path, and with its output in output_fd. */
_Noreturn void program_exec_output(const char *const *argv, int output_fd);
