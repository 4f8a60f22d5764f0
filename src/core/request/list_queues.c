/* LIST_QUEUES: all queues, or the named ones, with the resources of their tasks. */
#include "core/admission/conf_queues.h"
#include "core/request/request.h"
#include "core/txn/reply.h"

/* A queue of the answer and the sum of its tasks. One walk over all tasks fills all sums. */
struct queue_sums {
	const struct queue *queue;
	struct resources sum;
	bool done; /* a queue that is named twice gets one row */
	UT_hash_handle hh;
};

static struct queue_sums *queue_sums_of(struct txn *txn, struct queue_sums **map,
					const struct queue *q)
{
	struct queue_sums *t;

	HASH_FIND_PTR(*map, &q, t);
	if (!t) {
		t = arena_zalloc(txn->arena, 1, sizeof(*t));
		t->queue = q;
		HASH_ADD_PTR(*map, queue, t);
	}
	return t;
}

static void sum_up(struct txn *txn, struct queue_sums **map)
{
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		const struct task *t;

		LIST_FOREACH (t, &n->tasks, on_node)
			if (t->state != TASK_ENDED)
				resources_add(&queue_sums_of(txn, map, t->element->job->queue)->sum,
					      task_request(t), 1);
	}
}

static void add_queue(struct txn *txn, struct queue_sums **map, const struct queue *q,
		      Armada__ListQueuesReply *r)
{
	struct queue_sums *t = queue_sums_of(txn, map, q);
	Armada__QueueRow *row;

	if (t->done)
		return;
	t->done = true;
	row = arena_alloc(txn->arena, sizeof(*row));
	armada__queue_row__init(row);
	row->spec = queue_spec(q, txn->arena);
	row->spec->declared = conf_queues_find(txn->policy, q->name) != NULL;
	row->waiting = q->waiting;
	row->running = q->active;
	row->allocated = resources_message(t->sum.amount, txn->arena, &row->n_allocated);
	row->created_us = q->created_us;
	row->created_by = q->created_by;
	r->queues[r->n_queues++] = row;
}

void req_list_queues(struct txn *txn, const Armada__ListQueuesRequest *m)
{
	Armada__ListQueuesReply r = ARMADA__LIST_QUEUES_REPLY__INIT;
	struct queue_sums *map = NULL;
	size_t most = m->n_names ? m->n_names : HASH_COUNT(txn->state->queues);

	sum_up(txn, &map);
	r.queues = arena_alloc(txn->arena, most * sizeof(*r.queues));
	r.missing = arena_alloc(txn->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		for (const struct queue *q = txn->state->queues; q; q = q->hh.next)
			add_queue(txn, &map, q, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct queue *q = queue_find(txn->state, m->names[i]);

		if (q)
			add_queue(txn, &map, q, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	HASH_CLEAR(hh, map);
	reply(txn, MSG_LIST_QUEUES_REPLY, &r);
}
