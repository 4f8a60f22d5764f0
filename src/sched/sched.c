#include "sched/sched.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static void copy_names(struct sched *s, const struct sched_config *config)
{
	s->dims = config->resource_count;
	s->resources = xcalloc(s->dims, sizeof(*s->resources));
	for (size_t r = 0; r < s->dims; r++)
		s->resources[r] = xstrdup(config->resources[r]);
	s->policy = (struct armada_policy){.resources = (const char *const *)s->resources,
					   .resource_count = s->dims};
	s->class_count = config->class_count;
	s->classes = xcalloc(s->class_count, sizeof(*s->classes));
	for (size_t i = 0; i < s->class_count; i++) {
		s->classes[i] = config->classes[i];
		s->classes[i].name = xstrdup(config->classes[i].name);
	}
}

static int refuse(const struct plugin *p, int rc, const struct armada_error *e, struct err *err)
{
	return err_set(err, rc, "plugin %s: %s", p->desc->name, e->text);
}

/* A NULL handle is a plugin's right; whether it was opened is in its ops pointer. */
static int open_fairness(struct sched *s, const struct plugin *p, struct err *err)
{
	const struct armada_fairness_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc = ops->open(&s->fairness_handle, p->values, &s->policy, &e);

	if (rc)
		return refuse(p, rc, &e, err);
	s->fairness = ops;
	s->fairness_plugin = p;
	return 0;
}

static int open_order(struct sched *s, const struct plugin *p, struct err *err)
{
	const struct armada_order_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc;

	if (!ops->before && !ops->pick)
		return err_set(err, -EINVAL, "plugin %s: it neither compares nor picks",
			       p->desc->name);
	rc = ops->open(&s->order_handle, p->values, &s->policy, &s->order_traits, &e);
	if (rc)
		return refuse(p, rc, &e, err);
	s->order = ops;
	s->order_plugin = p;
	return 0;
}

static int open_preempt(struct sched *s, const struct plugin *p, struct err *err)
{
	const struct armada_preempt_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc = ops->open(&s->preempt_handle, p->values, &s->policy, &s->preempt_traits, &e);

	if (rc)
		return refuse(p, rc, &e, err);
	s->preempt = ops;
	s->preempt_plugin = p;
	return 0;
}

static int check_sequence(const struct sched *s, struct err *err)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (r >= s->dims || seen & UINT32_C(1) << r)
			return err_set(err, -EINVAL,
				       "plugin %s: its sequence of resources is not one",
				       s->select_plugin->desc->name);
		seen |= UINT32_C(1) << r;
	}
	return 0;
}

static int open_select(struct sched *s, const struct plugin *p, struct err *err)
{
	const struct armada_select_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc;

	rc = ops->open(&s->select_handle, p->values, &s->policy, &e);
	if (rc)
		return refuse(p, rc, &e, err);
	s->select = ops;
	s->select_plugin = p;
	for (size_t i = 0; i < s->dims; i++)
		s->sequence[i] = UINT32_MAX;
	ops->sequence(s->select_handle, s->sequence);
	return check_sequence(s, err);
}

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

	if (check(config, err))
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->job_free = s->lane_free = s->key_free = s->queue_free = NIL;
	s->node_free = s->task_free = NIL;
	s->nodes_version = s->epoch = 1;
	copy_names(s, config);
	s->limits = config->limits;
	s->partial_gangs = config->partial_gangs;
	s->tokens = s->limits.rate.burst;
	if (open_fairness(s, config->fairness, err) || open_order(s, config->order, err) ||
	    open_preempt(s, config->preempt, err) || open_select(s, config->select, err)) {
		sched_free(s);
		return NULL;
	}
	levels_init(s);
	return s;
}

static void close_plugins(struct sched *s)
{
	if (s->fairness)
		s->fairness->close(s->fairness_handle);
	if (s->order)
		s->order->close(s->order_handle);
	if (s->preempt)
		s->preempt->close(s->preempt_handle);
	if (s->select)
		s->select->close(s->select_handle);
}

static void free_world(struct sched *s)
{
	for (size_t i = 0; i < s->job_count; i++) {
		if (s->jobs[i].set)
			rangeset_done(s->jobs[i].set);
		free(s->jobs[i].set);
	}
	for (size_t i = 0; i < s->key_count; i++)
		key_done(&s->keys[i]);
	for (size_t i = 0; i < s->queue_count; i++)
		queue_done(&s->queues[i]);
	for (size_t i = 0; i < s->kind_count; i++)
		kind_done(&s->kinds[i]);
	for (size_t i = 0; i < s->node_count; i++)
		free(s->nodes[i].name);
	for (size_t i = 0; i < s->task_count; i++)
		free(s->tasks[i].many);
}

static void free_maps(struct sched *s)
{
	struct map *maps[] = {&s->job_map,  &s->lane_map, &s->key_map, &s->queue_map,
			      &s->kind_map, &s->node_map, &s->task_map};

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		map_done(maps[i]);
}

void sched_free(struct sched *s)
{
	if (!s)
		return;
	close_plugins(s);
	free_world(s);
	free_maps(s);
	index_done(&s->index);
	void *arrays[] = {s->jobs,        s->lanes,      s->keys,      s->queues,  s->kinds,
			  s->nodes,       s->tasks,      s->requests,  s->free,    s->total,
			  s->notes,       s->saved,      s->heap,      s->journal, s->heads,
			  s->ranked,      s->saved_free, s->decisions, s->reasons, s->sums,
			  s->class_level, s->levels,     s->bounds,    s->members, s->levels_saved,
			  s->levels_rows, s->actors,     s->table,     s->gone,    s->shown,
			  s->shown_rows,  s->scores,     s->avail,     s->stamps,  s->allowed};

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		free(arrays[i]);
	for (size_t r = 0; r < s->dims; r++)
		free(s->resources[r]);
	for (size_t i = 0; i < s->class_count; i++)
		free((char *)s->classes[i].name);
	free(s->resources);
	free(s->classes);
	free(s);
}
