/*
 * Eviction for fair share: which running gangs give up their nodes, and which get them back.
 *
 * Input: the running gangs and the preempt plugin, which names gangs of queues above their shares.
 * Output: each evicted gang is either put back on its own nodes or preempted.
 *
 * Put back: an evicted gang keeps its node numbers and its use of level 0, but leaves the higher
 * levels, so preemptors see its room as free. It stands at the head of its queue, before all
 * waiting jobs, and the queues compete for the room as usual: the order plugin picks the queue, and
 * the queue's next evicted gang is put back if its own nodes still have room at its level
 * (running_gang_put_back). It never moves to another node. A waiting gang of a queue below its
 * share comes before evicted gangs of queues above theirs, so it may take their room
 * (fair_preempt.c). After all queues were served, evict_finish preempts the evicted gangs that
 * could not be put back. If no waiting gang needed room, all are put back and the round decides
 * nothing about them.
 *
 * The table lists the evicted gangs in the order in which they would be put back if all of them had
 * room. It comes from a simulation of the round in which only evicted gangs are served. It is made
 * on demand: most rounds displace nothing.
 */
#include "sched/round/evict.h"
#include "sched/round/next_queue.h"
#include "sched/round/queue_head.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* gangs ahead of the current one whose memory is prefetched */

/* Rows for n gangs. They are kept from round to round because they are many. */
static void make_rows(struct sched *s, size_t n)
{
	struct evict_rows *v = &s->evicted.rows;

	if (n <= v->cap)
		return;
	v->cap = n + n / 4;
	v->queue = xreallocarray(v->queue, v->cap, sizeof(*v->queue));
	v->node = xreallocarray(v->node, v->cap, sizeof(*v->node));
	v->priority = xreallocarray(v->priority, v->cap, sizeof(*v->priority));
	v->start = xreallocarray(v->start, v->cap, sizeof(*v->start));
	v->request = xreallocarray(v->request, v->cap * s->model.dims, sizeof(*v->request));
	v->how = xreallocarray(v->how, v->cap, sizeof(*v->how));
	v->evict = xreallocarray(v->evict, v->cap, sizeof(*v->evict));
	v->list = xreallocarray(v->list, v->cap, sizeof(*v->list));
}

/* The rows that the plugin gets, one for each gang. */
static void describe(struct sched *s, struct armada_running *ret)
{
	struct model *m = &s->model;
	struct evict_rows *v = &s->evicted.rows;
	size_t n = s->gangs.count;

	make_rows(s, n);
	for (size_t i = 0; i < n; i++) {
		const struct running_gang *a = &s->gangs.list[i];
		const struct job_shape *k = &m->shapes.list[a->shape];

		v->queue[i] = a->row;
		v->node[i] = running_gang_node(a, 0);
		v->priority[i] = m->levels.classes[k->class].priority;
		v->start[i] = a->start_us;
		v->how[i] = (uint8_t)(k->fair | k->urgent << 1);
		running_gang_sum(m, a, v->request + i * m->dims);
	}
	memset(v->evict, 0, n * sizeof(*v->evict));
	*ret = (struct armada_running){.count = n,
				       .queue = v->queue,
				       .node = v->node,
				       .class_priority = v->priority,
				       .preemptible = v->how,
				       .start_us = v->start,
				       .request = v->request};
}

/* Does the gang have a node that is overfull? Such gangs are not evicted. */
static bool is_on_overfull_node(const struct model *m, const struct running_gang *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (running_gang_node(a, i) != NIL &&
		    m->nodes.list[running_gang_node(a, i)].overfull)
			return true;
	return false;
}

static struct running_order line_of(const struct running_gang *a)
{
	return (struct running_order){.job = a->job,
				      .element = a->element,
				      .shape = a->shape,
				      .start_us = a->start_us,
				      .fresh = a->fresh};
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct sched *s = arg;
	const struct running_gang *a = &s->gangs.list[*(const uint32_t *)x];
	const struct running_gang *b = &s->gangs.list[*(const uint32_t *)y];
	struct running_order i = line_of(a), k = line_of(b);

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return running_list_compare(&s->model, &i, &k);
}

/* Prefetch the levels of the node of the gang. */
static void prefetch(const struct model *m, const struct running_gang *a)
{
	if (a->count == 1 && a->one != NIL)
		__builtin_prefetch(priority_level_row(m, a->one, 1));
}

/* Evict these sorted gangs: their use leaves the levels above 0, and they are listed by row. */
static void leave_levels(struct round *r, uint32_t *sorted, size_t count)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	size_t n = r->view.count + 1;

	r->evicted = sorted;
	r->evicted_at = arena_zalloc(r->arena, n, sizeof(*r->evicted_at));
	r->evicted_end = arena_zalloc(r->arena, n, sizeof(*r->evicted_end));
	/* If more than half of the nodes change, one copy of all levels is cheaper. */
	if (count > m->nodes.count / 2)
		node_backup_all_levels(s);
	for (size_t i = 0; i < count; i++) {
		struct running_gang *a = &s->gangs.list[sorted[i]];

		if (i + AHEAD < count)
			prefetch(m, &s->gangs.list[sorted[i + AHEAD]]);
		running_gang_count_at_levels(s, a, a->count, -1);
		a->state = GANG_EVICTED;
		a->tried = false;
		running_gang_account(r, a, -1);
		if (!r->evicted_end[a->row])
			r->evicted_at[a->row] = i;
		r->evicted_end[a->row] = i + 1;
	}
	s->gangs.evicted_count = count;
}

/*
 * The order begins with the class. Urgency preemption needs that: a gang that is put back must
 * compete only with gangs of its own class and of more urgent ones.
 */
void evict_gangs(struct round *r, const uint32_t *gangs, size_t count)
{
	uint32_t *sorted = arena_memdup(r->arena, gangs, count * sizeof(*gangs));

	qsort_r(sorted, count, sizeof(*sorted), compare, r->s);
	leave_levels(r, sorted, count);
}

/*
 * Serve a row in the simulation of the table: its next evicted gang is the next one of the table.
 */
static void add_to_table(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	uint32_t gang = queue_head_gang(r, row);
	int64_t sum[SCHED_RESOURCES];

	s->evicted.table[s->evicted.table_count++] = gang;
	running_gang_sum(m, &s->gangs.list[gang], sum);
	amounts_change(r->allocated + row * m->dims, sum, 1, m->dims);
	queue_head_taken(r, row);
}

/*
 * Copy the state from which the simulation of the table starts: the round may continue before the
 * table is needed.
 */
static void keep_table_start(struct round *r, size_t count)
{
	size_t n = r->view.count;
	struct table_start *k = &r->table_start;

	k->count = count;
	k->allocated =
		arena_memdup(r->arena, r->allocated, (n * r->m->dims + 1) * sizeof(*k->allocated));
	k->at = arena_memdup(r->arena, r->evicted_at, (n + 1) * sizeof(*k->at));
	k->evicted = r->evicted;
	k->end = r->evicted_end;
}

/* Does nothing if the table was made already or nothing was evicted. */
void evict_order_make(struct round *r)
{
	struct sched *s = r->s;
	struct round sim = *r;
	size_t n = r->view.count + 1;

	if (!r->table_start.count)
		return;
	GROW(s->evicted.table, s->evicted.table_cap, r->table_start.count + 1);
	sim.allocated = r->table_start.allocated;
	sim.evicted = r->table_start.evicted;
	sim.evicted_at = r->table_start.at;
	sim.evicted_end = r->table_start.end;
	sim.evicted_only = sim.makes_table = true;
	sim.heads = arena_zalloc(r->arena, n, sizeof(*sim.heads));
	sim.live = arena_zalloc(r->arena, n, sizeof(*sim.live));
	r->table_start.count = 0;
	next_queue_again(&sim);
	next_queue_serve(&sim, add_to_table);
	r->fault = sim.fault;
}

void evict_for_balance(struct round *r)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct armada_running running;
	struct armada_preempt_round in = {.seed = r->in->seed,
					  .now_us = r->in->now_us,
					  .queues = &r->view,
					  .running = &running};
	size_t most = s->gangs.count, n = 0;
	const bool *evict;

	if (!most || !m->policies.preempt_traits.fair_share || !m->policies.preempt->evict)
		return;
	describe(s, &running);
	evict = s->evicted.rows.evict;
	m->policies.preempt->evict(m->policies.preempt_handle, &in, s->evicted.rows.evict);
	for (uint32_t i = 0; i < most; i++)
		if (evict[i] && m->shapes.list[s->gangs.list[i].shape].fair &&
		    !(s->gangs.any_overfull && is_on_overfull_node(m, &s->gangs.list[i])))
			s->evicted.rows.list[n++] = i;
	m->work.evicted = n;
	if (!n)
		return;
	leave_levels(r, s->evicted.rows.list, n);
	keep_table_start(r, n);
	/* A plugin that picks may keep state: make the table before all other calls of it. */
	if (m->policies.order->pick)
		evict_order_make(r);
}

/*
 * A plugin that picks may have left some evicted gangs unserved. A gang that has no room now is
 * preempted.
 */
void evict_finish(struct round *r)
{
	struct sched *s = r->s;

	if (!s->gangs.evicted_count)
		return;
	evict_order_make(r);
	for (size_t i = 0; i < s->evicted.table_count; i++) {
		struct running_gang *a = &s->gangs.list[s->evicted.table[i]];

		if (a->state == GANG_EVICTED &&
		    (a->tried || !running_gang_put_back(r, s->evicted.table[i], false)))
			running_gang_lose(r, s->evicted.table[i], "fair-share");
	}
}
