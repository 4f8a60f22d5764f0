/*
 * The preemptor: the gang for which a running gang was preempted.
 *
 * Input: a running gang that lost its nodes. Output: the decision, with the preemptor and the text
 * for the owner: by which rule, for whom, and what both queues use of the cluster beside their
 * shares. If the preemptor was displaced later in the same round, the gang that displaced it counts.
 */
#include "sched/round/preemptor.h"

#include <string.h>

static const struct running_gang *preemptor_of(const struct sched *s, const struct running_gang *a)
{
	do
		a = &s->gangs.list[a->preemptor];
	while (a->state == GANG_OUT);
	return a;
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
	const char *why = "", *own = r->view.names[a->row];

	if (r->m->shapes.list[a->shape].scavenge)
		why = ", because it scavenges";
	else if (strcmp(a->why, "urgency") == 0)
		why = arena_printf(r->arena, ": class %s is more urgent than %s",
				   class_text(r, preemptor), class_text(r, a));
	if (preemptor->row == a->row)
		return arena_printf(r->arena,
				    "made room for %s of its own queue %s, which uses %s%s",
				    name(r, preemptor), own, standing(r, a->row), why);
	return arena_printf(r->arena,
			    "made room for %s of queue %s, which uses %s%s; queue %s uses %s",
			    name(r, preemptor), r->view.names[preemptor->row],
			    standing(r, preemptor->row), why, own, standing(r, a->row));
}

void preemptor_report(struct round *r, const struct running_gang *a, struct sched_decision *ret)
{
	const struct model *m = r->m;
	const struct running_gang *preemptor = preemptor_of(r->s, a);

	*ret = (struct sched_decision){.kind = SCHED_PREEMPT,
				       .job = m->jobs.list[a->job].id,
				       .element = a->element,
				       .why = a->why,
				       .for_job = m->jobs.list[preemptor->job].id,
				       .for_element = preemptor->element,
				       .text = text(r, a, preemptor)};
}
