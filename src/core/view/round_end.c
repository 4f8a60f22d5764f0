#include "core/view/round_end.h"

#include "sched/result.h"

enum round_end round_end_of(const struct sched_result *r)
{
	if (r->fault)
		return ROUND_FAULT;
	if (r->cut)
		return ROUND_CUT;
	return r->work.gangs || r->decision_count || r->share_count ? ROUND_DONE : ROUND_IDLE;
}
