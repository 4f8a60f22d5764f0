/* LIST_QUEUES. */
#include "core/queue.h"
#include "core/request.h"

static Armada__Resource **allocated_in(struct core *c, const struct queue *q, size_t *ret_count)
{
	struct resources sum = {0};
	Armada__Resource **list = arena_alloc(c->arena, c->resource_count * sizeof(*list));

	for (const struct node *n = c->nodes; n; n = n->hh.next) {
		const struct task *t;

		LIST_FOREACH (t, &n->tasks, on_node)
			for (size_t r = 0; r < c->resource_count; r++)
				if (t->element->job->queue == q && t->state != TASK_ENDED)
					sum.amount[r] += task_request(t)->amount[r];
	}
	for (size_t r = 0; r < c->resource_count; r++) {
		list[r] = arena_alloc(c->arena, sizeof(**list));
		armada__resource__init(list[r]);
		list[r]->name = c->resource_names[r];
		list[r]->amount = sum.amount[r];
	}
	*ret_count = c->resource_count;
	return list;
}

static void add_queue(struct core *c, const struct queue *q, Armada__ListQueuesReply *r)
{
	Armada__QueueRow *row = arena_alloc(c->arena, sizeof(*row));

	armada__queue_row__init(row);
	row->spec = queue_spec(q, c->arena);
	row->spec->declared = declared_find(c->policy, q->name) != NULL;
	row->waiting = q->waiting;
	row->running = q->active;
	row->allocated = allocated_in(c, q, &row->n_allocated);
	row->created_us = q->created_us;
	row->created_by = q->created_by;
	r->queues[r->n_queues++] = row;
}

void req_list_queues(struct core *c, const void *message)
{
	const Armada__ListQueuesRequest *m = message;
	Armada__ListQueuesReply r = ARMADA__LIST_QUEUES_REPLY__INIT;
	size_t most = m->n_names ? m->n_names : HASH_COUNT(c->queues);

	r.queues = arena_alloc(c->arena, most * sizeof(*r.queues));
	r.missing = arena_alloc(c->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		for (const struct queue *q = c->queues; q; q = q->hh.next)
			add_queue(c, q, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct queue *q = core_find_queue(c, m->names[i]);

		if (q)
			add_queue(c, q, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	reply(c, MSG_LIST_QUEUES_REPLY, &r);
}
