/*
 * The life of an element as a total table: state x event -> next state, or not allowed.
 *
 * PENDING waits. A lease makes it CONFIGURING; when every task has started it is RUNNING; while its
 * tasks are being killed it is COMPLETING; when one of its nodes is silent it is UNKNOWN. From each
 * of these the end of its last task either concludes it (a terminal state, for ever) or requeues it.
 *
 * A lease whose room others still have is promised: CONFIGURING, but nothing of it leaves until it
 * is released, and until then it can be withdrawn or cancelled without proof of any death.
 */
#pragma once

#include "core/state/element.h"

enum element_event {
	EV_LEASE,       /* a scheduling decision, validated */
	EV_RELEASE,     /* a promised lease has its room: the orders leave */
	EV_WITHDRAW,    /* a promised lease is taken back: nothing of it was ordered */
	EV_ALL_STARTED, /* the last of its tasks has started */
	/*
	 * Cancel, preempt, a sibling failed, ... while it has tasks. What is being ended already
	 * can still be cancelled, which decides where it goes from there.
	 */
	EV_END_ORDERED,
	EV_NODE_SILENT,
	EV_NODE_BACK, /* to the state its tasks say: next is COMPLETING, RUNNING or CONFIGURING */
	EV_REPLACE,   /* a task of it has failed and is started anew elsewhere: the rest goes on */
	EV_RECOUNT,   /* tasks were replaced or left out: the state that those it has now say */
	EV_REQUEUE,   /* all tasks ended, and it may run again */
	EV_CONCLUDE,  /* all tasks ended, or it never ran: any terminal state */
	EV_COUNT,
};

enum { STATE_COUNT = ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY + 1, NEXT_NONE = -1, NEXT_ANY = -2 };

/*
 * The state after ev, NEXT_NONE when the state forbids it, NEXT_ANY when the event itself says
 * which (NODE_BACK, RECOUNT, CONCLUDE).
 */
int machine_next(int state, enum element_event ev);

#ifdef STATE_WRITES
/*
 * Moves the element: nothing else writes its state. to: where the event itself says which (NEXT_ANY),
 * else it is not looked at. False: the state forbids it, and the element has not changed.
 */
bool machine_step(struct element *e, enum element_event ev, int to);
/* The state that an element is made in, or restored in. */
void machine_begin(struct element *e, int state);
#endif

/*
 * The life of a node. UP takes jobs. One that somebody drained takes none and is DRAINED until it is
 * resumed, wherever it has been meanwhile (shown as DRAINING while tasks run there). UNKNOWN is
 * silent: nobody knows what became of what ran there. DOWN is known not to be there: confirmed dead,
 * never seen since it was made known, or said to be going down; one that was going down and has tasks of
 * which it never said how they ended is UNKNOWN when it is silent.
 */
enum node_event {
	NODE_EV_DRAIN,  /* by somebody, with a reason */
	NODE_EV_RESUME, /* by somebody */
	NODE_EV_SILENT, /* no heartbeat for node_timeout */
	NODE_EV_BACK,   /* it registered */
	NODE_EV_DEAD,   /* confirmed so by somebody, or fenced */
	NODE_EV_LEAVE,  /* it says that its machine is being shut down */
	NODE_EV_COUNT,
};

enum { NODE_STATE_COUNT = ARMADA__NODE_STATE__NODE_UNKNOWN + 1 };

/* The state after ev, which may be the same; NEXT_NONE for what is no state of a node. */
int node_next(int state, enum node_event ev);
