#include "sched/memory.h"
#include "sched/ends.h"
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
	s->node_free = s->task_free = s->constraint_free = s->user_free = s->tenant_free = NIL;
	s->nodes_version = s->epoch = 1;
	copy_names(s, config);
	s->limits = config->limits;
	s->partial_gangs = config->partial_gangs;
	s->tokens = s->limits.rate.burst;
	if (policies_open(s, &s->policy, config, err)) {
		sched_free(s);
		return NULL;
	}
	memory_belongs(s, config->fairness);
	levels_init(s);
	users_limit(s, config);
	return s;
}

static void free_world(struct sched *s)
{
	for (size_t i = 0; i < s->job_count; i++) {
		if (!s->jobs[i].many)
			continue;
		rangeset_done(s->jobs[i].set);
		free(s->jobs[i].set);
	}
	for (size_t i = 0; i < s->key_count; i++)
		key_done(&s->keys[i]);
	for (size_t i = 0; i < s->constraint_count; i++)
		constraint_free(s->constraints[i].c);
	free(s->constraints);
	free(s->serials);
	free(s->kept_levels);
	free(s->kept_bounds);
	free(s->exact);
	free(s->key_reasons);
	free(s->slots);
	free(s->slot_nodes);
	running_rows_done(&s->running);
	free(s->plain.set);
	values_done(&s->values);
	for (size_t i = 0; i < s->queue_count; i++)
		queue_done(&s->queues[i]);
	for (size_t i = 0; i < s->kind_count; i++)
		kind_done(&s->kinds[i]);
	for (size_t i = 0; i < s->node_count; i++)
		free(s->nodes[i].name);
	for (size_t i = 0; i < s->node_count; i++)
		free(s->ends[i].list);
	for (size_t i = 0; i < s->task_count; i++) {
		free(s->tasks[i].many);
		free(s->tasks[i].owed);
	}
	users_done(s);
}

static void free_maps(struct sched *s)
{
	struct map *maps[] = {&s->job_map,  &s->lane_map,  &s->key_map,  &s->queue_map,
			      &s->kind_map, &s->node_map,  &s->task_map, &s->constraint_map,
			      &s->user_map, &s->tenant_map};

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		map_done(maps[i]);
}

void sched_free(struct sched *s)
{
	if (!s)
		return;
	policies_close(s);
	free_world(s);
	free_maps(s);
	index_done(&s->index);
	reserve_done(&s->reserve);
	void *arrays[] = {s->jobs,       s->lanes,     s->keys,         s->queues,      s->kinds,
			  s->nodes,      s->tasks,     s->requests,     s->free,        s->total,
			  s->notes,      s->saved,     s->journal,      s->heads,       s->ranked,
			  s->saved_free, s->decisions, s->reasons,      s->class_level, s->levels,
			  s->bounds,     s->members,   s->levels_saved, s->levels_rows, s->actors,
			  s->table,      s->gone,      s->shown,        s->shown_rows,  s->scores,
			  s->avail,      s->stamps,    s->allowed,      s->ends,        s->fresh,
			  s->users,      s->tenants};

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
