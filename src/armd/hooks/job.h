/*
 * Prolog and epilog of a job on this node: run once each, whichever of its tasks come and go here.
 *
 * The tasks of one attempt of one element share a file in the spool, jobs/<job>_<element>.<attempt>,
 * with two locks that go with who holds them: one for whoever looks at it or runs a program, and one
 * that each shepherd shares for as long as its task is not over. Who finds nobody there before him
 * runs the prolog while the others wait; who finds nobody left after him runs the epilog. If the last
 * shepherd is killed the file stays, and the launcher has its epilog run (job_sweep).
 *
 * So for each prolog that was begun, however it ended, there is one epilog, unless the machine is
 * restarted first.
 */
#pragma once

#include "agent/place.h"
#include "armd/hooks/hook.h"
#include "armd/spool/spool.h"

/* What the node's own armada.conf says. */
struct hooks {
	struct hook health_check, prolog, epilog, task_prolog, task_epilog;
	int64_t health_interval_us;
	bool prolog_drains, epilog_drains; /* the node, when it fails */
};

/* One shepherd's part in its job. fd -1: it has none. */
struct job_part {
	int fd;
	char name[64];
	const struct spool *spool;
	const struct hooks *hooks;
	struct hook_env *env;
};

/*
 * Before the task is set up: the prolog has been run when this returns 0. May wait for it. env is
 * taken. gpus: the task's.
 */
int job_enter(const struct spool *s, const struct hooks *h, const struct task_key *key,
	      const uint64_t gpus[PLACE_GPUS / 64], struct hook_env *env,
	      struct job_part *ret_part, struct err *err);
/* After its end. An error: the epilog was run, and failed. */
int job_leave(struct job_part *p, struct err *err);
/* Epilogs that nobody lives to run. An error: one of them failed, and will be tried again. */
int job_sweep(const struct spool *s, const struct hooks *h, struct err *err);
