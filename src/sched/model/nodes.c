/*
 * Nodes: their resources and state as reported, and the room that members take.
 *
 * Input: the calls of sched.h about nodes, and members that begin or cease to use a node. Output:
 * free resources, levels and totals. A node's record is kept while the node is present or tasks run
 * there. A change of its free room removes it from the index before and inserts it after. `epoch`
 * counts how often a node may have gained room, and `grown` has the last such nodes, so that a
 * round knows which shapes may fit again.
 */
#include "sched/model/nodes.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <string.h>

static bool same_name(const void *arg, uint32_t node, const void *what)
{
	return strcmp(((const struct model *)arg)->nodes.list[node].name, what) == 0;
}

uint32_t nodes_find(const struct model *m, const char *name)
{
	return map_find(&m->nodes.map, hash_text(name), same_name, m, name);
}

static uint32_t node_place(struct model *m)
{
	size_t had = m->nodes.count;
	uint32_t node = TABLE_PLACE(&m->nodes, saved);

	GROW(m->nodes.free, m->nodes.free_cap, m->nodes.count * m->dims);
	GROW(m->nodes.total, m->nodes.total_cap, m->nodes.count * m->dims);
	if (m->nodes.count > had)
		release_times_add_node(m, node);
	return node;
}

uint32_t nodes_intern(struct model *m, const char *name)
{
	uint32_t node = nodes_find(m, name);

	if (node != NIL)
		return node;
	node = node_place(m);
	m->nodes.list[node] = (struct node){
		.name = xstrdup(name), .saved = NIL, .levels_saved = NIL, .reserved = NIL};
	m->nodes.list[node].order = m->nodes.next_order++;
	memset(nodes_free(m, node), 0, m->dims * sizeof(int64_t));
	memset(nodes_total(m, node), 0, m->dims * sizeof(int64_t));
	priority_level_add_node(m, node);
	map_add(&m->nodes.map, hash_text(name), node);
	m->nodes.names_version++;
	return node;
}

void nodes_release(struct model *m, uint32_t node)
{
	struct node *n = &m->nodes.list[node];

	if (!n->name || n->present || n->tenants.tasks)
		return;
	map_remove(&m->nodes.map, hash_text(n->name), node);
	free(n->name);
	*n = (struct node){.saved = m->nodes.unused};
	m->nodes.unused = node;
	m->nodes.names_version++;
}

static bool usable(const struct node *n)
{
	return n->present && n->schedulable && !n->tenants.exclusive;
}

void nodes_unindex(struct model *m, uint32_t node)
{
	m->nodes.moves++;
	if (usable(&m->nodes.list[node]))
		node_index_remove(m, &m->nodes.index, node);
}

void nodes_reindex(struct model *m, uint32_t node)
{
	if (usable(&m->nodes.list[node]))
		node_index_insert(m, &m->nodes.index, node);
}

void nodes_use(struct model *m, uint32_t node, uint32_t part, uint32_t cutoff, int sign)
{
	nodes_use_free(m, node, part, sign);
	priority_level_use(m, node, part, cutoff, sign);
}

void nodes_use_free(struct model *m, uint32_t node, uint32_t shape, int sign)
{
	struct node *n = &m->nodes.list[node];

	nodes_unindex(m, node);
	amounts_change(nodes_free(m, node), job_shape_request(m, shape), -sign, m->dims);
	tenants_change(&n->tenants, &m->shapes.list[shape], sign);
	nodes_reindex(m, node);
}

/* Unusable nodes without tasks do not count in the capacity of the cluster. */
static void uncount(struct model *m, uint32_t node)
{
	if (!m->nodes.list[node].counted)
		return;
	for (size_t r = 0; r < m->dims; r++)
		m->nodes.capacity[r] -= nodes_total(m, node)[r];
	m->nodes.list[node].counted = false;
}

/*
 * A caller that also changes the node's resources must have updated the usage histories and
 * uncounted the node before.
 */
void nodes_count(struct model *m, uint32_t node)
{
	struct node *n = &m->nodes.list[node];
	bool counts = n->present && (n->schedulable || n->tenants.tasks);

	if (n->counted != counts)
		usage_history_lapse_all(m);
	uncount(m, node);
	n->counted = counts;
	for (size_t r = 0; n->counted && r < m->dims; r++)
		m->nodes.capacity[r] += nodes_total(m, node)[r];
}

void nodes_grown(struct model *m, uint32_t node)
{
	m->nodes.grown[m->nodes.epoch++ % GROWN] = node;
}

void sched_node_set(struct sched *s, const struct sched_node *node)
{
	struct model *m = model_of(s);
	uint32_t at = nodes_intern(m, node->name);
	int64_t *f, *t;

	nodes_unindex(m, at);
	usage_history_lapse_all(m);
	uncount(m, at);
	f = nodes_free(m, at);
	t = nodes_total(m, at);
	for (size_t r = 0; r < m->dims; r++) {
		f[r] += node->total[r] - t[r];
		priority_level_grow(m, at, r, node->total[r] - t[r]);
		t[r] = node->total[r];
	}
	m->nodes.list[at].kind = node_class_intern(m, node);
	m->nodes.list[at].present = true;
	m->nodes.list[at].schedulable = node->schedulable;
	nodes_count(m, at);
	nodes_reindex(m, at);
	nodes_grown(m, at);
	m->nodes.totals_version++;
	m->changes++;
}

void sched_node_remove(struct sched *s, const char *name)
{
	struct model *m = model_of(s);
	uint32_t node = nodes_find(m, name);

	if (node == NIL)
		return;
	nodes_unindex(m, node);
	m->nodes.list[node].present = false;
	m->nodes.totals_version++;
	m->changes++;
	nodes_count(m, node);
	nodes_release(m, node);
}
