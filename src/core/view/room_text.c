/*
 * The nodes and jobs that a pending job waits for.
 *
 * Input: the explanation of the scheduler, which names the first nodes that the job could use: those
 * that are down, and those where others have the room. Output: for each of the former its state, the
 * reason of the state and since when; for the latter the jobs whose tasks are there, since when and
 * until when. Both lists are bounded, with counts of all. Caveats: the scheduler's names may be
 * older than the state; a node that has gone or has changed since then is left out. In a private
 * cluster, jobs of other users are counted and have times, but no id.
 */
#include "core/view/room_text.h"

#include "core/txn/effects.h"
#include "core/txn/job_text.h"
#include "core/view/state_reason.h"

enum { HOLDERS = 4 };

static Armada__WaitedNode *waited_node(const struct txn *txn, const struct explain_ask *ask,
				       const struct node *n)
{
	Armada__WaitedNode *m = arena_alloc(txn->arena, sizeof(*m));
	char *unlinked = state_reason_of_node(txn, n, txn->arena);

	armada__waited_node__init(m);
	m->name = n->name;
	m->state = n->state;
	if (unlinked)
		m->reason = unlinked;
	if (unlinked || !n->reason)
		return m;
	m->reason = ask->hides ? job_text_strip(n->reason, ask->job, txn->arena) : n->reason;
	m->by = n->reason_by ? n->reason_by : m->by;
	m->since_us = n->reason_us;
	return m;
}

static void fill_waited(const struct txn *txn, const struct explain_ask *ask,
			const struct sched_named *down, Armada__ExplainReply *r)
{
	r->waited = arena_alloc(txn->arena, (down->count + 1) * sizeof(*r->waited));
	r->waited_count = down->of;
	for (uint32_t i = 0; i < down->count; i++) {
		const struct node *n = node_find(txn->state, down->nodes[i]);

		if (n && (!n->linked || n->state != ARMADA__NODE_STATE__NODE_UP))
			r->waited[r->n_waited++] = waited_node(txn, ask, n);
	}
}

static Armada__RoomHolder *holder(const struct txn *txn, const struct explain_ask *ask,
				  const struct task *t)
{
	Armada__RoomHolder *m = arena_alloc(txn->arena, sizeof(*m));
	const struct element *e = t->element;
	const struct job *j = e->job;
	int64_t limit_s;

	armada__room_holder__init(m);
	m->node = t->node->name;
	m->start_us = e->start_us;
	limit_s = element_limit_s(e, spec_open(txn, j->spec, txn->arena));
	if (e->start_us && limit_s > 0)
		m->end_us = e->start_us + limit_s * 1000000;
	if (ask->hides && j->user->uid != ask->uid)
		return m;
	m->job = j->id;
	m->element = e->index;
	m->has_element = j->spec->array;
	m->user = j->user->name;
	return m;
}

/*
 * The tasks of the element on the node that have not ended, if t is the first of them in the node's list;
 * otherwise 0. They are not always next to each other there: a replaced task is leased later.
 */
static uint32_t count_tasks_from(const struct node *n, const struct task *t)
{
	const struct task *other;
	bool reached = false;
	uint32_t count = 0;

	LIST_FOREACH (other, &n->tasks, on_node) {
		reached = reached || other == t;
		if (other->element != t->element || other->state == TASK_ENDED)
			continue;
		if (!reached)
			return 0;
		count++;
	}
	return count;
}

static void add_holders(const struct txn *txn, const struct explain_ask *ask, const struct node *n,
			Armada__ExplainReply *r)
{
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		uint32_t tasks;

		if (t->state == TASK_ENDED || t->element->lease_pending)
			continue;
		tasks = count_tasks_from(n, t);
		if (!tasks)
			continue;
		r->holder_count++;
		if (r->n_holders == HOLDERS)
			continue;
		r->holders[r->n_holders] = holder(txn, ask, t);
		r->holders[r->n_holders++]->tasks = tasks;
	}
}

void room_text_fill(const struct txn *txn, const struct explain_ask *ask,
		    const struct sched_explanation *x, Armada__ExplainReply *r)
{
	fill_waited(txn, ask, &x->down, r);
	r->holders = arena_alloc(txn->arena, HOLDERS * sizeof(*r->holders));
	r->taken_count = x->taken.of;
	r->taken_named = x->taken.count;
	for (uint32_t i = 0; i < x->taken.count; i++) {
		const struct node *n = node_find(txn->state, x->taken.nodes[i]);

		if (n)
			add_holders(txn, ask, n, r);
	}
}
