/*
 * Urgency preemption: a more urgent class takes the room of less urgent gangs.
 *
 * Input: a member that has no free node; at the end of the round, nodes with a negative level.
 * Output: a node for the member; preempted gangs.
 *
 * At each level, a node has the resources that are free once all gangs below that level are
 * preempted (model/priority_level.h). Step 1 (urgency_preempt_find_node): the member takes a node at
 * the lowest level that has room. No gang is displaced yet, but the levels below may become negative
 * there. Step 2 (urgency_preempt_relieve, after all queues were served): on such nodes, the gangs
 * that run at a negative level are evicted together, and put back in the order of their classes as
 * far as there is room. The gangs that do not fit are preempted.
 *
 * The two steps keep the number of victims small: several urgent members on a node share the room of
 * one victim, and the victims are chosen once, when all members have their nodes.
 *
 * Gangs whose members differ in class may displace one another, so step 2 repeats until no level is
 * negative. After as many passes as there are levels, the gangs still in the way are preempted
 * without being put back. At the end give_back restores victims whose nodes turned out to be free
 * at all levels.
 */
#include "sched/round/urgency_preempt.h"
#include "sched/round/level_search.h"
#include "sched/round/next_queue.h"
#include "sched/round/queue_head.h"

/* Is the level negative on the node? Then all levels below it are, too. */
static bool lacks(const struct model *m, uint32_t node, uint32_t level)
{
	const int64_t *have = priority_level_row(m, node, level);

	for (size_t d = 0; d < m->dims && !m->nodes.list[node].overfull; d++)
		if (have[d] < 0)
			return true;
	return false;
}

static bool lacks_any(const struct model *m, uint32_t node)
{
	return lacks(m, node, 1);
}

static bool in_the_way(const struct model *m, const struct running_gang *a)
{
	if (a->state != GANG_PLACED || !m->shapes.list[a->shape].urgent)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t level =
			m->levels.of_class[m->shapes.list[job_shape_part_of(m, a->shape, i)].class];

		if (running_gang_node(a, i) != NIL && lacks(m, running_gang_node(a, i), level))
			return true;
	}
	return false;
}

static void serve_row(struct round *r, uint32_t row)
{
	uint32_t gang = queue_head_gang(r, row);

	if (!running_gang_put_back(r, gang, false))
		running_gang_lose(r, gang, "urgency");
	queue_head_taken(r, row);
}

static void lose_row(struct round *r, uint32_t row)
{
	running_gang_lose(r, queue_head_gang(r, row), "urgency");
	queue_head_taken(r, row);
}

/* Evict the gangs in the way; returns how many. */
static uint32_t clear_way(struct round *r, uint32_t *list)
{
	struct sched *s = r->s;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->gangs.count; i++)
		if (in_the_way(r->m, &s->gangs.list[i]))
			list[n++] = i;
	evict_gangs(r, list, n);
	return n;
}

/*
 * A gang with members of several classes may be preempted after others lost room to it. They get it
 * back if it is free at all levels.
 */
static void give_back(struct round *r)
{
	struct sched *s = r->s;
	size_t n = 0;

	for (size_t i = 0; i < r->gone_count; i++) {
		struct running_gang *a = &s->gangs.list[s->gangs.gone[i]];

		if (a->why[0] != 'u' || !running_gang_put_back(r, s->gangs.gone[i], true))
			s->gangs.gone[n++] = s->gangs.gone[i];
		else if (a->fresh)
			r->result->shares[a->row].started++;
		else
			r->result->shares[a->row].preempted--;
	}
	r->gone_count = n;
}

/*
 * The gangs in the way are evicted and put back in their order as far as there is room. With gangs
 * whose members differ in class this may take several passes; the last pass puts nothing back.
 */
void urgency_preempt_relieve(struct round *r)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	uint32_t *list, n = 1;

	if (!m->levels.count)
		return;
	list = arena_alloc(r->arena, (s->gangs.count + 1) * sizeof(*list));
	r->evicted_only = true;
	for (uint32_t pass = 0; n && node_backup_any(s, lacks_any) && !r->fault; pass++) {
		n = clear_way(r, list);
		next_queue_again(r);
		next_queue_serve(r, pass <= m->levels.count ? serve_row : lose_row);
		for (uint32_t i = 0; i < n; i++)
			if (s->gangs.list[list[i]].state == GANG_EVICTED &&
			    (pass > m->levels.count || !running_gang_put_back(r, list[i], false)))
				running_gang_lose(r, list[i], "urgency");
	}
	give_back(r);
}

/* No gang is displaced yet: some level becomes negative, and the end of the round resolves it. */
uint32_t urgency_preempt_find_node(struct sched *s, uint32_t part, const struct node_index_ask *ask,
				   uint32_t mark)
{
	struct model *m = &s->model;
	uint32_t top = m->levels.of_class[m->shapes.list[part].class];

	for (uint32_t l = 1; l <= top; l++) {
		uint32_t node = level_search(m, &s->reservation, l, ask, part, mark, false);

		if (node != NIL)
			return node;
	}
	return NIL;
}
