/*
 * The tables of the states of elements and nodes.
 *
 * Input: a state and an event. Output: the next state, or NEXT_NONE if the state forbids the event.
 * Rows are states, columns are events, and every pair has an entry. Terminal states forbid every
 * event. machine_step() is the only function that changes the state of an element; node states are
 * changed by the fold, from the result of node_next() in the event.
 */
#include "core/state/write.h"

#include "core/state/state_machine.h"

#include <assert.h>

#define S(name) ARMADA__JOB_STATE__JOB_##name
#define NO      NEXT_NONE
#define ANY     NEXT_ANY
#define PEND    S(PENDING)
#define CONF    S(CONFIGURING)
#define RUN     S(RUNNING)
#define COMP    S(COMPLETING)
#define UNKN    S(UNKNOWN)

/* clang-format off */
static const int table[STATE_COUNT][EV_COUNT] = {
	/*                    LEASE  RELEASE  WITHDRAW  STARTED  END    SILENT  BACK   REPLACE  RECOUNT  REQUEUE  CONCLUDE */
	[S(STATE_UNSET)]   = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(PENDING)]       = {CONF, NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      ANY},
	[S(CONFIGURING)]   = {NO,   CONF,    PEND,     RUN,     COMP,  UNKN,   NO,    CONF,    ANY,     PEND,    ANY},
	[S(RUNNING)]       = {NO,   NO,      NO,       NO,      COMP,  UNKN,   NO,    RUN,     ANY,     PEND,    ANY},
	[S(COMPLETING)]    = {NO,   NO,      NO,       NO,      COMP,  UNKN,   NO,    NO,      NO,      PEND,    ANY},
	[S(UNKNOWN)]       = {NO,   NO,      NO,       NO,      COMP,  NO,     ANY,   UNKN,    NO,      PEND,    ANY},
	[S(COMPLETED)]     = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(FAILED)]        = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(CANCELLED)]     = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(TIMEOUT)]       = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(PREEMPTED)]     = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(NODE_FAIL)]     = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
	[S(OUT_OF_MEMORY)] = {NO,   NO,      NO,       NO,      NO,    NO,     NO,    NO,      NO,      NO,      NO},
};
/* clang-format on */

int machine_next(int state, enum element_event ev)
{
	assert(state >= 0 && state < STATE_COUNT && ev < EV_COUNT);
	return table[state][ev];
}

/* The member is const so that no other file can assign it. */
static void set(struct element *e, int state)
{
	*(uint8_t *)&e->state = (uint8_t)state;
}

bool machine_step(struct element *e, enum element_event ev, int to)
{
	int next = machine_next(e->state, ev);

	if (next == NEXT_NONE)
		return false;
	set(e, next == NEXT_ANY ? to : next);
	return true;
}

void machine_begin(struct element *e, int state)
{
	assert(state >= 0 && state < STATE_COUNT);
	set(e, state);
}

#define N(name) ARMADA__NODE_STATE__NODE_##name

/* clang-format off */
static const int node_table[NODE_STATE_COUNT][NODE_EV_COUNT] = {
	/*                    DRAIN       RESUME      SILENT      BACK        DEAD        LEAVE */
	[N(STATE_UNSET)]   = {NO,         NO,         NO,         NO,         NO,         NO},
	[N(UP)]            = {N(DRAINED), N(UP),      N(UNKNOWN), N(UP),      N(DOWN),    N(DOWN)},
	[N(DRAINING)]      = {NO,         NO,         NO,         NO,         NO,         NO}, /* only shown */
	[N(DRAINED)]       = {N(DRAINED), N(UP),      N(DRAINED), N(DRAINED), N(DRAINED), N(DRAINED)},
	[N(DOWN)]          = {N(DRAINED), N(DOWN),    N(UNKNOWN), N(UP),      N(DOWN),    N(DOWN)},
	[N(UNKNOWN)]       = {N(DRAINED), N(UNKNOWN), N(UNKNOWN), N(UP),      N(DOWN),    N(DOWN)},
};
/* clang-format on */

int node_next(int state, enum node_event ev)
{
	assert(state >= 0 && state < NODE_STATE_COUNT && ev < NODE_EV_COUNT);
	return node_table[state][ev];
}
