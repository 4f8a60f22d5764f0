/*
 * The phases of a shepherd as a total table (phase.c); shepherd.h draws it.
 */
#pragma once

enum shepherd_phase {
	SHEPHERD_LAUNCHING,
	SHEPHERD_WAITING,  /* gated: all is set up, the child waits before its exec */
	SHEPHERD_RELEASED, /* it waits no more, its program was not seen to run yet */
	SHEPHERD_RUNNING,
	SHEPHERD_FINISHING,
	SHEPHERD_ENDING,
	SHEPHERD_KILLING,
	SHEPHERD_DONE,
	SHEPHERD_PHASES,
};

enum shepherd_event {
	SHEPHERD_EV_READY,       /* the child waits at the gate */
	SHEPHERD_EV_RELEASE,     /* it need not any more */
	SHEPHERD_EV_RUNS,        /* the program was exec'd */
	SHEPHERD_EV_FIRST_ENDED, /* and processes of the task are left */
	SHEPHERD_EV_EMPTY,       /* nothing of the task is left */
	SHEPHERD_EV_STOP,        /* kill order, time limit, lease end, the machine goes down */
	SHEPHERD_EV_GRACE_OVER,
	SHEPHERD_EV_WARN,   /* the time for the job's own signal before its limit has come */
	SHEPHERD_EV_SIGNAL, /* a signal was ordered */
	SHEPHERD_EV_STUCK,  /* SIGKILL has been at it for long */
	SHEPHERD_EV_STEP,   /* something more is to be run in the task */
	SHEPHERD_EVENTS,
};

/* What must follow. */
enum {
	SHEPHERD_NOTE_START = 1,    /* in the spool, and to the launcher */
	SHEPHERD_TERM = 2,          /* SIGTERM as the job wants it, the grace period begins */
	SHEPHERD_KILL = 4,          /* SIGKILL to all, until none is left */
	SHEPHERD_TAKE_CAUSE = 8,    /* the end carries the cause of the stop */
	SHEPHERD_TERM_REST = 16,    /* SIGTERM to those who were spared it for the first process */
	SHEPHERD_SEND = 32,         /* the signal, which is not meant to be the end */
	SHEPHERD_REPORT_STUCK = 64, /* to the launcher */
	SHEPHERD_NOTE_READY = 128,  /* in the spool, and to the launcher */
	SHEPHERD_OPEN_GATE = 256,   /* the child runs its program, and its time begins */
	SHEPHERD_RUN_STEP = 512,
};

/* Returns the next phase. */
enum shepherd_phase shepherd_phase_step(enum shepherd_phase phase, enum shepherd_event event,
					unsigned *ret_effects);
