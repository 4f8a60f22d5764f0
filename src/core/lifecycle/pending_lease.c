#include "core/lifecycle/pending_lease.h"

#include "core/lifecycle/orders.h"
#include "core/state/state_machine.h"
#include "core/txn/emit.h"

#include <assert.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static bool is_older(const struct element *a, const struct element *b)
{
	if (a->seq != b->seq)
		return a->seq < b->seq;
	if (a->job->id != b->job->id)
		return a->job->id < b->job->id;
	return a->index < b->index;
}

static bool stays(const struct task *t, const struct element *e)
{
	(void)e;
	return !t->element->yields;
}

/* What stands before e: whatever may run, and older promises. */
static bool is_before(const struct task *t, const struct element *e)
{
	return !t->element->promised || is_older(t->element, e);
}

/*
 * Is there room for so much more beside the tasks that count, in exact integers (F12, I6)? e: the
 * element that wants it. Its own tasks that are on the node already want their room too.
 */
static bool has_room(const struct node *n, const struct resources *want, bool exclusive,
		     const struct element *e,
		     bool (*counts)(const struct task *t, const struct element *e))
{
	struct resources left = n->total;
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		const struct spec *s = t->element->job->spec;
		bool own = t->element == e;

		if (t->state == TASK_ENDED || (!own && !counts(t, e)))
			continue;
		if (!own && (exclusive || s->exclusive))
			return false;
		for (size_t r = 0; r < CORE_RESOURCES; r++)
			left.amount[r] -= task_request(t)->amount[r];
	}
	for (size_t r = 0; r < CORE_RESOURCES; r++)
		if (want->amount[r] > left.amount[r])
			return false;
	return true;
}

/* For a promised element, whose tasks are on the node. O(tasks on the node), however many it has. */
static bool keeps(const struct node *n, const struct element *e,
		  bool (*counts)(const struct task *t, const struct element *e))
{
	static const struct resources nothing_more;

	return has_room(n, &nothing_more, e->job->spec->exclusive, e, counts);
}

enum room room_find(const struct txn *txn, const struct node *n, const struct job *j,
		    uint32_t index, const struct resources *want)
{
	struct element e = {.job = j, .index = index, .seq = txn->seq};
	bool exclusive = j->spec->exclusive;

	if (!has_room(n, want, exclusive, &e, stays))
		return ROOM_NONE;
	return has_room(n, want, exclusive, &e, is_before) ? ROOM_FREE : ROOM_PROMISED;
}

static bool always(const struct task *t, const struct element *e)
{
	(void)t, (void)e;
	return true;
}

bool room_is_free(const struct node *n, const struct task *t)
{
	const struct element *e = t->element;

	return has_room(n, task_request(t), e->job->spec->exclusive, e, always);
}

enum room room_find_for(const struct txn *txn, const struct node *n, const struct gang *g,
			const struct resources *want, bool exclusive)
{
	struct element e = {.job = gang_lead(g), .seq = txn->seq};

	if (!has_room(n, want, exclusive, &e, stays))
		return ROOM_NONE;
	return has_room(n, want, exclusive, &e, is_before) ? ROOM_FREE : ROOM_PROMISED;
}

bool node_takes(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);

	return n->linked && live->conn && !live->registering &&
	       n->state == ARMADA__NODE_STATE__NODE_UP;
}

/* Have all its nodes room for it? The one that is given has gained some: it is looked at first. */
static bool has_its_room(struct txn *txn, const struct element *e, const struct node *first)
{
	const struct node *last = first;

	if (!node_takes(txn, first) || !keeps(first, e, is_before))
		return false;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct node *n = e->tasks[i].node;

		if (n == last)
			continue;
		last = n;
		if (!node_takes(txn, n) || !keeps(n, e, is_before))
			return false;
	}
	return true;
}

/* Has the rest of its gang, too? They were promised together and begin together. */
static bool is_due(struct txn *txn, const struct element *e, const struct node *first)
{
	const struct gang *g = e->job->gang;

	if (!has_its_room(txn, e, first))
		return false;
	for (size_t i = 0; g && i < g->count; i++) {
		const struct element *other = gang_element(g->members[i]);

		if (other && other != e && other->promised &&
		    !has_its_room(txn, other, other->tasks[0].node))
			return false;
	}
	return true;
}

bool pending_lease_is_due(struct txn *txn, const struct element *e)
{
	return e->promised && is_due(txn, e, e->tasks[0].node);
}

/* The oldest promise on the node that is younger than this one; NULL: the oldest. */
static const struct element *next_promise(const struct node *n, const struct element *after)
{
	const struct element *best = NULL;
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		const struct element *e = t->element;

		if (e->promised && (!after || is_older(after, e)) && (!best || is_older(e, best)))
			best = e;
	}
	return best;
}

static void release_one(struct txn *txn, const struct element *e)
{
	Armada__ElementReleased *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_RELEASED, &m);

	assert(machine_next(e->state, EV_RELEASE) != NEXT_NONE);
	m->job = e->job->id;
	m->element = e->index;
	emit_event(txn, ev);
	for (uint32_t i = 0; i < e->task_count; i++)
		order_launch_task(txn, &e->tasks[i]);
}

/* What was promised together, and the nodes of all of it. */
struct party {
	const struct element **list;
	size_t count;
	const struct node **nodes;
	uint32_t node_count;
};

static struct party party_of(struct txn *txn, const struct element *e)
{
	const struct gang *g = e->job->gang;
	size_t most = g ? g->count : 1;
	struct party p = {.list = arena_alloc(txn->arena, most * sizeof(const struct element *))};
	uint32_t tasks = 0;

	for (size_t i = 0; i < most; i++) {
		const struct element *other = g ? element_find(g->members[i], 0) : e;

		if (!other || !other->promised)
			continue;
		p.list[p.count++] = other;
		tasks += other->task_count;
	}
	p.nodes = arena_alloc(txn->arena, tasks * sizeof(const struct node *));
	for (size_t i = 0; i < p.count; i++)
		for (uint32_t t = 0; t < p.list[i]->task_count; t++)
			p.nodes[p.node_count++] = p.list[i]->tasks[t].node;
	return p;
}

static void release(struct txn *txn, const struct element *e)
{
	struct party p;

	if (!e->job->gang) {
		release_one(txn, e);
		return;
	}
	p = party_of(txn, e);
	for (size_t i = 0; i < p.count; i++)
		release_one(txn, p.list[i]);
}

void pending_leases_keep(struct txn *txn, const struct node *n)
{
	const struct element *e = NULL;

	while ((e = next_promise(n, e)))
		if (is_due(txn, e, n))
			release(txn, e);
}

/* What was promised to others behind them may have come free on these nodes. */
static void keep_all(struct txn *txn, const struct party *p)
{
	for (uint32_t i = 0; i < p->node_count; i++)
		if (!i || p->nodes[i] != p->nodes[i - 1])
			pending_leases_keep(txn, p->nodes[i]);
}

static void withdraw_one(struct txn *txn, const struct element *e, const char *reason)
{
	Armada__ElementRequeued *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_REQUEUED, &m);

	assert(e->promised && machine_next(e->state, EV_WITHDRAW) != NEXT_NONE);
	m->job = e->job->id;
	m->element = e->index;
	m->reason = arena_strdup(txn->arena, reason);
	m->failures = e->failures;
	emit_event(txn, ev);
}

void pending_lease_withdraw(struct txn *txn, const struct element *e, const char *reason)
{
	struct party p = party_of(txn, e);

	for (size_t i = 0; i < p.count; i++)
		withdraw_one(txn, p.list[i], reason);
	keep_all(txn, &p);
}

void pending_lease_cancel(struct txn *txn, const struct element *e, const char *reason)
{
	struct party p = party_of(txn, e);
	const char *others = arena_printf(txn->arena, "job %" PRIu64 " of its gang ended: %s",
					  e->job->id, reason);
	Armada__ElementEnded *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_ENDED, &m);

	assert(e->promised && machine_next(e->state, EV_CONCLUDE) != NEXT_NONE);
	m->job = e->job->id;
	m->elements = range_of_one(e->index, 0, txn->arena);
	m->n_elements = 1;
	m->state = JOB(CANCELLED);
	m->reason = arena_strdup(txn->arena, reason);
	m->attempt = e->attempt;
	m->end_us = txn->now_us;
	for (size_t i = 0; i < p.count; i++)
		if (p.list[i] != e)
			withdraw_one(txn, p.list[i], others);
	emit_event(txn, ev);
	keep_all(txn, &p);
}

void pending_leases_withdraw(struct txn *txn, const struct node *n, const char *reason)
{
	const struct element *e;

	while ((e = next_promise(n, NULL)))
		pending_lease_withdraw(txn, e, reason);
}

/* The youngest promise on the node; NULL: none. */
static const struct element *last_promise(const struct node *n)
{
	const struct element *last = NULL;

	for (const struct element *e = next_promise(n, NULL); e; e = next_promise(n, e))
		last = e;
	return last;
}

void pending_leases_fit(struct txn *txn, const struct node *n)
{
	const struct element *e;

	while ((e = last_promise(n)) && !keeps(n, e, stays))
		pending_lease_withdraw(
			txn, e, arena_printf(txn->arena, "node %s has less than it had", n->name));
	pending_leases_keep(txn, n);
}
