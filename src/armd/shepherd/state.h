/*
 * The state of one shepherd, which all files of this folder share.
 *
 * It lives on the stack of the shepherd's own process, from the fork to the exit record. The body is decoded
 * first (setup.c); every other file may rely on it but end.c, which also writes the record of a body that
 * could not be read.
 */
#pragma once

#include "armd/shepherd/shepherd.h"
#include "armd/shepherd/phase.h"
#include "armd/task/task.h"

#include <unistd.h>

struct shepherd {
	const struct shepherd_task *task;
	struct arena *arena;
	Armada__TaskBody *body;
	void *contain; /* handle; NULL: not prepared */
	char *script;  /* its path; NULL: none was made */
	int signals;   /* signalfd of SIGCHLD and SIGTERM */
	int timer;     /* of CLOCK_BOOTTIME, which goes on while the machine sleeps; -1: none */
	int report;    /* what the child says before its exec; -1 once it has said it */
	int gate; /* a byte here lets the child run its program; -1: it does not wait for one */

	enum shepherd_phase phase;
	pid_t pid;
	bool reaped;
	int status;       /* of wait, once reaped */
	struct err why;   /* not empty: the launch failed */
	int64_t start_us; /* wall clock; 0: never ran */
	int64_t end_us;   /* likewise; 0: it has not ended */

	/* CLOCK_BOOTTIME; 0: not set */
	int64_t begun_us; /* of its time limit */
	int64_t next_kill_us;
	int64_t grace_us;
	int64_t killing_us, stuck_us; /* since when SIGKILL is at it; when that is told (again) */
	int64_t lease_end_us;         /* when we last looked */

	uint32_t cause;   /* of the stop that was obeyed; 0: none */
	const char *text; /* for the words of its end; NULL: the cause says it all */
	bool warned;      /* the job's own signal before its limit was sent, or will not be */
	int sending;      /* the signal of SHEPHERD_SEND, and for whom */
	bool to_first;
	unsigned oom_checks; /* how often to look yet whether the kernel killed for memory */

	bool blame_node;          /* for why: it would go well elsewhere */
	const char *node_problem; /* the node is to be drained with these words; NULL: it is well */
	struct job_part job;      /* zero: it has no prolog or epilog */

	/* Where it is bound to, by the kernel's numbers; lists: NULL when it is not. */
	bool is_bound;
	uint64_t bound[PLACE_CPUS / 64];
	const char *cpu_list, *memory_list;
};

static inline bool shepherd_privileged(void)
{
	return geteuid() == 0;
}

static inline bool shepherd_is_gated(const struct shepherd *s)
{
	return s->body->gated || s->body->standby;
}
