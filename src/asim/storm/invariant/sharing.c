/*
 * Nodes that a job has for itself, or for its user alone: no task that may join it there is on the node
 * with it. Tasks of pending leases are not there yet, and tasks that yield have lost the node; but a
 * pending lease may not be beside one that stays.
 *
 * The jobs are those of the core, which the requests described; the rule is written here again.
 */
#include "asim/storm/ctl.h"
#include "asim/storm/invariant/table.h"
#include "core/state/state.h"

#include <string.h>

static bool may_share(const struct task *a, const struct task *b)
{
	const struct job *x = a->element->job, *y = b->element->job;

	if (a->element == b->element)
		return true;
	if (x->spec->exclusive || y->spec->exclusive)
		return false;
	if (!x->spec->exclusive_user && !y->spec->exclusive_user)
		return true;
	return strcmp(x->user->name, y->user->name) == 0;
}

/* Neither the task nor its element was preempted. */
static bool stays(const struct task *t)
{
	return !t->element->yields && !t->leaving;
}

/* Are both there at once, or will they be? */
static bool do_meet(const struct task *a, const struct task *b)
{
	const struct element *x = a->element, *y = b->element;

	if (a->state == TASK_ENDED || b->state == TASK_ENDED)
		return false;
	return (!x->lease_pending && !y->lease_pending) || (stays(a) && stays(b));
}

static void look(struct storm *s, const struct node *n)
{
	const struct task *a, *b;

	LIST_FOREACH (a, &n->tasks, on_node)
		for (b = LIST_NEXT(a, on_node); b; b = LIST_NEXT(b, on_node))
			if (do_meet(a, b) && !may_share(a, b))
				storm_violate(
					s,
					"jobs %llu and %llu are both on node %s, which one of them keeps",
					(unsigned long long)a->element->job->id,
					(unsigned long long)b->element->job->id, n->name);
}

static void on_input(struct storm *s, void *own, const struct input *in)
{
	const struct state *state = core_state(s->ctl->core);

	(void)own, (void)in;
	for (const struct node *n = state->nodes; n; n = n->hh.next)
		look(s, n);
}

const struct invariant invariant_sharing = {.on_input = on_input};
