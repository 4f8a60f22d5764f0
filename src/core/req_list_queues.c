/* LIST_QUEUES. */
#include "core/queue.h"
#include "core/request.h"
#include "util/mem.h"

/* A queue while it is answered, and what its tasks hold: all of them are looked at once. */
struct told {
	const struct queue *queue;
	struct resources sum;
	bool done; /* who names it twice is told once */
	UT_hash_handle hh;
};

static struct told *told_of(struct core *c, struct told **map, const struct queue *q)
{
	struct told *t;

	HASH_FIND_PTR(*map, &q, t);
	if (!t) {
		t = arena_zalloc(c->arena, 1, sizeof(*t));
		t->queue = q;
		HASH_ADD_PTR(*map, queue, t);
	}
	return t;
}

static void sum_up(struct core *c, struct told **map)
{
	for (const struct node *n = c->nodes; n; n = n->hh.next) {
		const struct task *t;

		LIST_FOREACH (t, &n->tasks, on_node) {
			struct told *of;

			if (t->state == TASK_ENDED)
				continue;
			of = told_of(c, map, t->element->job->queue);
			for (size_t r = 0; r < c->resource_count; r++)
				of->sum.amount[r] += task_request(t)->amount[r];
		}
	}
}

static Armada__Resource **allocated(struct core *c, const struct resources *sum, size_t *ret_count)
{
	Armada__Resource **list = arena_alloc(c->arena, c->resource_count * sizeof(*list));

	for (size_t r = 0; r < c->resource_count; r++) {
		list[r] = arena_alloc(c->arena, sizeof(**list));
		armada__resource__init(list[r]);
		list[r]->name = c->resource_names[r];
		list[r]->amount = sum->amount[r];
	}
	*ret_count = c->resource_count;
	return list;
}

static void add_queue(struct core *c, struct told **map, const struct queue *q,
		      Armada__ListQueuesReply *r)
{
	struct told *t = told_of(c, map, q);
	Armada__QueueRow *row;

	if (t->done)
		return;
	t->done = true;
	row = arena_alloc(c->arena, sizeof(*row));
	armada__queue_row__init(row);
	row->spec = queue_spec(q, c->arena);
	row->spec->declared = declared_find(c->policy, q->name) != NULL;
	row->waiting = q->waiting;
	row->running = q->active;
	row->allocated = allocated(c, &t->sum, &row->n_allocated);
	row->created_us = q->created_us;
	row->created_by = q->created_by;
	r->queues[r->n_queues++] = row;
}

void req_list_queues(struct core *c, const void *message)
{
	const Armada__ListQueuesRequest *m = message;
	Armada__ListQueuesReply r = ARMADA__LIST_QUEUES_REPLY__INIT;
	struct told *map = NULL;
	size_t most = m->n_names ? m->n_names : HASH_COUNT(c->queues);

	sum_up(c, &map);
	r.queues = arena_alloc(c->arena, most * sizeof(*r.queues));
	r.missing = arena_alloc(c->arena, most * sizeof(*r.missing));
	if (!m->n_names)
		for (const struct queue *q = c->queues; q; q = q->hh.next)
			add_queue(c, &map, q, &r);
	for (size_t i = 0; i < m->n_names; i++) {
		const struct queue *q = core_find_queue(c, m->names[i]);

		if (q)
			add_queue(c, &map, q, &r);
		else
			r.missing[r.n_missing++] = m->names[i];
	}
	HASH_CLEAR(hh, map);
	reply(c, MSG_LIST_QUEUES_REPLY, &r);
}
