/*
 * Assigns the tasks of a step to the tasks of a job.
 *
 * Input are the tasks of the job with their nodes and cpus, and the number of tasks, nodes and cpus
 * that the step asks for. Output is, for each rank of the step, the rank of the job's task that
 * runs it. The usable tasks of the job are grouped by node ("places"); each place gets a number of
 * slots, which follows from its cpus; then the ranks are put on the slots, node by node (block) or
 * in turn (cyclic).
 */
#include "cmd/arun/step_map.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { ONE_CPU = 1000, STEP_TASKS_MAX = 65536 };

struct place {
	uint32_t rank, node; /* index of its node */
	uint32_t slots, used;
};

struct map {
	const struct map_job *job;
	const struct map_want *want;
	struct place *places; /* node by node */
	uint32_t place_count, node_count;
	uint32_t *on_node; /* tasks of the step, by node */
	uint32_t count;    /* of the step's tasks */
	struct map_task *tasks;
	uint32_t placed;
};

/* The index of a node; nodes are numbered in the order of their first rank. */
static uint32_t node_index(const char **names, uint32_t *count, const char *name)
{
	for (uint32_t i = *count; i-- > 0;)
		if (strcmp(names[i], name) == 0)
			return i;
	names[*count] = name;
	return (*count)++;
}

/* Lists the usable tasks, grouped by node, on at most the requested number of nodes. */
static void find_places(struct map *m, struct arena *arena)
{
	const struct map_job *j = m->job;
	const char **names = arena_alloc(arena, (j->tasks + 1) * sizeof(*names));
	uint32_t *node_of = arena_alloc(arena, (j->tasks + 1) * sizeof(*node_of));
	uint32_t nodes_max = m->want->nodes ? m->want->nodes : UINT32_MAX;

	for (uint32_t r = 0; r < j->tasks; r++)
		node_of[r] = j->usable && !j->usable[r]
				     ? UINT32_MAX
				     : node_index(names, &m->node_count, j->nodes[r]);
	if (m->node_count > nodes_max)
		m->node_count = nodes_max;
	m->places = arena_zalloc(arena, j->tasks + 1, sizeof(*m->places));
	m->on_node = arena_zalloc(arena, m->node_count + 1, sizeof(*m->on_node));
	for (uint32_t n = 0; n < m->node_count; n++)
		for (uint32_t r = 0; r < j->tasks; r++)
			if (node_of[r] == n)
				m->places[m->place_count++] = (struct place){.rank = r, .node = n};
}

static int check_nodes(const struct map *m, struct err *err)
{
	if (m->place_count == 0)
		return err_set(err, -EBADE, "job %" PRIu64 " has no task on these nodes or ranks",
			       m->job->id);
	if (m->want->nodes > m->node_count)
		return err_set(err, -EBADE, "%u nodes are more than job %" PRIu64 " has (%u)",
			       m->want->nodes, m->job->id, m->node_count);
	return 0;
}

static void choose_count(struct map *m)
{
	const struct map_want *w = m->want;

	if (w->tasks)
		m->count = w->tasks;
	else if (w->tasks_per_node)
		m->count = w->tasks_per_node * m->node_count;
	else
		m->count = w->nodes ? w->nodes : m->place_count;
}

/* Sets how many tasks of the step each task of the job may run. */
static int choose_slots(struct map *m, struct err *err)
{
	const struct map_want *w = m->want;
	int64_t cpu = m->job->cpu_milli ? m->job->cpu_milli : ONE_CPU;
	int64_t each = w->cpu_milli ? w->cpu_milli : m->count > m->place_count ? ONE_CPU : cpu;
	uint64_t slots = (uint64_t)(cpu / each), room;

	if (slots == 0 && !w->overcommit && w->cpu_milli)
		return err_set(err, -EBADE,
			       "%.3g %s for each task %s more than a task of job %" PRIu64
			       " has (%.3g); --overcommit starts them anyway",
			       (double)each / 1000, each <= 1000 ? "cpu" : "cpus",
			       each <= 1000 ? "is" : "are", m->job->id, (double)cpu / 1000);
	slots = slots ? slots : 1;
	room = slots * m->place_count;
	if (m->count > room && !w->overcommit)
		return err_set(err, -EBADE,
			       "%u tasks are more than job %" PRIu64 " has room for: %" PRIu64
			       " (%u task%s of %.3g cpus); --overcommit starts them anyway",
			       m->count, m->job->id, room, m->place_count,
			       plural(m->place_count, "", "s"), (double)cpu / 1000);
	if (m->count > room)
		slots = (m->count + m->place_count - 1) / m->place_count;
	for (uint32_t i = 0; i < m->place_count; i++)
		m->places[i].slots = (uint32_t)slots;
	return 0;
}

static bool node_full(const struct map *m, uint32_t node)
{
	return m->want->tasks_per_node && m->on_node[node] >= m->want->tasks_per_node;
}

static void put(struct map *m, struct place *p)
{
	m->tasks[m->placed++] = (struct map_task){
		.rank = p->rank, .layer = p->used++, .local_rank = m->on_node[p->node]++};
}

static void place_block(struct map *m)
{
	for (uint32_t i = 0; i < m->place_count; i++) {
		struct place *p = &m->places[i];

		while (m->placed < m->count && p->used < p->slots && !node_full(m, p->node))
			put(m, p);
	}
}

/* The place with the fewest tasks among those of the node that have room; NULL: none. */
static struct place *next_on(struct map *m, uint32_t node)
{
	struct place *best = NULL;

	for (uint32_t i = 0; i < m->place_count; i++) {
		struct place *p = &m->places[i];

		if (p->node == node && p->used < p->slots && (!best || p->used < best->used))
			best = p;
	}
	return best;
}

static void place_cyclic(struct map *m)
{
	for (uint32_t before = UINT32_MAX; m->placed < m->count && m->placed != before;) {
		before = m->placed;
		for (uint32_t n = 0; n < m->node_count && m->placed < m->count; n++) {
			struct place *p = node_full(m, n) ? NULL : next_on(m, n);

			if (p)
				put(m, p);
		}
	}
}

static void count_local(struct map *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		for (uint32_t k = 0; k < m->place_count; k++)
			if (m->places[k].rank == m->tasks[i].rank)
				m->tasks[i].local_size = m->on_node[m->places[k].node];
}

int step_map(const struct map_job *job, const struct map_want *want, struct arena *arena,
	     struct map_task **ret_tasks, uint32_t *ret_count, struct err *err)
{
	struct map m = {.job = job, .want = want};
	int rc;

	find_places(&m, arena);
	rc = check_nodes(&m, err);
	if (rc < 0)
		return rc;
	choose_count(&m);
	if (m.count > STEP_TASKS_MAX)
		return err_set(err, -EINVAL, "%u tasks are more than a step can have (%d)", m.count,
			       STEP_TASKS_MAX);
	rc = choose_slots(&m, err);
	if (rc < 0)
		return rc;
	m.tasks = arena_zalloc(arena, m.count + 1, sizeof(*m.tasks));
	if (want->cyclic)
		place_cyclic(&m);
	else
		place_block(&m);
	if (m.placed < m.count)
		return err_set(err, -EBADE,
			       "only %u of %u tasks fit with %u on each node of job %" PRIu64,
			       m.placed, m.count, want->tasks_per_node, job->id);
	count_local(&m);
	*ret_tasks = m.tasks;
	*ret_count = m.count;
	return 0;
}
