#include "core/machine.h"

#include <assert.h>

#define S(name) ARMADA__JOB_STATE__JOB_##name
#define NO      NEXT_NONE
#define ANY     NEXT_ANY

/* clang-format off */
static const int table[STATE_COUNT][EV_COUNT] = {
/*			  LEASE		  ALL_STARTED  END_ORDERED    NODE_SILENT  NODE_BACK  REQUEUE	   CONCLUDE */
	[S(STATE_UNSET)] = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(PENDING)]	 = {S(CONFIGURING), NO,	       NO,	      NO,	   NO,	      NO,	   ANY},
	[S(CONFIGURING)] = {NO,		  S(RUNNING),  S(COMPLETING), S(UNKNOWN),  NO,	      S(PENDING),  ANY},
	[S(RUNNING)]	 = {NO,		  NO,	       S(COMPLETING), S(UNKNOWN),  NO,	      S(PENDING),  ANY},
	[S(COMPLETING)]	 = {NO,		  NO,	       NO,	      S(UNKNOWN),  NO,	      S(PENDING),  ANY},
	[S(UNKNOWN)]	 = {NO,		  NO,	       S(COMPLETING), NO,	   ANY,	      S(PENDING),  ANY},
	[S(COMPLETED)]	 = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(FAILED)]	 = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(CANCELLED)]	 = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(TIMEOUT)]	 = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(PREEMPTED)]	 = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(NODE_FAIL)]	 = {NO,		  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
	[S(OUT_OF_MEMORY)] = {NO,	  NO,	       NO,	      NO,	   NO,	      NO,	   NO},
};
/* clang-format on */

int machine_next(int state, enum element_event ev)
{
	assert(state >= 0 && state < STATE_COUNT && ev < EV_COUNT);
	return table[state][ev];
}
