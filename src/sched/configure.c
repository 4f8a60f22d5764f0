/*
 * Another configuration for a sched in use.
 *
 * Input: the new configuration. The plugins are opened first, so a configuration that a plugin
 * refuses changes nothing. Classes are found by name and keep their numbers. The levels are
 * computed again from the nodes and the running tasks, and so is the node index if the sequence of
 * resources changed. Waiting jobs are not touched.
 */
#include "sched/configure.h"
#include "sched/round/state.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static int check(const struct model *m, const struct sched_config *config, struct err *err)
{
	bool same = config->resource_count == m->dims;

	for (size_t r = 0; same && r < m->dims; r++)
		same = strcmp(config->resources[r], m->resources[r]) == 0;
	if (!same)
		return err_set(err, -EINVAL, "other kinds of resource need another scheduler");
	if (!config->class_count)
		return err_set(err, -EINVAL, "a priority class is needed");
	return 0;
}

/* The number that one fairness plugin keeps for a queue means nothing to another. */
static void reset_histories(struct model *m, const struct plugin *next)
{
	bool same = strcmp(m->usage.remembers_by, next->desc->name) == 0;

	usage_history_belongs(m, next);
	for (size_t i = 0; !same && i < m->queues.count; i++) {
		m->queues.list[i].memory = 0;
		m->queues.list[i].lapsed_us = m->usage.now_us;
		m->queues.list[i].has_note = false;
	}
}

/* All plugins are opened before any is replaced: an error leaves the sched unchanged. */
static int take_policies(struct model *m, const struct sched_config *config, struct err *err)
{
	struct policies fresh = {.fairness = NULL};
	int rc = policies_open(&fresh, &m->policy, config, err);

	if (rc) {
		policies_close(&fresh);
		return rc;
	}
	usage_history_lapse_all(m);
	reset_histories(m, fresh.fairness_plugin);
	policies_close(&m->policies);
	m->policies = fresh;
	return 0;
}

static void take_class(struct model *m, const struct sched_class *class)
{
	size_t i = 0;
	const char *name;

	while (i < m->levels.class_count && strcmp(m->levels.classes[i].name, class->name) != 0)
		i++;
	if (i == m->levels.class_count) {
		priority_level_add_class(m, class);
		return;
	}
	name = m->levels.classes[i].name;
	m->levels.classes[i] = *class;
	m->levels.classes[i].name = name;
}

static void take_rate(double *tokens, const struct sched_rate *old, const struct sched_rate *rate)
{
	if (!(old->burst > 0) || *tokens > rate->burst)
		*tokens = rate->burst;
}

static void take_limits(struct sched *s, const struct sched_limits *limits)
{
	struct model *m = &s->model;

	take_rate(&s->buckets.start, &m->limits.rate, &limits->rate);
	for (size_t i = 0; i < m->queues.count; i++)
		take_rate(&m->queues.list[i].tokens, &m->limits.queue_rate, &limits->queue_rate);
	m->limits = *limits;
}

static void remake_levels(struct sched *s, const struct sched_rate *old)
{
	struct model *m = &s->model;
	struct sched_rate rate = {m->policies.preempt_traits.rate,
				  m->policies.preempt_traits.burst};

	priority_level_remake(m);
	take_rate(&s->buckets.preempt, old, &rate);
}

static void remake_index(struct model *m)
{
	node_index_done(&m->nodes.index);
	for (uint32_t i = 0; i < m->nodes.count; i++)
		nodes_reindex(m, i);
}

int sched_reconfigure(struct sched *s, const struct sched_config *config, struct err *err)
{
	struct model *m = &s->model;
	struct sched_rate preempt = {m->policies.preempt_traits.rate,
				     m->policies.preempt_traits.burst};
	uint32_t sequence[SCHED_RESOURCES];
	int rc = check(m, config, err);

	memcpy(sequence, m->policies.sequence, sizeof(sequence));
	if (!rc)
		rc = take_policies(m, config, err);
	if (rc)
		return rc;
	m->partial_gangs = config->partial_gangs;
	m->changes++;
	take_limits(s, &config->limits);
	for (size_t i = 0; i < config->class_count; i++)
		take_class(m, &config->classes[i]);
	head_list_forget_all(m);
	accounts_set_limits(m, config);
	users_set_limits(m, config);
	floating_set_reserved(m, config);
	remake_levels(s, &preempt);
	if (memcmp(sequence, m->policies.sequence, m->dims * sizeof(*sequence)) != 0)
		remake_index(m);
	return 0;
}
