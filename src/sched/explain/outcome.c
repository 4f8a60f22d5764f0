#include "sched/explain/outcome.h"
#include "sched/explain/explain_change.h"
#include "util/plural.h"

struct reason explain_outcome(const struct model *m, const struct explain_probe *w,
			      const struct sched_result *res, struct arena *a)
{
	const struct job *j = &m->jobs.list[w->job];

	if (res->fault)
		return reason_printf(a, WHY_PRIORITY, "the round decides nothing: %s", res->fault);
	if (explain_change_decided(res, j->id))
		return (struct reason){WHY_NONE, "it starts in the next round"};
	if (!j->ready)
		return reason_unready(a, j);
	if (w->started && !w->why.text)
		return (struct reason){
			WHY_URGENCY,
			"a more urgent job that starts in the same round takes its room"};
	if (w->looked_at)
		return (struct reason){w->why.why, arena_strdup(a, w->why.text)};
	return reason_printf(a, WHY_PRIORITY, "the round ended before it was tried: %llu %s tried",
			     (unsigned long long)w->tried,
			     plural(w->tried, "other was", "others were"));
}
