#include "sched/explain/dry_run.h"
#include "sched/round/state.h"

/* The state that a round passes on to the next. */
struct dry_run {
	struct policies policies; /* with the plugins' own handles */
	struct carryover *carryover;
};

/*
 * A plugin may keep state in its handle, so a dry run has handles of its own. The host keeps the
 * usage history of queues.
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
