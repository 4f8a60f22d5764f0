/* What the files of the shepherd share: one struct, and who does what with it. */
#ifndef ARMD_SHEPHERD_BODY_H
#define ARMD_SHEPHERD_BODY_H

#include "armd/shepherd.h"
#include "armd/shepherd_phase.h"
#include "armd/task.h"

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
	unsigned memory_looks; /* how often to look yet whether the kernel killed for memory */

	bool blame_node;          /* for why: it would go well elsewhere */
	const char *node_problem; /* the node is to be drained with these words; NULL: it is well */
	struct job_part job;      /* zero: it has no prolog or epilog */

	/* Where it is bound to, by the kernel's numbers; lists: NULL when it is not. */
	bool is_bound;
	uint64_t bound[PLACE_CPUS / 64];
	const char *cpu_list, *memory_list;
};

/* shepherd_setup.c: everything up to the fork, and the fork. 0, or an error with why set. */
int shepherd_launch(struct shepherd *s);

/*
 * shepherd_account.c: the user as this machine knows them; what both sides give of their groups stays in
 * the body.
 */
int shepherd_account(struct shepherd *s);

/*
 * shepherd_hooks.c: the site's programs. The epilogs are run when the end is recorded; true: the node
 * is to be drained for it.
 */
int shepherd_prolog(struct shepherd *s);
/* Who was told to end before the fork does not begin. 0, or an error with why and cause set. */
int shepherd_heed(struct shepherd *s, const char *when);
int shepherd_task_prolog(struct shepherd *s);
void shepherd_task_epilog(struct shepherd *s);
bool shepherd_epilog(struct shepherd *s);

/* shepherd_hosts.c: what mpirun needs; and its files removed again. */
int shepherd_hosts(struct shepherd *s);

/* shepherd_place.c: the variables of its cpus and gpus, what it is bound to, and its limits. */
int shepherd_place(struct shepherd *s);
/* A variable of the task; it wins over what the user has, or yields to it. */
void shepherd_tell(struct shepherd *s, const char *name, const char *value);
void shepherd_suggest(struct shepherd *s, const char *name, const char *value);
void shepherd_limit(struct shepherd *s, struct armada_contain_limits *limits);

/* shepherd_limits.c: a limit that cannot be given as it is asked for is said so. */
int shepherd_limits(struct shepherd *s);
/* For the log of armd, which says the same sentence once. */
void shepherd_say(struct shepherd *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool shepherd_privileged(void);
static inline bool shepherd_is_gated(const struct shepherd *s)
{
	return s->body->gated || s->body->standby;
}

/* shepherd_fork.c: the last of those steps; 0, or an error with why set. */
int shepherd_fork(struct shepherd *s);
/* Run the io stub in the task too; payload_fd is borrowed. */
void shepherd_run_step(struct shepherd *s, int payload_fd);

/* shepherd_watch.c: stay with it until nothing is left. */
void shepherd_watch(struct shepherd *s);
/* When to begin to end the task so that nothing is left at the lease's end; 0: it has none. */
int64_t shepherd_lease_stop_us(const struct shepherd *s, int64_t *ret_grace_us);

/* shepherd_signal.c: what is sent to a task, and to which of its processes. */
void shepherd_send(struct shepherd *s, int sig, bool to_first);
void shepherd_send_term(struct shepherd *s);
/* Those who were spared it when it went to the first process alone, which is dead now. */
void shepherd_send_term_rest(struct shepherd *s);
/* SIGKILL to all, and when to look again. */
void shepherd_send_kill(struct shepherd *s);
/* CLOCK_BOOTTIME of the job's own signal before its time limit; 0: there is none (any more). */
int64_t shepherd_warn_us(const struct shepherd *s);
/* CLOCK_BOOTTIME of the time limit; 0: none. And the words of an end at it. */
int64_t shepherd_limit_us(const struct shepherd *s);
const char *shepherd_limit_text(const struct shepherd *s);

/* shepherd_contain.c: what containment is asked while the task runs. */
void shepherd_kill_all(struct shepherd *s);
/* For poll; negative: none. */
int shepherd_watch_fd(const struct shepherd *s);
/* Did the kernel kill a process for memory? told: its descriptor was readable. */
bool shepherd_out_of_memory(struct shepherd *s, bool told);
/* "oom: used 512M, the limit of its memory is 512M", in the arena. */
const char *shepherd_oom_text(const struct shepherd *s, int64_t used_bytes);

/* shepherd_place.c: how much of a resource the task has; 0: none. */
int64_t shepherd_resource(const Armada__TaskBody *b, const char *name);

/* shepherd_end.c: the exit record, and what was made for the task removed. */
void shepherd_finish(struct shepherd *s);

int64_t wall_us(void);

#endif
