#include "core/view/gang_text.h"

#include "core/view/dependency_text.h"
#include "core/view/wait_text.h"
#include "util/plural.h"

static const struct job *find_held(const struct gang *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->held)
			return g->members[i];
	return NULL;
}

static char *withheld_reason(const struct gang *g, struct arena *a, enum sched_why *ret_why)
{
	int64_t at_us;

	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->depend)
			return arena_printf(a, "job %" PRIu64 " of its gang %s %s",
					    g->members[i]->id, gang_says(g)->id,
					    dependency_text_reason(g->members[i], a, ret_why,
								   &at_us));
	return NULL;
}

/* Of the job itself if it pauses, else of the first member that does. */
static char *paused_reason(const struct txn *txn, const struct job *j, struct arena *a)
{
	const struct gang *g = j->gang;

	if (element_is_paused(j, 0))
		return wait_text_pause(txn, element_find(j, 0), a);
	for (size_t i = 0; i < g->count; i++)
		if (element_is_paused(g->members[i], 0))
			return arena_printf(a, "job %" PRIu64 " of its gang %s %s",
					    g->members[i]->id, gang_says(g)->id,
					    wait_text_pause(txn, element_find(g->members[i], 0),
							    a));
	return NULL;
}

char *gang_text_reason(const struct txn *txn, const struct job *j, struct arena *a,
		       enum sched_why *ret_why)
{
	const struct gang *g = j->gang;
	const struct gang_spec *said = gang_says(g);

	*ret_why = WHY_GANG_INCOMPLETE;
	if (!gang_is_whole(g)) {
		uint32_t missing = said->cardinality - (uint32_t)g->count;

		if (live_gang(txn->live, g)->lost)
			return arena_printf(a,
					    "gang %s lost a member: submit another with the same "
					    "gang id, or cancel the rest",
					    said->id);
		return arena_printf(a, "gang %s waits for %u of its %u %s", said->id, missing,
				    said->cardinality,
				    plural(said->cardinality, "member", "members"));
	}
	if (g->held) {
		*ret_why = WHY_HELD;
		return arena_printf(a, "job %" PRIu64 " of its gang %s is held", find_held(g)->id,
				    said->id);
	}
	if (g->withheld)
		return withheld_reason(g, a, ret_why);
	if (g->paused) {
		*ret_why = WHY_RESTART_PAUSE;
		return paused_reason(txn, j, a);
	}
	if (g->active)
		return arena_printf(
			a,
			"gang %s is requeued as a whole: %zu of its members %s still being ended",
			said->id, g->active, plural(g->active, "is", "are"));
	return NULL;
}
