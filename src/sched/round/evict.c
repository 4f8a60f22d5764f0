/*
 * Eviction for fair share: which running gangs have to compete for their nodes again.
 *
 * Input: the running gangs and the preempt plugin, which names gangs of queues above their shares.
 * Output: the evicted gangs, each of which is either displaced (displace.c) or put back on its own
 * nodes.
 *
 * An evicted gang keeps its node numbers and its use of level 0, but leaves the higher levels. It
 * stands at the head of its queue, before all waiting jobs, and the queues compete as usual: the
 * order plugin picks the queue, and the queue's next evicted gang is put back. It never moves to
 * another node. A waiting gang of a queue below its share comes before evicted gangs of queues above
 * theirs, so it may displace those that are not put back yet. If no waiting gang needs room, all are
 * put back and the round decides nothing about them.
 */
#include "sched/round/evict.h"
#include "sched/round/round.h"
#include "util/mem.h"

#include <string.h>

enum { AHEAD = 8 }; /* gangs ahead of the current one whose memory is prefetched */

/* Rows for n gangs. They are kept from round to round because they are many. */
static void make_rows(struct sched *s, size_t n)
{
	struct evict_rows *v = &s->evict_rows;

	if (n <= v->cap)
		return;
	v->cap = n + n / 4;
	v->queue = xreallocarray(v->queue, v->cap, sizeof(*v->queue));
	v->members = xreallocarray(v->members, v->cap, sizeof(*v->members));
	v->nodes = xreallocarray(v->nodes, v->cap, sizeof(*v->nodes));
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
	struct evict_rows *v = &s->evict_rows;
	size_t n = s->gangs.count;

	make_rows(s, n);
	for (size_t i = 0; i < n; i++) {
		const struct running_gang *a = &s->gangs.list[i];
		const struct job_shape *k = &m->shapes.list[a->shape];

		v->queue[i] = a->row;
		v->members[i] = a->count;
		v->nodes[i] = a->count == 1 ? &a->one : a->many;
		v->priority[i] = m->levels.mixed ? priority_level_priority(m, k->top)
						 : m->levels.classes[k->class].priority;
		v->start[i] = a->start_us;
		v->how[i] = (uint8_t)(k->fair | k->urgent << 1);
		running_gang_sum(m, a, v->request + i * m->dims);
	}
	memset(v->evict, 0, n * sizeof(*v->evict));
	*ret = (struct armada_running){.count = n,
				       .queue = v->queue,
				       .members = v->members,
				       .nodes = v->nodes,
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
		running_gang_count_at_levels(s, a, -1);
		a->state = GANG_EVICTED;
		running_gang_account(r, a, -1);
		if (!r->evicted_end[a->row])
			r->evicted_at[a->row] = i;
		r->evicted_end[a->row] = i + 1;
	}
	r->evicted_count = count;
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
	evict = s->evict_rows.evict;
	m->policies.preempt->evict(m->policies.preempt_handle, &in, s->evict_rows.evict);
	for (uint32_t i = 0; i < most; i++)
		if (evict[i] && m->shapes.list[s->gangs.list[i].shape].fair &&
		    !(s->gangs.any_overfull && is_on_overfull_node(m, &s->gangs.list[i])))
			s->evict_rows.list[n++] = i;
	m->work.evicted = n;
	if (!n)
		return;
	leave_levels(r, s->evict_rows.list, n);
}

/* A plugin that picks may have left some evicted gangs unserved. */
void evict_finish(struct round *r)
{
	for (size_t i = 0; i < r->evicted_count; i++)
		if (r->s->gangs.list[r->evicted[i]].state == GANG_EVICTED)
			running_gang_put_back(r, r->evicted[i]);
}
