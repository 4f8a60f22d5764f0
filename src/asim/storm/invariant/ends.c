/*
 * Every acknowledged element has an end (I1), and only one (I4), in the history.
 */
#include "asim/storm/client.h"
#include "asim/storm/ctl.h"
#include "asim/storm/invariant/table.h"

static void on_row(struct storm *s, void *own UNUSED, const struct sim_job *j,
		   const struct armada_history_row *row)
{
	for (uint32_t e = row->first_element; e <= row->last_element; e++)
		if (e >= j->elements)
			storm_violate(s, "an end of element %u of %u", e, j->elements);
		else if (j->ended[e] && j->ended[e] != row->state)
			storm_violate(s, "I4: %llu_%u ended as %d and as %d",
				      (unsigned long long)j->id, e, j->ended[e], row->state);
}

/* Ends are reported as they happen; those of ids that became known later come from a replay. */
static void check(struct storm *s, void *own UNUSED)
{
	struct core *copy = sim_ctl_replay(s);

	if (copy)
		core_free(copy);
	for (size_t i = 0; i < s->job_count; i++) {
		const struct sim_job *j = &s->jobs[i];

		for (uint32_t e = 0; e < j->elements; e++)
			if (!j->ended[e])
				storm_violate(s, "I1: %llu_%u was acknowledged and has no end",
					      (unsigned long long)j->id, e);
	}
}

const struct invariant invariant_ends = {.on_row = on_row, .check = check};
