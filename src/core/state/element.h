/*
 * Elements of jobs and their tasks, as state.h says when they exist and what is always true of them.
 */
#pragma once

#include "core/state/link.h"
#include "core/state/slot.h"
#include "proto/msg.h"
#include "proto/order.h"
#include "util/rangeset.h"

#include <stdbool.h>
#include <stdint.h>

struct element;
struct job;
struct node;
struct state;
struct task_replacement;

enum task_state { TASK_LEASED = 0, TASK_STARTED = 1, TASK_ENDED = 2 };

struct task {
	LINK(element) element;
	LINK(node) node;
	LINK_IN_LIST(task) on_node;
	uint32_t rank, attempt; /* attempt: of its own; the element's is the highest of them */
	uint32_t failures;      /* how often it was started anew, alone */
	uint16_t group;         /* of the spec's */
	uint8_t state;          /* enum task_state */
	uint8_t cause;          /* enum EndCause once ended */
	int32_t exit_code, exit_signal;
	int64_t start_us, end_us;
	uint64_t seq; /* of the record that leased it */
	/* The task has ended, and waits for a node again; NULL: it does not. */
	LINK(task_replacement) replacement;
	char *text; /* of the end; NULL */
	int64_t cpu_us, max_rss, read_bytes, written_bytes;
};

struct element {
	LINK(job) job;
	struct slot slot;
	uint32_t index;
	uint32_t attempt; /* the last number used */
	const uint8_t
		state; /* enum JobState; PENDING when it waits again: state_machine.h moves it */
	uint8_t why;   /* enum EndReason while COMPLETING */
	uint32_t task_count;
	LINK(task) tasks;
	uint64_t seq;          /* of the record that leased all of it */
	uint32_t replacements; /* tasks that wait for a node again */
	bool promised; /* leased, and none of its tasks was ever ordered: others have its room yet */
	bool yields;   /* preempted: its room belongs to others already, though its tasks may run */
	bool begun;    /* all its tasks have started once, in this attempt or in another */
	int64_t lease_ms;  /* of its tasks; LEASE_NONE: no end; 0: as armada.conf says (old logs) */
	uint32_t failures; /* attempts that ended by nobody's decision */
	int64_t start_us;
	char *text;   /* why it is being ended, or last requeued; NULL */
	char *before; /* how the attempt before the last lease ended, or before it waits; NULL */
};

struct array_ends {
	uint64_t count[ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY + 1]; /* elements, by terminal state */
	struct rangeset bad;                                      /* those that did not COMPLETE */
};

enum { LEASE_NONE = -1 };

/* NULL: it has no struct. */
LINK(element) element_find(const struct job *j, uint32_t index);
/* The task of this very attempt; NULL: there is none. */
LINK(task) task_find(const struct state *state, const Armada__TaskKey *key);
struct task_key task_key_of(const struct task *t);
/* The key of an attempt of the task, in the arena. */
Armada__TaskKey *task_key_message(const struct task *t, uint32_t attempt, struct arena *a);
/* What one task asks for. */
const struct resources *task_request(const struct task *t);
bool state_is_terminal(int state);
