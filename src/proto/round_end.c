#include "proto/round_end.h"

const char *round_end_name(enum round_end end)
{
	static const char *const names[ROUND_ENDS] = {
		[ROUND_DONE] = "done",
		[ROUND_CUT] = "cut",
		[ROUND_FAULT] = "fault",
		[ROUND_IDLE] = "idle",
	};

	return names[end];
}
