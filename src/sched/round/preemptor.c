/*
 * The preemptor: the gang for which a running gang was preempted.
 *
 * Input: the running gangs that lost their nodes. Output: the preemptor in each decision, and the
 * text for the owner. If fair_preempt.c displaced the victim, the preemptor is the gang that was
 * placed then. If the victim was evicted and found no room when it was to be put back, and for
 * urgency, it is a gang that the round started on one of the victim's nodes.
 */
#include "sched/round/preemptor.h"
#include "sched/round/round.h"

static void mark_node(struct round *r, uint32_t node, uint32_t gang)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct node *n = &m->nodes.list[node];

	if (n->taken != s->rounds) {
		n->taken = s->rounds;
		n->first = n->foremost = gang;
	} else if (m->shapes.list[s->gangs.list[gang].shape].top >
		   m->shapes.list[s->gangs.list[n->foremost].shape].top) {
		n->foremost = gang;
	}
}

void preemptor_find_all(struct round *r)
{
	struct sched *s = r->s;

	for (uint32_t i = s->gangs.running; i < s->gangs.count; i++) {
		const struct running_gang *a = &s->gangs.list[i];

		for (uint32_t member = 0; a->fresh && a->state == GANG_PLACED && member < a->count;
		     member++)
			if (running_gang_node(a, member) != NIL)
				mark_node(r, running_gang_node(a, member), i);
	}
}

static bool is_urgency(const struct running_gang *a)
{
	return a->why[0] == 'u';
}

/* NIL: none that still has its nodes. */
static uint32_t preemptor_of(const struct round *r, const struct running_gang *a)
{
	const struct sched *s = r->s;
	const struct model *m = r->m;
	uint32_t any = NIL;

	if (a->preemptor != NIL && s->gangs.list[a->preemptor].state == GANG_PLACED)
		return a->preemptor;
	for (uint32_t member = 0; member < a->count; member++) {
		const struct node *n = running_gang_node(a, member) != NIL
					       ? &m->nodes.list[running_gang_node(a, member)]
					       : NULL;

		if (!n || n->taken != s->rounds)
			continue;
		if (!is_urgency(a))
			return n->first;
		if (m->shapes.list[s->gangs.list[n->foremost].shape].top >
		    m->shapes.list[a->shape].top)
			return n->foremost;
		any = any == NIL ? n->first : any;
	}
	return any;
}

/* "61 % of the cluster (share 50 %)": the cost of the queue when the round began, and its share. */
static const char *standing(const struct round *r, uint32_t row)
{
	const struct armada_queues *v = &r->view;
	double share = v->fair_share[row] > v->capped_share[row] ? v->fair_share[row]
								 : v->capped_share[row];

	return arena_printf(r->arena, "%.0f %% of the cluster (share %.0f %%)", 100 * v->cost[row],
			    100 * share);
}

/* "job 812", "job 812_3" */
static const char *name(const struct round *r, const struct running_gang *a)
{
	unsigned long long id = r->m->jobs.list[a->job].id;

	if (id & SCHED_TASK_IDS)
		return "a task that is started anew";
	if (a->element)
		return arena_printf(r->arena, "job %llu_%u", id, a->element);
	return arena_printf(r->arena, "job %llu", id);
}

static const char *class_text(const struct round *r, const struct running_gang *a)
{
	const struct sched_class *c = &r->m->levels.classes[r->m->shapes.list[a->shape].class];

	return arena_printf(r->arena, "%s (%lld)", c->name, (long long)c->priority);
}

static const char *text(const struct round *r, const struct running_gang *a,
			const struct running_gang *preemptor)
{
	const char *own = r->view.names[a->row];

	if (!preemptor)
		return arena_printf(r->arena, "other jobs took its room; its queue %s uses %s", own,
				    standing(r, a->row));
	if (r->m->shapes.list[preemptor->shape].top > r->m->shapes.list[a->shape].top)
		return arena_printf(r->arena,
				    "made room for %s of queue %s: class %s is more urgent than %s",
				    name(r, preemptor), r->view.names[preemptor->row],
				    class_text(r, preemptor), class_text(r, a));
	if (preemptor->row == a->row)
		return arena_printf(r->arena, "made room for %s of its own queue %s, which uses %s",
				    name(r, preemptor), own, standing(r, a->row));
	return arena_printf(r->arena,
			    "made room for %s of queue %s, which uses %s; queue %s uses %s",
			    name(r, preemptor), r->view.names[preemptor->row],
			    standing(r, preemptor->row), own, standing(r, a->row));
}

void preemptor_report(struct round *r, const struct running_gang *a, struct sched_decision *ret)
{
	struct model *m = r->m;
	uint32_t at = preemptor_of(r, a);
	const struct running_gang *preemptor = at == NIL ? NULL : &r->s->gangs.list[at];

	*ret = (struct sched_decision){.kind = SCHED_PREEMPT,
				       .job = m->jobs.list[a->job].id,
				       .element = a->element,
				       .why = a->why,
				       .for_job = preemptor ? m->jobs.list[preemptor->job].id : 0,
				       .for_element = preemptor ? preemptor->element : 0,
				       .text = text(r, a, preemptor)};
}
