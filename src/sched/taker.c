#include "sched/round.h"

/*
 * Who has the room of those that are gone. For balance it is the gang in hand when they were put
 * out; where somebody just found no room when his turn came, and for urgency, it is whoever the
 * round started on the same nodes.
 */

static void mark_node(struct round *r, uint32_t node, uint32_t actor)
{
	struct sched *s = r->s;
	struct node *n = &s->nodes[node];

	if (n->taken != s->rounds) {
		n->taken = s->rounds;
		n->first = n->foremost = actor;
	} else if (s->keys[s->actors[actor].key].top > s->keys[s->actors[n->foremost].key].top) {
		n->foremost = actor;
	}
}

void takers_find(struct round *r)
{
	struct sched *s = r->s;

	for (uint32_t i = s->actors_running; i < s->actor_count; i++) {
		const struct actor *a = &s->actors[i];

		for (uint32_t m = 0; a->fresh && a->state == ACTOR_BOUND && m < a->count; m++)
			if (actor_node(a, m) != NIL)
				mark_node(r, actor_node(a, m), i);
	}
}

static bool is_urgency(const struct actor *a)
{
	return a->why[0] == 'u';
}

/* NIL: nobody that is still there. */
static uint32_t taker_of(const struct round *r, const struct actor *a)
{
	const struct sched *s = r->s;
	uint32_t any = NIL;

	if (a->taker != NIL && s->actors[a->taker].state == ACTOR_BOUND)
		return a->taker;
	for (uint32_t m = 0; m < a->count; m++) {
		const struct node *n = actor_node(a, m) != NIL ? &s->nodes[actor_node(a, m)] : NULL;

		if (!n || n->taken != s->rounds)
			continue;
		if (!is_urgency(a))
			return n->first;
		if (s->keys[s->actors[n->foremost].key].top > s->keys[a->key].top)
			return n->foremost;
		any = any == NIL ? n->first : any;
	}
	return any;
}

/* "0.61 of its share 0.50": what the queue used when the round began, and its share. */
static const char *standing(const struct round *r, uint32_t row)
{
	const struct armada_queues *v = &r->view;
	double share = v->fair_share[row] > v->capped_share[row] ? v->fair_share[row]
								 : v->capped_share[row];

	return arena_printf(r->arena, "%.2f of its share %.2f", v->cost[row], share);
}

/* "job 812", "job 812_3" */
static const char *name(const struct round *r, const struct actor *a)
{
	unsigned long long id = r->s->jobs[a->job].id;

	if (id & SCHED_TASK_IDS)
		return "a task that is started anew";
	if (a->element)
		return arena_printf(r->arena, "job %llu_%u", id, a->element);
	return arena_printf(r->arena, "job %llu", id);
}

static const char *class_text(const struct round *r, const struct actor *a)
{
	const struct sched_class *c = &r->s->classes[r->s->keys[a->key].class];

	return arena_printf(r->arena, "%s (%lld)", c->name, (long long)c->priority);
}

static const char *text(const struct round *r, const struct actor *a, const struct actor *taker)
{
	const char *own = r->view.names[a->row];

	if (!taker)
		return arena_printf(r->arena,
				    "others came first for its room; its queue %s uses %s", own,
				    standing(r, a->row));
	if (r->s->keys[taker->key].top > r->s->keys[a->key].top)
		return arena_printf(r->arena,
				    "made room for %s of queue %s: class %s is more urgent than %s",
				    name(r, taker), r->view.names[taker->row], class_text(r, taker),
				    class_text(r, a));
	if (taker->row == a->row)
		return arena_printf(r->arena, "made room for %s of its own queue %s, which uses %s",
				    name(r, taker), own, standing(r, a->row));
	return arena_printf(r->arena,
			    "made room for %s of queue %s, which uses %s; queue %s uses %s",
			    name(r, taker), r->view.names[taker->row], standing(r, taker->row), own,
			    standing(r, a->row));
}

void taker_tell(struct round *r, const struct actor *a, struct sched_decision *ret)
{
	struct sched *s = r->s;
	uint32_t at = taker_of(r, a);
	const struct actor *taker = at == NIL ? NULL : &s->actors[at];

	*ret = (struct sched_decision){.kind = SCHED_PREEMPT,
				       .job = s->jobs[a->job].id,
				       .element = a->element,
				       .why = a->why,
				       .for_job = taker ? s->jobs[taker->job].id : 0,
				       .for_element = taker ? taker->element : 0,
				       .text = text(r, a, taker)};
}
