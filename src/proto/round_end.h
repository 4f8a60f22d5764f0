/*
 * How a scheduling round ended: the word of Round.end, of actl show counters and of metrics. Words never
 * change; new ones come at the end.
 */
#pragma once

enum round_end {
	ROUND_DONE,
	ROUND_CUT,   /* by max_round */
	ROUND_FAULT, /* of a plugin */
	ROUND_IDLE,  /* no job waited */
	ROUND_ENDS
};

const char *round_end_name(enum round_end end);
