/*
 * The phases of a shepherd as a total transition table; shepherd.h draws it.
 */
#pragma once

enum shepherd_phase {
	SHEPHERD_LAUNCHING,
	SHEPHERD_WAITING,  /* gated: the task is set up, and the child waits before its exec */
	SHEPHERD_RELEASED, /* released, but its program has not been seen to run */
	SHEPHERD_RUNNING,
	SHEPHERD_FINISHING,
	SHEPHERD_ENDING,
	SHEPHERD_KILLING,
	SHEPHERD_DONE,
	SHEPHERD_PHASES,
};

enum shepherd_event {
	SHEPHERD_EV_READY,       /* the child waits at the gate */
	SHEPHERD_EV_RELEASE,     /* the child may run its program */
	SHEPHERD_EV_RUNS,        /* the program was exec'd */
	SHEPHERD_EV_FIRST_ENDED, /* the first process has ended; others of the task remain */
	SHEPHERD_EV_EMPTY,       /* no process of the task is left */
	SHEPHERD_EV_STOP,        /* kill order, time limit, lease end, the machine goes down */
	SHEPHERD_EV_GRACE_OVER,
	SHEPHERD_EV_WARN,   /* time to send the job's own signal before its time limit */
	SHEPHERD_EV_SIGNAL, /* a signal was ordered */
	SHEPHERD_EV_STUCK,  /* the task has survived SIGKILL for long */
	SHEPHERD_EV_STEP,   /* an arun step is to be run in the task */
	SHEPHERD_EVENTS,
};

/* What must follow. */
enum {
	SHEPHERD_NOTE_START = 1, /* record it in the spool and notify the launcher */
	SHEPHERD_TERM = 2,       /* send SIGTERM as the job requests, start the grace period */
	SHEPHERD_KILL = 4,       /* send SIGKILL to all processes until none is left */
	SHEPHERD_TAKE_CAUSE = 8, /* the end carries the cause of the stop */
	/* send SIGTERM to the processes that did not get it with the first one */
	SHEPHERD_TERM_REST = 16,
	SHEPHERD_SEND = 32,         /* send a signal that does not end the task */
	SHEPHERD_REPORT_STUCK = 64, /* notify the launcher that the task survives SIGKILL */
	SHEPHERD_NOTE_READY = 128,  /* the same */
	SHEPHERD_OPEN_GATE = 256,   /* let the child run its program; its time limit starts */
	SHEPHERD_RUN_STEP = 512,
};

/* Returns the next phase. */
enum shepherd_phase shepherd_phase_step(enum shepherd_phase phase, enum shepherd_event event,
					unsigned *ret_effects);
