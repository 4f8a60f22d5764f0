/*
 * Creates and frees a scheduler. model/ has the calls that report changes to it, round/ makes its
 * decisions.
 */
#include "sched/sched.h"
#include "sched/round/round.h"
#include "util/mem.h"

#include <errno.h>

static int check(const struct sched_config *config, struct err *err)
{
	if (config->resource_count < 2 || config->resource_count > SCHED_RESOURCES)
		return err_set(err, -EINVAL, "%zu kinds of resource: between 2 and %d are possible",
			       config->resource_count, SCHED_RESOURCES);
	if (!config->class_count)
		return err_set(err, -EINVAL, "a priority class is needed");
	return 0;
}

struct sched *sched_new(const struct sched_config *config, struct err *err)
{
	struct sched *s;
	struct model *m;

	if (check(config, err))
		return NULL;
	s = xcalloc(1, sizeof(*s));
	m = &s->model;
	model_init(m, config);
	s->buckets.start = m->limits.rate.burst;
	if (policies_open(&m->policies, &m->policy, config, err)) {
		sched_free(s);
		return NULL;
	}
	usage_history_belongs(m, config->fairness);
	priority_level_init(m);
	s->buckets.preempt = m->policies.preempt_traits.burst;
	accounts_set_limits(m, config);
	users_set_limits(m, config);
	floating_set_reserved(m, config);
	return s;
}

void sched_free(struct sched *s)
{
	if (!s)
		return;
	model_done(&s->model);
	round_done(s);
	free(s);
}
