/*
 * The state of one shepherd, which all files of this folder share.
 *
 * It lives on the stack of the shepherd's own process, from the fork to the exit record. The body
 * is decoded first (setup.c). All files may rely on it except end.c, which also writes the record
 * of a task whose body could not be decoded.
 */
#pragma once

#include "armd/shepherd/shepherd.h"
#include "armd/shepherd/phase.h"
#include "armd/task/task.h"

#include <unistd.h>

struct child_step;

/* When to look whether the kernel killed for lack of memory, after it notified. Zero: it did not notify. */
struct oom_look {
	int64_t until_us, next_us; /* of CLOCK_BOOTTIME */
	int64_t pause_us;
};

struct shepherd {
	const struct shepherd_task *task;
	struct arena *arena;
	Armada__TaskBody *body;
	void *contain; /* handle; NULL: not prepared */
	char *script;  /* its path; NULL: no script */
	int signals;   /* signalfd of SIGCHLD and SIGTERM */
	/* timerfd of CLOCK_BOOTTIME, which advances while the machine sleeps; -1: none */
	int timer;
	int report; /* pipe with the child's report before its exec; -1 after the report */
	/* a byte written here lets the child run its program; -1: the child does not wait */
	int gate;

	enum shepherd_phase phase;
	pid_t pid;
	bool reaped;
	int status;       /* of wait, once reaped */
	struct err why;   /* not empty: the launch failed */
	int64_t start_us; /* wall clock; 0: it has not run */
	int64_t end_us;   /* wall clock; 0: it has not ended */

	/* CLOCK_BOOTTIME; 0: not set */
	int64_t begun_us; /* when its time limit started */
	int64_t next_kill_us;
	int64_t grace_us;
	/* first SIGKILL; time of the next report that the task survives it */
	int64_t killing_us, stuck_us;
	int64_t lease_end_us; /* as of the last check */

	/* of the next sample of its usage; the pause after it */
	int64_t usage_due_us, usage_pause_us;

	uint32_t cause;   /* the cause of the stop in effect; 0: none */
	const char *text; /* the text of its end; NULL: the cause is enough */
	/* the number of the settings that it obeys; 0: those of the launch order */
	uint64_t settings;
	bool suspended;     /* its processes are frozen */
	uint8_t *new_hosts; /* the list of hosts in the body if settings replaced it; else NULL */
	const char
		*told; /* for the owner of the task, by the kill order or its end; NULL: nothing */
	bool warned;   /* the job's own signal before its limit was sent, or will not be */
	/* the signal of SHEPHERD_SEND, and whether it goes to the first process only */
	int sending;
	bool to_first;
	struct oom_look oom;

	bool blame_node;          /* why is a failure of the node */
	const char *node_problem; /* the node is drained with this reason; NULL: it is healthy */
	struct job_part job;      /* zero: it has no prolog or epilog */

	/* The cpus that the task is bound to, by the kernel's numbers. */
	bool is_bound;
	uint64_t bound[PLACE_CPUS / 64];
	uint32_t
		node_tasks; /* the task has the limits of so many tasks (node_tasks.c); 0: its own */
	struct child_step *steps; /* steps.h */
	size_t step_count, step_cap;
	int64_t steps_due_us; /* of CLOCK_BOOTTIME: when to tell of them again; 0: no need */
	/* Variables that the waiting child takes at the gate: NUL-terminated NAME=value. */
	const char *late_env;
	size_t late_env_len;
};

static inline bool shepherd_privileged(void)
{
	return geteuid() == 0;
}

static inline bool shepherd_is_gated(const struct shepherd *s)
{
	return s->body->gated || s->body->standby;
}
