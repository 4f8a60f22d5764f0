/*
 * The life of an element as a total table: state x event -> next state, or not allowed.
 *
 * PENDING waits. A lease makes it CONFIGURING; when every task has started it is RUNNING; while its
 * tasks are being killed it is COMPLETING; when one of its nodes is silent it is UNKNOWN. From each
 * of these the end of its last task either concludes it (a terminal state, for ever) or requeues it.
 */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include "core/world.h"

enum element_event {
	EV_LEASE,       /* a scheduling decision, validated */
	EV_ALL_STARTED, /* the last of its tasks has started */
	EV_END_ORDERED, /* cancel, preempt, a sibling failed, ... while it has tasks */
	EV_NODE_SILENT,
	EV_NODE_BACK, /* to the state its tasks say: next is COMPLETING, RUNNING or CONFIGURING */
	EV_REQUEUE,   /* all tasks ended, and it may run again */
	EV_CONCLUDE,  /* all tasks ended, or it never ran: any terminal state */
	EV_COUNT,
};

enum { STATE_COUNT = ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY + 1, NEXT_NONE = -1, NEXT_ANY = -2 };

/*
 * The state after ev, NEXT_NONE when the state forbids it, NEXT_ANY when the event itself says
 * which (NODE_BACK, CONCLUDE).
 */
int machine_next(int state, enum element_event ev);

#endif
