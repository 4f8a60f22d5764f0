#include "sched/backfill/node_timeline.h"

#include <string.h>

/* Is the member one that scavenges, and whose room the gang of the forecast has from the beginning? */
static bool is_lent(const struct forecast *q, const struct node_timeline *c,
		    const struct release_time *e)
{
	return c->lent && !e->firm && q->m->shapes.list[e->part].scavenge;
}

/*
 * Does this release add room? Not at a level above 0 if the room counts as free there from the beginning:
 * the room of an evicted gang, and of tasks that the gang of the forecast may displace.
 */
static bool counts(const struct forecast *q, const struct node_timeline *c,
		   const struct release_time *e)
{
	struct model *m = q->m;
	uint8_t state = q->states && e->task != NIL ? q->states[e->task] : GANG_PLACED;

	if (!c->level)
		return state != GANG_OUT && !is_lent(q, c, e);
	return state == GANG_PLACED &&
	       (e->firm || m->levels.of_class[m->shapes.list[e->part].class] >= c->level);
}

void node_timeline_begin(const struct forecast *q, uint32_t node, struct node_timeline *c)
{
	struct model *m = q->m;
	const struct node *n = &m->nodes.list[node];
	const struct release_times *e = &m->releases.of_node[node];

	*c = (struct node_timeline){.tenants = n->tenants,
				    .lent = m->levels.scavenging && !n->overfull,
				    .a = e->list,
				    .a_end = e->list + e->count,
				    .node = node,
				    .level = n->overfull ? 0 : q->level};
	if (q->fresh) {
		c->b = q->fresh + q->fresh_from[node];
		c->b_end = q->fresh + q->fresh_from[node + 1];
	}
	memcpy(c->room, c->level ? priority_level_row(m, node, c->level) : nodes_free(m, node),
	       m->dims * sizeof(*c->room));
	if (!c->lent)
		return;
	tenants_leave(&c->tenants, &n->scavengers);
	/* only those that scavenge count at level 1 and not at level 2 */
	for (size_t d = 0; !c->level && d < m->dims; d++)
		c->room[d] += priority_level_row(m, node, 2)[d] - priority_level_row(m, node, 1)[d];
}

bool node_timeline_peek(const struct node_timeline *c, int64_t *ret_at_us)
{
	if (c->a == c->a_end && c->b == c->b_end)
		return false;
	if (c->a == c->a_end || (c->b != c->b_end && c->b->at_us < c->a->at_us))
		*ret_at_us = c->b->at_us;
	else
		*ret_at_us = c->a->at_us;
	return true;
}

void node_timeline_step(const struct forecast *q, struct node_timeline *c)
{
	const struct release_time *e =
		c->a == c->a_end || (c->b != c->b_end && c->b->at_us < c->a->at_us) ? c->b++
										    : c->a++;
	const int64_t *request = job_shape_request(q->m, e->part);

	if (q->states && e->task != NIL && q->states[e->task] == GANG_OUT)
		return;
	if (!is_lent(q, c, e))
		tenants_change(&c->tenants, &q->m->shapes.list[e->part], -1);
	for (size_t d = 0; counts(q, c, e) && d < q->m->dims; d++)
		c->room[d] += request[d];
}

uint64_t node_timeline_holds(const struct forecast *q, const struct node_timeline *c, uint32_t part,
			     uint64_t most)
{
	if (!tenants_admit(&c->tenants, &q->m->shapes.list[part]))
		return 0;
	return amounts_hold(c->room, job_shape_request(q->m, part), q->m->dims,
			    q->idle || q->distinct ? 1 : most);
}

uint32_t node_timeline_value(const struct forecast *q, uint32_t part, uint32_t node)
{
	struct model *m = q->m;
	const struct node *n = &m->nodes.list[node];

	if (!n->present || !n->schedulable ||
	    !node_class_set_has(job_shape_classes(m, part), n->kind) ||
	    !constraint_lists(m, m->shapes.list[part].constraint, node))
		return NIL;
	return q->value_of ? q->value_of[n->kind] : 0;
}
