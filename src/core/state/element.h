/*
 * Elements of jobs and their tasks. state.h says when they exist and what is always true of them.
 */
#pragma once

#include "core/state/link.h"
#include "core/state/slot.h"
#include "proto/msg.h"
#include "proto/order.h"
#include "proto/usage.h"
#include "util/rangeset.h"

#include <stdbool.h>
#include <stdint.h>

struct element;
struct extras;
struct job;
struct node;
struct state;
struct task_replacement;

enum task_state { TASK_LEASED = 0, TASK_STARTED = 1, TASK_ENDED = 2 };

struct task {
	LINK(element) element;
	LINK(node) node;
	LINK_IN_LIST(task) on_node;
	/* attempt: of this task; the element has the highest of its tasks */
	uint32_t rank, attempt;
	uint32_t failures; /* how often this task alone was replaced */
	uint16_t group;    /* index of the task group in the spec */
	uint8_t state;     /* enum task_state */
	uint8_t cause;     /* enum EndCause once ended */
	int32_t exit_code, exit_signal;
	int64_t start_us, end_us;
	uint64_t seq; /* sequence of the record that leased the task */
	/* Set while the ended task waits for a new node; NULL: it does not. */
	LINK(task_replacement) replacement;
	uint32_t extra; /* extra.h: 1 + its number; 0: it is no extra task */
	bool leaving;   /* an extra task that is taken back: its room belongs to others */
	bool vacant;    /* an extra task that has ended and waits for a node */
	bool owed;      /* vacant after a failure: the element does not end without it */
	char *text;     /* reason of the end; NULL: none */
	struct task_usage usage;
};

struct element {
	LINK(job) job;
	struct slot slot;
	uint32_t index;
	uint32_t attempt; /* the last attempt number used */
	const uint8_t
		state; /* enum JobState; PENDING when it waits again; state_machine.h changes it */
	uint8_t why;   /* enum EndReason while COMPLETING */
	uint32_t task_count;
	LINK(task) tasks;
	uint64_t seq;          /* sequence of the record that leased the element */
	uint32_t replacements; /* tasks that wait for a new node */
	LINK(extras) extras;   /* extra.h; NULL: it is not elastic */
	uint64_t hosts_seq;    /* the record with which a task joined or left last; 0: none */
	uint32_t steps;        /* steps of this attempt may have numbers below this one */
	/* Used by attempts of its tasks that were replaced or taken back, and run again since then. */
	struct task_usage earlier;
	/* The lease is pending: no task was ever ordered, and other tasks still hold its room. */
	bool lease_pending;
	/* Preempted: its room already belongs to other elements, though its tasks may still run. */
	bool yields;
	bool begun; /* all its tasks have started once, in this or an earlier attempt */
	/* Lease of its tasks. LEASE_NONE: no end; 0: as armada.conf says (old logs). */
	int64_t lease_ms;
	int64_t limit_s;   /* its time limit if it was lowered for the start; 0: that of the job */
	uint32_t failures; /* failed attempts, counted against max_requeues */
	uint64_t settings_seq; /* the record that suspended or resumed it last; 0: none */
	bool suspended;
	int64_t start_us;
	char *text; /* why it is being ended, or was last requeued; NULL: none */
	/* how the attempt before the current lease ended, or the last one if it waits; or NULL */
	char *before;
	/* Why it is being ended: the user whose request it is, and the element that gets its room. */
	char *by; /* NULL: no request */
	uint64_t for_job;
	uint32_t for_element;
	char *for_queue;     /* the queue of that element; NULL: not known */
	int64_t requeued_us; /* when the previous attempt ended, or the pause after it; 0: never */
	uint32_t restarts;   /* after failures of the job's own */
	int64_t not_before_us; /* while it waits: the end of its pause; 0: none */
	LINK_IN_LIST(element) paused;
};

struct array_ends {
	/* number of elements by terminal state */
	uint64_t count[ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY + 1];
	/* the elements that did not COMPLETE */
	struct rangeset bad;
};

enum { LEASE_NONE = -1 };

/* NULL: the element has no struct. */
LINK(element) element_find(const struct job *j, uint32_t index);
/* True if the element waits for the end of its pause before a restart. */
static inline bool element_is_paused(const struct job *j, uint32_t index)
{
	const struct element *e = element_find(j, index);

	return e && e->not_before_us;
}
/* The task of exactly this attempt; NULL: none. */
LINK(task) task_find(const struct state *state, const Armada__TaskKey *key);
struct task_key task_key_of(const struct task *t);
/* The key of an attempt of the task, in the arena. */
Armada__TaskKey *task_key_message(const struct task *t, uint32_t attempt, struct arena *a);
/* The resources that the task requests. */
const struct resources *task_request(const struct task *t);
/*
 * The number of the settings that the task must obey: that of the last change since its launch, of
 * its job or of its element. 0: those of the launch order.
 */
uint64_t task_settings(const struct task *t);
/* The time limit of the element; 0 or below: none. spec: of its job. */
static inline int64_t element_limit_s(const struct element *e, const Armada__JobSpec *spec)
{
	return e->limit_s ? e->limit_s : spec->time_limit_s;
}
/* The state as listings show it: SUSPENDED for a RUNNING element with frozen processes. */
int element_shown_state(const struct element *e);
/* True if the task runs steps only, because the first task of its group alone runs the program. */
bool task_stands_by(const struct task *t);
/* True if the task runs, and is not being taken back. */
static inline bool task_takes_steps(const struct task *t)
{
	return t->state == TASK_STARTED && !t->leaving;
}
bool state_is_terminal(int state);
