/*
 * Runs programs of the site. No other file of armd executes one.
 *
 * A child process, the runner, runs each program: it forks the program, limits its time, kills all
 * processes that it leaves behind, and reports a failure in one sentence. So the caller waits only
 * if it calls hook_end().
 *
 * Invariants: the program is an absolute path. The file and all directories of the path belong to
 * root or to the user of the daemon, and no other user can write to them. The program is executed
 * directly, without a shell. Its environment consists of the given variables only. Its
 * standard input is empty, and no descriptor of the daemon is open in it. All processes that it
 * leaves behind are killed.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HOOK_TEXT = 512, HOOK_ARGV_MAX = 64 };

struct hook {
	const char *what;        /* "prolog": for messages, and the value of ARMADA_HOOK */
	const char *const *argv; /* [0] is the path; count 0: there is none */
	size_t argc;
	int64_t timeout_us;
};

/* Check whether the program may be run. Called at startup and before each run. */
int hook_check(const struct hook *h, struct err *err);

/*
 * A list of environment variables. Values may come from users; names never do. The first value that
 * is set for a name stays.
 */
struct hook_env;
struct hook_env *hook_env_new(void);
void hook_env_free(struct hook_env *e);
void hook_env_set(struct hook_env *e, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The list as NUL-terminated strings, and a list from such strings. */
const char *hook_env_text(const struct hook_env *e, size_t *ret_len);
struct hook_env *hook_env_from(const char *text, size_t len);

/* A program that runs. fd becomes readable when it has ended; -1: none runs. */
struct hook_run {
	pid_t pid; /* of the runner */
	int fd;
};

/* Called in the program's process before the exec: changes the identity. NULL: no change. */
typedef int hook_become(const void *arg, struct err *err);

int hook_start(const struct hook *h, const struct hook_env *env, hook_become *become,
	       const void *arg, struct hook_run *ret_run, struct err *err);
/* Waits for the end. Returns 0, or an error that quotes the program's first line of output. */
int hook_end(struct hook_run *run, struct err *err);
/* Start the program and wait for its end. */
int hook_run(const struct hook *h, const struct hook_env *env, hook_become *become, const void *arg,
	     struct err *err);
