#include "sched/memory.h"
#include "sched/configure.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static int check(const struct sched *s, const struct sched_config *config, struct err *err)
{
	bool same = config->resource_count == s->dims;

	for (size_t r = 0; same && r < s->dims; r++)
		same = strcmp(config->resources[r], s->resources[r]) == 0;
	if (!same)
		return err_set(err, -EINVAL, "other kinds of resource need another scheduler");
	if (!config->class_count)
		return err_set(err, -EINVAL, "a priority class is needed");
	return 0;
}

/* What one plugin remembers of a queue says nothing to another. */
static void forget_memory(struct sched *s, const struct plugin *next)
{
	bool same = strcmp(s->remembers_by, next->desc->name) == 0;

	memory_belongs(s, next);
	for (size_t i = 0; !same && i < s->queue_count; i++) {
		s->queues[i].memory = 0;
		s->queues[i].lapsed_us = s->now_us;
		s->queues[i].has_note = false;
	}
}

/* Opened apart first: what refuses leaves the sched as it was. */
static int take_policies(struct sched *s, const struct sched_config *config, struct err *err)
{
	struct sched fresh = {.dims = s->dims};
	int rc = policies_open(&fresh, &s->policy, config, err);

	if (rc) {
		policies_close(&fresh);
		return rc;
	}
	memories_lapse(s);
	forget_memory(s, fresh.fairness_plugin);
	policies_close(s);
	s->fairness_plugin = fresh.fairness_plugin;
	s->order_plugin = fresh.order_plugin;
	s->preempt_plugin = fresh.preempt_plugin;
	s->select_plugin = fresh.select_plugin;
	s->fairness = fresh.fairness;
	s->order = fresh.order;
	s->preempt = fresh.preempt;
	s->select = fresh.select;
	s->fairness_handle = fresh.fairness_handle;
	s->order_handle = fresh.order_handle;
	s->preempt_handle = fresh.preempt_handle;
	s->select_handle = fresh.select_handle;
	s->order_traits = fresh.order_traits;
	s->preempt_traits = fresh.preempt_traits;
	memcpy(s->sequence, fresh.sequence, sizeof(s->sequence));
	return 0;
}

static void take_class(struct sched *s, const struct sched_class *class)
{
	size_t i = 0;
	const char *name;

	while (i < s->class_count && strcmp(s->classes[i].name, class->name) != 0)
		i++;
	if (i == s->class_count) {
		s->classes = xreallocarray(s->classes, i + 1, sizeof(*s->classes));
		s->classes[i].name = xstrdup(class->name);
		s->class_count++;
	}
	name = s->classes[i].name;
	s->classes[i] = *class;
	s->classes[i].name = name;
}

/* Keys name classes by number, so none moves; queues have a row for each. */
static void take_classes(struct sched *s, const struct sched_config *config)
{
	size_t had = s->class_count * s->dims, more;

	for (size_t i = 0; i < config->class_count; i++)
		take_class(s, &config->classes[i]);
	more = s->class_count * s->dims - had;
	for (size_t i = 0; more && i < s->queue_count; i++) {
		struct queue *q = &s->queues[i];

		if (!q->name)
			continue;
		queue_number_own(s, q);
		q->demand = xreallocarray(q->demand, had + more, sizeof(*q->demand));
		q->used = xreallocarray(q->used, had + more, sizeof(*q->used));
		memset(q->demand + had, 0, more * sizeof(*q->demand));
		memset(q->used + had, 0, more * sizeof(*q->used));
	}
}

static void take_rate(double *tokens, const struct sched_rate *old, const struct sched_rate *rate)
{
	if (!(old->burst > 0) || *tokens > rate->burst)
		*tokens = rate->burst;
}

static void take_limits(struct sched *s, const struct sched_limits *limits)
{
	take_rate(&s->tokens, &s->limits.rate, &limits->rate);
	for (size_t i = 0; i < s->queue_count; i++)
		take_rate(&s->queues[i].tokens, &s->limits.queue_rate, &limits->queue_rate);
	s->limits = *limits;
}

static void remake_levels(struct sched *s, const struct sched_rate *old)
{
	struct sched_rate rate = {s->preempt_traits.rate, s->preempt_traits.burst};
	double tokens = s->preempt_tokens;

	levels_forget(s);
	levels_init(s);
	take_rate(&tokens, old, &rate);
	s->preempt_tokens = tokens;
	for (uint32_t i = 0; i < s->key_count; i++) {
		s->keys[i].blocked_epoch = 0;
		if (s->keys[i].users)
			key_complete(s, i);
	}
	for (uint32_t i = 0; i < s->node_count; i++) {
		levels_room(s, i);
		for (size_t r = 0; s->nodes[i].name && r < s->dims; r++)
			levels_grow(s, i, r, node_total(s, i)[r]);
	}
	tasks_weigh(s);
	rosters_forget(s);
}

static void remake_index(struct sched *s)
{
	index_done(&s->index);
	for (uint32_t i = 0; i < s->node_count; i++)
		node_reindex(s, i);
}

int sched_reconfigure(struct sched *s, const struct sched_config *config, struct err *err)
{
	struct sched_rate preempt = {s->preempt_traits.rate, s->preempt_traits.burst};
	uint32_t sequence[SCHED_RESOURCES];
	int rc = check(s, config, err);

	memcpy(sequence, s->sequence, sizeof(sequence));
	if (!rc)
		rc = take_policies(s, config, err);
	if (rc)
		return rc;
	s->partial_gangs = config->partial_gangs;
	s->changes++;
	take_limits(s, &config->limits);
	take_classes(s, config);
	users_limit(s, config);
	remake_levels(s, &preempt);
	if (memcmp(sequence, s->sequence, s->dims * sizeof(*sequence)) != 0)
		remake_index(s);
	return 0;
}
