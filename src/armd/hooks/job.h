/*
 * Prolog and epilog of a job on this node: each runs once, regardless of how many tasks of the job
 * run here.
 *
 * The tasks of one attempt of one element share a file in the spool,
 * jobs/<job>_<element>.<attempt>, with two locks that end with the process that holds them. The
 * first is held while a process reads the file or runs a program. The second is shared by the
 * shepherds whose tasks have not ended. The first shepherd runs the prolog while the others wait;
 * the last one runs the epilog. If the last shepherd is killed, the file remains, and the launcher
 * runs the epilog (job_sweep).
 *
 * So each prolog that was started is followed by one epilog, even if the prolog failed, unless the
 * machine restarts first.
 */
#pragma once

#include "agent/place.h"
#include "armd/hooks/hook.h"
#include "armd/spool/spool.h"

/* The hooks section of the node's own armada.conf. */
struct hooks {
	struct hook health_check, prolog, epilog, task_prolog, task_epilog;
	int64_t health_interval_us;
	bool prolog_drains, epilog_drains; /* drain the node when it fails */
};

/* The membership of one shepherd in its job. fd -1: none. */
struct job_part {
	int fd;
	char name[64];
	const struct spool *spool;
	const struct hooks *hooks;
	struct hook_env *env;
};

/*
 * Called before the task is set up. Returns 0 when the prolog has succeeded; may wait for it. Takes
 * env. gpus: those of the task.
 */
int job_enter(const struct spool *s, const struct hooks *h, const struct task_key *key,
	      const uint64_t gpus[PLACE_GPUS / 64], struct hook_env *env, struct job_part *ret_part,
	      struct err *err);
/* Called after the end of the task. An error means that the epilog ran and failed. */
int job_leave(struct job_part *p, struct err *err);
/*
 * Run the epilogs of jobs whose shepherds are all dead. An error: an epilog failed, and will be
 * tried again.
 */
int job_sweep(const struct spool *s, const struct hooks *h, struct err *err);
