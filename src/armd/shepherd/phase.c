/*
 * The transition table of a shepherd's phases (phase.h). Input: a phase and an event. Output: the
 * next phase and the effects. The table is total: each pair of phase and event has an entry, and a
 * test checks all of them.
 */
#include "armd/shepherd/phase.h"

#define TO(phase_, effects_)                                                                       \
	{                                                                                          \
		.next = SHEPHERD_##phase_, .effects = (effects_)                                   \
	}

struct transition {
	enum shepherd_phase next;
	unsigned effects;
};

enum { NOTE = SHEPHERD_NOTE_START, TERM = SHEPHERD_TERM, KILL = SHEPHERD_KILL };
enum { CAUSE = SHEPHERD_TAKE_CAUSE, REST = SHEPHERD_TERM_REST };
enum { SEND = SHEPHERD_SEND, STUCK = SHEPHERD_REPORT_STUCK, READY = SHEPHERD_NOTE_READY };
enum { OPEN = SHEPHERD_OPEN_GATE, STEP = SHEPHERD_RUN_STEP };

/* clang-format off */
static const struct transition table[SHEPHERD_PHASES][SHEPHERD_EVENTS] = {
	/* No signal is sent: the child is not the user's program yet. */
	[SHEPHERD_LAUNCHING] = {
		[SHEPHERD_EV_READY]       = TO(WAITING, READY),
		[SHEPHERD_EV_RELEASE]     = TO(LAUNCHING, 0),
		[SHEPHERD_EV_RUNS]        = TO(RUNNING, NOTE),
		[SHEPHERD_EV_FIRST_ENDED] = TO(FINISHING, TERM),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(ENDING, TERM | CAUSE),
		[SHEPHERD_EV_GRACE_OVER]  = TO(LAUNCHING, 0),
		[SHEPHERD_EV_WARN]        = TO(LAUNCHING, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(LAUNCHING, 0),
		[SHEPHERD_EV_STUCK]       = TO(LAUNCHING, 0),
		[SHEPHERD_EV_STEP]        = TO(LAUNCHING, 0),
	},
	[SHEPHERD_WAITING] = {
		[SHEPHERD_EV_READY]       = TO(WAITING, 0),
		[SHEPHERD_EV_RELEASE]     = TO(RELEASED, OPEN),
		[SHEPHERD_EV_RUNS]        = TO(WAITING, 0),
		[SHEPHERD_EV_FIRST_ENDED] = TO(FINISHING, TERM),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(ENDING, TERM | CAUSE),
		[SHEPHERD_EV_GRACE_OVER]  = TO(WAITING, 0),
		[SHEPHERD_EV_WARN]        = TO(WAITING, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(WAITING, 0),
		[SHEPHERD_EV_STUCK]       = TO(WAITING, 0),
		[SHEPHERD_EV_STEP]        = TO(WAITING, 0),
	},
	[SHEPHERD_RELEASED] = {
		[SHEPHERD_EV_READY]       = TO(RELEASED, 0),
		[SHEPHERD_EV_RELEASE]     = TO(RELEASED, 0),
		[SHEPHERD_EV_RUNS]        = TO(RUNNING, NOTE),
		[SHEPHERD_EV_FIRST_ENDED] = TO(FINISHING, TERM),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(ENDING, TERM | CAUSE),
		[SHEPHERD_EV_GRACE_OVER]  = TO(RELEASED, 0),
		[SHEPHERD_EV_WARN]        = TO(RELEASED, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(RELEASED, 0),
		[SHEPHERD_EV_STUCK]       = TO(RELEASED, 0),
		[SHEPHERD_EV_STEP]        = TO(RELEASED, 0),
	},
	[SHEPHERD_RUNNING] = {
		[SHEPHERD_EV_READY]       = TO(RUNNING, 0),
		[SHEPHERD_EV_RELEASE]     = TO(RUNNING, 0),
		[SHEPHERD_EV_RUNS]        = TO(RUNNING, 0),
		[SHEPHERD_EV_FIRST_ENDED] = TO(FINISHING, TERM),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(ENDING, TERM | CAUSE),
		[SHEPHERD_EV_GRACE_OVER]  = TO(RUNNING, 0),
		[SHEPHERD_EV_WARN]        = TO(RUNNING, SEND),
		[SHEPHERD_EV_SIGNAL]      = TO(RUNNING, SEND),
		[SHEPHERD_EV_STUCK]       = TO(RUNNING, 0),
		[SHEPHERD_EV_STEP]        = TO(RUNNING, STEP),
	},
	/* The task has ended by itself: a kill order does not change its end. */
	[SHEPHERD_FINISHING] = {
		[SHEPHERD_EV_READY]       = TO(FINISHING, 0),
		[SHEPHERD_EV_RELEASE]     = TO(FINISHING, 0),
		[SHEPHERD_EV_RUNS]        = TO(FINISHING, NOTE),
		[SHEPHERD_EV_FIRST_ENDED] = TO(FINISHING, 0),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(FINISHING, 0),
		[SHEPHERD_EV_GRACE_OVER]  = TO(KILLING, KILL),
		[SHEPHERD_EV_WARN]        = TO(FINISHING, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(FINISHING, SEND),
		[SHEPHERD_EV_STUCK]       = TO(FINISHING, 0),
		[SHEPHERD_EV_STEP]        = TO(FINISHING, 0),
	},
	/* A task that reaches the gate now has run no program, so it needs no grace period. */
	[SHEPHERD_ENDING] = {
		[SHEPHERD_EV_READY]       = TO(KILLING, KILL),
		[SHEPHERD_EV_RELEASE]     = TO(ENDING, 0),
		[SHEPHERD_EV_RUNS]        = TO(ENDING, NOTE),
		[SHEPHERD_EV_FIRST_ENDED] = TO(ENDING, REST),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(ENDING, 0),
		[SHEPHERD_EV_GRACE_OVER]  = TO(KILLING, KILL),
		[SHEPHERD_EV_WARN]        = TO(ENDING, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(ENDING, SEND),
		[SHEPHERD_EV_STUCK]       = TO(ENDING, 0),
		[SHEPHERD_EV_STEP]        = TO(ENDING, 0),
	},
	[SHEPHERD_KILLING] = {
		[SHEPHERD_EV_READY]       = TO(KILLING, 0),
		[SHEPHERD_EV_RELEASE]     = TO(KILLING, 0),
		[SHEPHERD_EV_RUNS]        = TO(KILLING, NOTE),
		[SHEPHERD_EV_FIRST_ENDED] = TO(KILLING, 0),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(KILLING, 0),
		[SHEPHERD_EV_GRACE_OVER]  = TO(KILLING, KILL),
		[SHEPHERD_EV_WARN]        = TO(KILLING, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(KILLING, 0),
		[SHEPHERD_EV_STUCK]       = TO(KILLING, STUCK),
		[SHEPHERD_EV_STEP]        = TO(KILLING, 0),
	},
	[SHEPHERD_DONE] = {
		[SHEPHERD_EV_READY]       = TO(DONE, 0),
		[SHEPHERD_EV_RELEASE]     = TO(DONE, 0),
		[SHEPHERD_EV_RUNS]        = TO(DONE, 0),
		[SHEPHERD_EV_FIRST_ENDED] = TO(DONE, 0),
		[SHEPHERD_EV_EMPTY]       = TO(DONE, 0),
		[SHEPHERD_EV_STOP]        = TO(DONE, 0),
		[SHEPHERD_EV_GRACE_OVER]  = TO(DONE, 0),
		[SHEPHERD_EV_WARN]        = TO(DONE, 0),
		[SHEPHERD_EV_SIGNAL]      = TO(DONE, 0),
		[SHEPHERD_EV_STUCK]       = TO(DONE, 0),
		[SHEPHERD_EV_STEP]        = TO(DONE, 0),
	},
};
/* clang-format on */

enum shepherd_phase shepherd_phase_step(enum shepherd_phase phase, enum shepherd_event event,
					unsigned *ret_effects)
{
	const struct transition *t = &table[phase][event];

	*ret_effects = t->effects;
	return t->next;
}
