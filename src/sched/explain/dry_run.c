#include "sched/explain/dry_run.h"
#include "sched/round/state.h"

/* What a round leaves to the next, as it was. */
struct dry_run {
	struct policies policies; /* with the plugins' own handles */
	struct carryover *carryover;
};

/*
 * A plugin may remember in its handle what it likes, so a round that does not count has handles of
 * its own. What a queue's usage was is kept by the host.
 */
int dry_run_begin(struct sched *s, struct arena *a, struct dry_run **ret_dry)
{
	struct policies *own = &s->model.policies, fresh = {.fairness = NULL};
	struct sched_config config = {.fairness = own->fairness_plugin,
				      .order = own->order_plugin,
				      .preempt = own->preempt_plugin,
				      .select = own->select_plugin};
	struct err err;
	int rc = policies_open(&fresh, &s->model.policy, &config, &err);

	if (rc) {
		policies_close(&fresh);
		return rc;
	}
	*ret_dry = arena_alloc(a, sizeof(**ret_dry));
	**ret_dry = (struct dry_run){.policies = *own, .carryover = carryover_keep(s, a)};
	*own = fresh;
	return 0;
}

void dry_run_rewind(struct sched *s, const struct dry_run *d)
{
	carryover_restore(s, d->carryover);
}

void dry_run_end(struct sched *s, const struct dry_run *d)
{
	dry_run_rewind(s, d);
	policies_close(&s->model.policies);
	s->model.policies = d->policies;
}
