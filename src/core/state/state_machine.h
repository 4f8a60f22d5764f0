/*
 * The states of an element as a complete table: state x event -> next state, or not allowed.
 *
 * A PENDING element waits. A lease makes it CONFIGURING. When every task has started it is RUNNING.
 * While its tasks are being killed it is COMPLETING. When one of its nodes is silent it is UNKNOWN.
 * In each of these states, the end of its last task either concludes it (a terminal state,
 * permanent) or requeues it.
 *
 * A lease is pending while other tasks still hold its room: the element is CONFIGURING, but no
 * order leaves until the lease is released. Until then it can be withdrawn or cancelled without a
 * proof that its tasks have ended.
 */
#pragma once

#include "core/state/element.h"

enum element_event {
	EV_LEASE,       /* a scheduling decision, validated */
	EV_RELEASE,     /* a pending lease has its room: the orders leave */
	EV_WITHDRAW,    /* a pending lease is taken back: nothing was ordered */
	EV_ALL_STARTED, /* the last of its tasks has started */
	/*
	 * Cancel, preempt, failure of a sibling, and so on, while the element has tasks. An element
	 * that is already being ended can still be cancelled. This decides whether it is requeued
	 * afterwards.
	 */
	EV_END_ORDERED,
	EV_NODE_SILENT,
	/* to the state that follows from its tasks: COMPLETING, RUNNING or CONFIGURING */
	EV_NODE_BACK,
	EV_REPLACE, /* a failed task is replaced elsewhere: the other tasks continue */
	/* tasks were replaced or left out: the state that follows from the present ones */
	EV_RECOUNT,
	EV_REQUEUE,  /* all tasks ended, and the element may run again */
	EV_CONCLUDE, /* all tasks ended, or it never ran: any terminal state */
	EV_COUNT,
};

enum { STATE_COUNT = ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY + 1, NEXT_NONE = -1, NEXT_ANY = -2 };

/*
 * The state after ev. NEXT_NONE: the state forbids ev. NEXT_ANY: the event itself carries the next
 * state (NODE_BACK, RECOUNT, CONCLUDE).
 */
int machine_next(int state, enum element_event ev);

#ifdef STATE_WRITES
/*
 * Move the element; no other function writes its state. to: the next state where the event carries
 * it (NEXT_ANY), else ignored. False: the state forbids ev, and the element has not changed.
 */
bool machine_step(struct element *e, enum element_event ev, int to);
/* Set the state in which an element is made or restored. */
void machine_begin(struct element *e, int state);
#endif

/*
 * The states of a node. An UP node takes jobs. A node that was drained takes none and stays DRAINED
 * until it is resumed, whatever else happens to it (shown as DRAINING while tasks run there). An
 * UNKNOWN node is silent, and the fate of its tasks is not known. A DOWN node is known to be
 * absent: confirmed dead, never seen since it was made known, or reported to be shutting down. A
 * node that was shutting down and has tasks whose end it never reported becomes UNKNOWN when it is
 * silent.
 */
enum node_event {
	NODE_EV_DRAIN,  /* by an administrator or the controller, with a reason */
	NODE_EV_RESUME, /* by an administrator or the controller */
	NODE_EV_SILENT, /* no heartbeat for node_timeout */
	NODE_EV_BACK,   /* it registered */
	NODE_EV_DEAD,   /* confirmed dead by an administrator, or fenced */
	NODE_EV_LEAVE,  /* it reports that its machine is being shut down */
	NODE_EV_COUNT,
};

enum { NODE_STATE_COUNT = ARMADA__NODE_STATE__NODE_UNKNOWN + 1 };

/* The state after ev, possibly the same; NEXT_NONE for a value that is not a state of a node. */
int node_next(int state, enum node_event ev);
