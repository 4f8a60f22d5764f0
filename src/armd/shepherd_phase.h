/*
 * The phases of a shepherd as a total table (shepherd_phase.c); shepherd.h draws it.
 */
#ifndef ARMD_SHEPHERD_PHASE_H
#define ARMD_SHEPHERD_PHASE_H

enum shepherd_phase {
	SHEPHERD_LAUNCHING,
	SHEPHERD_RUNNING,
	SHEPHERD_FINISHING,
	SHEPHERD_ENDING,
	SHEPHERD_KILLING,
	SHEPHERD_DONE,
	SHEPHERD_PHASES,
};

enum shepherd_event {
	SHEPHERD_EV_RUNS,        /* the program was exec'd */
	SHEPHERD_EV_FIRST_ENDED, /* and processes of the task are left */
	SHEPHERD_EV_EMPTY,       /* nothing of the task is left */
	SHEPHERD_EV_STOP,        /* kill order, time limit, lease end */
	SHEPHERD_EV_GRACE_OVER,
	SHEPHERD_EVENTS,
};

/* What must follow. */
enum {
	SHEPHERD_NOTE_START = 1, /* in the spool, and to the launcher */
	SHEPHERD_TERM = 2,       /* SIGTERM to all, the grace period begins */
	SHEPHERD_KILL = 4,       /* SIGKILL to all, until none is left */
	SHEPHERD_TAKE_CAUSE = 8, /* the end carries the cause of the stop */
};

/* Returns the next phase. */
enum shepherd_phase shepherd_step(enum shepherd_phase phase, enum shepherd_event event,
				  unsigned *ret_effects);

#endif
