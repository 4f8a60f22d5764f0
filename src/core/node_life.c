/* The life of nodes, whoever caused what happens to them. */
#include "core/machine.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

void node_set_state(struct core *c, struct node *n, Armada__NodeState state, const char *reason,
		    const char *by)
{
	Armada__NodeStateSet *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_NODE_STATE_SET, &m);

	m->name = n->name;
	m->state = state;
	m->reason = arena_strdup(c->arena, reason);
	m->by = arena_strdup(c->arena, by);
	emit(c, ev);
	if (state != ARMADA__NODE_STATE__NODE_UP)
		promises_withdraw(c, n, arena_printf(c->arena, "node %s: %s", n->name, reason));
}

void node_lost(struct core *c, struct node *n, const char *reason)
{
	struct task *t;

	/* a drained node stays drained until somebody resumes it, wherever it has been meanwhile */
	if (n->state == ARMADA__NODE_STATE__NODE_DRAINED)
		n->silent = true;
	else
		node_set_state(c, n, ARMADA__NODE_STATE__NODE_UNKNOWN, reason, "armctld");
	LIST_FOREACH (t, &n->tasks, on_node) {
		Armada__ElementUnknown *m;
		Armada__Event *ev;

		if (t->state == TASK_ENDED ||
		    machine_next(t->element->state, EV_NODE_SILENT) == NEXT_NONE)
			continue;
		ev = event_make(c, ARMADA__EVENT__KIND_ELEMENT_UNKNOWN, &m);
		m->job = t->element->job->id;
		m->element = t->element->index;
		m->text = arena_printf(c->arena, "node %s: %s", n->name, reason);
		m->state = JOB(UNKNOWN);
		emit(c, ev);
	}
}

uint64_t node_floor(const struct core *c, const struct node *n)
{
	uint64_t floor = c->record.seq; /* the next lease has this sequence or a greater one */
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->state != TASK_ENDED && t->seq < floor)
			floor = t->seq;
	return floor;
}
