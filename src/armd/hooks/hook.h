/*
 * Programs of the site that armd runs: the one place where any is executed.
 *
 * Each is run by a child of its own, the runner: it makes the program's process, bounds its time,
 * ends all that it leaves behind, and says in one sentence what went wrong. So whoever asks never
 * waits unless it wants to.
 *
 * What always holds: the program is an absolute path of root's or of the daemon's own user that nobody
 * else can write to, nor any directory on the way; it is executed directly, without a shell (S22);
 * its environment is what is given here and nothing else (S2); its input is empty, none of our
 * descriptors is open in it; everything it starts and leaves behind is killed with it.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HOOK_TEXT = 512, HOOK_ARGV_MAX = 64 };

struct hook {
	const char *what;        /* "prolog": in messages, and ARMADA_HOOK */
	const char *const *argv; /* [0] is the path; count 0: there is none */
	size_t argc;
	int64_t timeout_us;
};

/* May it be run? Asked at the start, and again each time. */
int hook_check(const struct hook *h, struct err *err);

/* A variable list; names are ours, values may be anybody's. One that is set stays as it is. */
struct hook_env;
struct hook_env *hook_env_new(void);
void hook_env_free(struct hook_env *e);
void hook_env_set(struct hook_env *e, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* All of it as NUL-terminated strings, and back. */
const char *hook_env_text(const struct hook_env *e, size_t *ret_len);
struct hook_env *hook_env_from(const char *text, size_t len);

/* One that runs. fd is readable when it has ended; -1: none runs. */
struct hook_run {
	pid_t pid; /* of the runner */
	int fd;
};

/* In the program's process before it is executed: become somebody else. NULL: stay who we are. */
typedef int hook_become(const void *arg, struct err *err);

int hook_start(const struct hook *h, const struct hook_env *env, hook_become *become,
	       const void *arg, struct hook_run *ret_run, struct err *err);
/* Waits. 0, or an error whose sentence is the program's own where it said something. */
int hook_end(struct hook_run *run, struct err *err);
/* Both. */
int hook_run(const struct hook *h, const struct hook_env *env, hook_become *become, const void *arg,
	     struct err *err);
