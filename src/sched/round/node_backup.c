/*
 * Backup of the nodes that a round changes.
 *
 * Input: a node that is about to change. Output: the same node when the round ends. A node is saved
 * once, when it is first changed: its free resources, and its levels if tasks may be displaced. If
 * most nodes will change, as when half of the running tasks are evicted, all levels are copied at
 * once. The restore is exact: a round leaves the model as it found it.
 */
#include "sched/round/node_backup.h"
#include "sched/round/state.h"
#include "util/mem.h"

#include <string.h>

/* Save the node as it was before the round, once. */
void node_backup_save(struct sched *s, uint32_t node)
{
	struct model *m = &s->model;
	struct node *n = &m->nodes.list[node];

	if (n->saved != NIL)
		return;
	GROW(s->backup.saved, s->backup.saved_cap, s->backup.saved_count + 1);
	GROW(s->backup.saved_free, s->backup.saved_free_cap, (s->backup.saved_count + 1) * m->dims);
	memcpy(s->backup.saved_free + s->backup.saved_count * m->dims, nodes_free(m, node),
	       m->dims * sizeof(int64_t));
	n->saved = (uint32_t)s->backup.saved_count;
	s->backup.saved[s->backup.saved_count++] = (struct saved){node, n->tenants, n->scavengers};
}

void node_backup_restore(struct sched *s)
{
	struct model *m = &s->model;

	for (size_t i = 0; i < s->backup.saved_count; i++) {
		uint32_t node = s->backup.saved[i].node;

		nodes_unindex(m, node);
		memcpy(nodes_free(m, node), s->backup.saved_free + i * m->dims,
		       m->dims * sizeof(int64_t));
		m->nodes.list[node].tenants = s->backup.saved[i].tenants;
		m->nodes.list[node].scavengers = s->backup.saved[i].scavengers;
		m->nodes.list[node].saved = NIL;
		nodes_reindex(m, node);
	}
	s->backup.saved_count = 0;
}

void node_backup_levels(struct sched *s, uint32_t node)
{
	struct model *m = &s->model;
	size_t row = (size_t)m->levels.count * m->dims;
	struct node *n = &m->nodes.list[node];

	if (!row || s->backup.levels_kept || n->levels_saved != NIL)
		return;
	GROW(s->backup.levels_saved, s->backup.levels_saved_cap, s->backup.levels_saved_count + 1);
	GROW(s->backup.levels_rows, s->backup.levels_rows_cap,
	     (s->backup.levels_saved_count + 1) * row);
	memcpy(s->backup.levels_rows + s->backup.levels_saved_count * row,
	       priority_level_row(m, node, 1), row * sizeof(int64_t));
	n->levels_saved = (uint32_t)s->backup.levels_saved_count;
	s->backup.levels_saved[s->backup.levels_saved_count++] = node;
}

void node_backup_all_levels(struct sched *s)
{
	struct model *m = &s->model;
	size_t levels = m->nodes.count * m->levels.count * m->dims, bounds = node_block_size(m);

	if (s->backup.levels_kept || s->backup.levels_saved_count)
		return;
	GROW(s->backup.kept_levels, s->backup.kept_levels_cap, levels);
	GROW(s->backup.kept_bounds, s->backup.kept_bounds_cap, bounds);
	memcpy(s->backup.kept_levels, m->levels.rows, levels * sizeof(*m->levels.rows));
	memcpy(s->backup.kept_bounds, m->blocks.bounds, bounds * sizeof(*m->blocks.bounds));
	s->backup.levels_kept = true;
}

static void restore_all(struct sched *s)
{
	struct model *m = &s->model;

	memcpy(m->levels.rows, s->backup.kept_levels,
	       m->nodes.count * m->levels.count * m->dims * sizeof(*m->levels.rows));
	memcpy(m->blocks.bounds, s->backup.kept_bounds,
	       node_block_size(m) * sizeof(*m->blocks.bounds));
	node_block_loosen_all(m);
	s->backup.levels_kept = false;
}

void node_backup_restore_levels(struct sched *s)
{
	struct model *m = &s->model;
	size_t row = (size_t)m->levels.count * m->dims;

	if (s->backup.levels_kept)
		restore_all(s);
	for (size_t i = 0; i < s->backup.levels_saved_count; i++) {
		uint32_t node = s->backup.levels_saved[i];

		memcpy(priority_level_row(m, node, 1), s->backup.levels_rows + i * row,
		       row * sizeof(int64_t));
		m->nodes.list[node].levels_saved = NIL;
		for (uint32_t l = 1; l <= m->levels.count; l++) {
			node_block_loosen(m, node, l);
			node_block_raise(m, node, l);
		}
	}
	s->backup.levels_saved_count = 0;
}
