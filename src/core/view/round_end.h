/* How a scheduling round ended: a word of ROUND, and a count of COUNTERS. */
#pragma once

struct sched_result;

enum round_end {
	ROUND_DONE,
	ROUND_CUT,   /* by max_round */
	ROUND_FAULT, /* of a plugin */
	ROUND_IDLE,  /* no job waited */
	ROUND_ENDS
};

enum round_end round_end_of(const struct sched_result *r);
const char *round_end_name(enum round_end end);
