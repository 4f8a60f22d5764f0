#include "proto/event_table.h"

uint64_t event_job(const Armada__Event *ev)
{
	switch (ev->kind_case) {
#define JOB_OF(KIND, member, wakes, job)                                                           \
	case ARMADA__EVENT__KIND_##KIND:                                                           \
		return ev->member ? job(ev->member) : 0;
		EVENT_TABLE(JOB_OF)
#undef JOB_OF
	default:
		return 0;
	}
}

bool event_wakes_rounds(const Armada__Event *ev)
{
	switch (ev->kind_case) {
#define WAKES(KIND, member, wakes, job)                                                            \
	case ARMADA__EVENT__KIND_##KIND:                                                           \
		return wakes;
		EVENT_TABLE(WAKES)
#undef WAKES
	default:
		return false;
	}
}
