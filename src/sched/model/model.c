#include "sched/model/model.h"
#include "util/mem.h"

void model_init(struct model *m, const struct sched_config *config)
{
	m->jobs.unused = m->subqueues.unused = m->shapes.unused = m->queues.unused = NIL;
	m->nodes.unused = m->tasks.unused = m->constraints.unused = NIL;
	m->users.unused = m->users.in_queue.unused = NIL;
	m->accounts.unused = m->accounts.of_user.unused = NIL;
	m->nodes.names_version = m->nodes.epoch = 1;
	m->dims = config->resource_count;
	m->resources = xcalloc(m->dims, sizeof(*m->resources));
	for (size_t r = 0; r < m->dims; r++)
		m->resources[r] = xstrdup(config->resources[r]);
	m->policy = (struct armada_policy){.resources = (const char *const *)m->resources,
					   .resource_count = m->dims};
	m->levels.class_count = config->class_count;
	m->levels.classes = xcalloc(m->levels.class_count, sizeof(*m->levels.classes));
	for (size_t i = 0; i < m->levels.class_count; i++) {
		m->levels.classes[i] = config->classes[i];
		m->levels.classes[i].name = xstrdup(config->classes[i].name);
	}
	m->limits = config->limits;
	m->partial_gangs = config->partial_gangs;
}

static void free_records(struct model *m)
{
	for (size_t i = 0; i < m->jobs.count; i++) {
		if (!m->jobs.list[i].many)
			continue;
		rangeset_done(m->jobs.list[i].set);
		free(m->jobs.list[i].set);
	}
	gang_jobs_done(m);
	for (size_t i = 0; i < m->shapes.count; i++)
		job_shape_done(&m->shapes.list[i]);
	for (size_t i = 0; i < m->constraints.count; i++)
		constraint_free(m->constraints.list[i].c);
	for (size_t i = 0; i < m->queues.count; i++)
		queues_done(&m->queues.list[i]);
	for (size_t i = 0; i < m->node_classes.count; i++)
		node_class_done(&m->node_classes.list[i]);
	for (size_t i = 0; i < m->nodes.count; i++) {
		free(m->nodes.list[i].name);
		free(m->releases.of_node[i].list);
	}
	for (size_t i = 0; i < m->tasks.count; i++) {
		free(m->tasks.list[i].many);
		free(m->tasks.list[i].yielded_use);
	}
	free(m->tasks.born);
	for (size_t i = 0; i < m->levels.class_count; i++)
		free((char *)m->levels.classes[i].name);
	for (size_t r = 0; r < m->dims; r++)
		free(m->resources[r]);
	for (size_t i = 0; i < m->users.count; i++)
		free(m->users.list[i].name);
	for (size_t i = 0; i < m->accounts.count; i++)
		free(m->accounts.list[i].name);
}

static void free_maps(struct model *m)
{
	struct map *maps[] = {&m->jobs.map,         &m->subqueues.map,
			      &m->shapes.map,       &m->queues.map,
			      &m->node_classes.map, &m->nodes.map,
			      &m->tasks.map,        &m->constraints.map,
			      &m->users.map,        &m->users.in_queue.map,
			      &m->accounts.map,     &m->accounts.of_user.map};

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		map_done(maps[i]);
}

void model_done(struct model *m)
{
	policies_close(&m->policies);
	displaced_done(m);
	floating_done(m);
	free_records(m);
	free_maps(m);
	node_index_done(&m->nodes.index);
	void *arrays[] = {m->jobs.list,           m->jobs.notes,       m->subqueues.list,
			  m->shapes.list,         m->shapes.requests,  m->constraints.list,
			  m->queues.list,         m->queues.ranked,    m->users.list,
			  m->users.in_queue.list, m->nodes.list,       m->nodes.free,
			  m->nodes.total,         m->tasks.list,       m->tasks.serials,
			  m->levels.classes,      m->levels.of_class,  m->levels.rows,
			  m->blocks.bounds,       m->blocks.exact,     m->blocks.slots,
			  m->blocks.slot_nodes,   m->releases.of_node, m->constraints.plain.set,
			  m->node_classes.list,   m->resources,        m->values.label,
			  m->values.list,         m->accounts.list,    m->accounts.of_user.list};

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		free(arrays[i]);
}
