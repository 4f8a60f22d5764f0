#include "sched/model/priority_level.h"
#include "sched/model/model.h"
#include "util/mem.h"

#include <string.h>

/* The distinct priorities of the classes, least urgent first, are levels 1, 2... */
void priority_level_init(struct model *m)
{
	m->levels.of_class = xcalloc(m->levels.class_count, sizeof(*m->levels.of_class));
	if (!m->policies.preempt_traits.fair_share && !m->policies.preempt_traits.urgency &&
	    !m->levels.scavenging)
		return;
	for (size_t i = 0; i < m->levels.class_count; i++) {
		m->levels.of_class[i] = 1;
		for (size_t k = 0; k < m->levels.class_count; k++) {
			bool less = m->levels.classes[k].priority < m->levels.classes[i].priority;

			for (size_t j = 0; j < k && less; j++)
				less = m->levels.classes[j].priority !=
				       m->levels.classes[k].priority;
			m->levels.of_class[i] += less;
		}
		if (m->levels.of_class[i] > m->levels.count)
			m->levels.count = m->levels.of_class[i];
		if (m->levels.classes[i].urgency_preemptible)
			m->levels.urgent_levels |= UINT64_C(1) << m->levels.of_class[i] % 64;
	}
}

int64_t priority_level_priority(const struct model *m, uint32_t level)
{
	for (size_t i = 0; i < m->levels.class_count; i++)
		if (m->levels.of_class[i] == level)
			return m->levels.classes[i].priority;
	return 0;
}

void priority_level_forget(struct model *m)
{
	free(m->levels.of_class);
	m->levels.of_class = NULL;
	m->levels.count = 0;
	m->levels.urgent_levels = 0;
	node_block_forget(m);
}

void priority_level_add_node(struct model *m, uint32_t node)
{
	size_t row = (size_t)m->levels.count * m->dims;

	if (!m->levels.count)
		return;
	GROW(m->levels.rows, m->levels.rows_cap, (node + (size_t)1) * row);
	memset(m->levels.rows + node * row, 0, row * sizeof(*m->levels.rows));
	node_block_add_node(m, node);
}

void priority_level_use(struct model *m, uint32_t node, uint32_t part, uint32_t cutoff, int sign)
{
	const int64_t *request = job_shape_request(m, part);

	if (m->levels.scavenging && cutoff == 1)
		tenants_change(&m->nodes.list[node].scavengers, &m->shapes.list[part], sign);
	for (uint32_t l = 1; l <= cutoff; l++) {
		amounts_change(priority_level_row(m, node, l), request, -sign, m->dims);
		if (sign < 0)
			node_block_raise(m, node, l);
		else
			node_block_loosen(m, node, l);
	}
}

void priority_level_grow(struct model *m, uint32_t node, size_t resource, int64_t by)
{
	for (uint32_t l = 1; l <= m->levels.count; l++) {
		priority_level_row(m, node, l)[resource] += by;
		node_block_loosen(m, node, l);
		node_block_raise(m, node, l);
	}
}

void priority_level_remake(struct model *m)
{
	priority_level_forget(m);
	priority_level_init(m);
	for (uint32_t i = 0; i < m->shapes.count; i++) {
		m->shapes.list[i].blocked_epoch = 0;
		if (m->shapes.list[i].users)
			job_shape_complete(m, i);
	}
	for (uint32_t i = 0; i < m->nodes.count; i++) {
		priority_level_add_node(m, i);
		m->nodes.list[i].scavengers = (struct tenants){0};
		for (size_t r = 0; m->nodes.list[i].name && r < m->dims; r++)
			priority_level_grow(m, i, r, nodes_total(m, i)[r]);
	}
	tasks_count_at_levels(m);
	running_list_forget_all(m);
}

static void *add_row(const struct model *m, void *rows, size_t size)
{
	size_t had = (m->levels.class_count - 1) * m->dims;

	rows = xreallocarray(rows, had + m->dims, size);
	memset((char *)rows + had * size, 0, m->dims * size);
	return rows;
}

/* Shapes refer to classes by number, so no class changes its number. */
void priority_level_add_class(struct model *m, const struct sched_class *class)
{
	size_t at = m->levels.class_count++;

	m->levels.classes = xreallocarray(m->levels.classes, at + 1, sizeof(*m->levels.classes));
	m->levels.classes[at] = *class;
	m->levels.classes[at].name = xstrdup(class->name);
	for (size_t i = 0; i < m->queues.count; i++) {
		struct queue *q = &m->queues.list[i];

		if (!q->name)
			continue;
		queues_number_own(m, q);
		q->demand = add_row(m, q->demand, sizeof(*q->demand));
		q->used = add_row(m, q->used, sizeof(*q->used));
	}
}

uint32_t priority_level_scavenge_class(struct model *m)
{
	/* no class of a configuration has such a name */
	static const struct sched_class class = {.name = "(scavenging)",
						 .priority = INT64_MIN,
						 .urgency_preemptible = true,
						 .restricted = true};

	if (m->levels.scavenging)
		return m->levels.scavenge_class;
	m->levels.scavenging = true;
	m->levels.scavenge_class = (uint32_t)m->levels.class_count;
	priority_level_add_class(m, &class);
	priority_level_remake(m);
	return m->levels.scavenge_class;
}

uint32_t priority_level_find_class(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->levels.class_count; i++)
		if (strcmp(m->levels.classes[i].name, name) == 0)
			return (uint32_t)i;
	return 0;
}
