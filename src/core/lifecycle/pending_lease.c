/*
 * Pending leases: their room, their release and their withdrawal (pending_lease.h has the model).
 *
 * room_find() answers for a new lease: ROOM_FREE if the node has room beside all running tasks and
 * all older pending leases; ROOM_PENDING if it has room only once the yielding elements have ended.
 * After each input that may free room, pending_leases_keep() walks the pending leases of the node,
 * the oldest first, and releases each whose nodes all have room: element_released, then the launch
 * orders. Members of a gang are released in one record, or not at all. All arithmetic is in exact
 * integers.
 *
 * Caveat: withdrawing a lease may free room for younger leases on all of its nodes, and ending one
 * may remove its job from memory. Callers must not use the element afterwards.
 */
#include "core/lifecycle/pending_lease.h"

#include "core/lifecycle/orders.h"
#include "core/state/state_machine.h"
#include "core/txn/emit.h"

#include <assert.h>
#include <string.h>

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
	return !t->element->yields && !t->leaving;
}

/* True for tasks that take precedence over e: tasks that may run now, and older pending leases. */
static bool is_before(const struct task *t, const struct element *e)
{
	return !t->element->lease_pending || is_older(t->element, e);
}

bool jobs_share(const struct job *a, const struct job *b)
{
	if (a->spec->exclusive || b->spec->exclusive)
		return false;
	return !(a->spec->exclusive_user || b->spec->exclusive_user) ||
	       strcmp(a->user->name, b->user->name) == 0;
}

/*
 * True if the node has room for `want` beside the tasks for which `counts` is true, in exact
 * integers, and e may share it with them. e: the element that needs the room. Its own tasks on the node
 * always count.
 */
static bool has_room(const struct node *n, const struct resources *want, const struct element *e,
		     bool (*counts)(const struct task *t, const struct element *e))
{
	struct resources left = n->total;
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		bool own = t->element == e;

		if (t->state == TASK_ENDED || (!own && !counts(t, e)))
			continue;
		if (!own && !jobs_share(e->job, t->element->job))
			return false;
		for (size_t r = 0; r < CORE_RESOURCES; r++)
			left.amount[r] -= task_request(t)->amount[r];
	}
	for (size_t r = 0; r < CORE_RESOURCES; r++)
		if (want->amount[r] > left.amount[r])
			return false;
	return true;
}

/*
 * True if the node has room for a pending lease, whose tasks are on its list already. O(tasks on
 * the node), however many tasks the element has.
 */
static bool keeps(const struct node *n, const struct element *e,
		  bool (*counts)(const struct task *t, const struct element *e))
{
	static const struct resources nothing_more;

	return has_room(n, &nothing_more, e, counts);
}

enum room room_find(const struct txn *txn, const struct node *n, const struct job *j,
		    uint32_t index, const struct resources *want)
{
	struct element e = {.job = j, .index = index, .seq = txn->seq};

	if (!has_room(n, want, &e, stays))
		return ROOM_NONE;
	return has_room(n, want, &e, is_before) ? ROOM_FREE : ROOM_PENDING;
}

static bool always(const struct task *t, const struct element *e)
{
	(void)t, (void)e;
	return true;
}

bool room_is_free(const struct node *n, const struct task *t)
{
	const struct element *e = t->element;

	return has_room(n, task_request(t), e, always);
}

enum room room_find_for(const struct txn *txn, const struct node *n, const struct gang *g,
			const struct resources *want)
{
	struct element e = {.job = gang_lead(g), .seq = txn->seq};

	if (!has_room(n, want, &e, stays))
		return ROOM_NONE;
	return has_room(n, want, &e, is_before) ? ROOM_FREE : ROOM_PENDING;
}

bool node_takes(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);

	return n->linked && live->conn && !live->registering &&
	       n->state == ARMADA__NODE_STATE__NODE_UP;
}

/* True if all nodes of e have room. `first` has just gained room, so it is checked first. */
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

/* The same for the pending members of its gang too: they are released together. */
static bool is_due(struct txn *txn, const struct element *e, const struct node *first)
{
	const struct gang *g = e->job->gang;

	if (!has_its_room(txn, e, first))
		return false;
	for (size_t i = 0; g && i < g->count; i++) {
		const struct element *other = gang_element(g->members[i]);

		if (other && other != e && other->lease_pending &&
		    !has_its_room(txn, other, other->tasks[0].node))
			return false;
	}
	return true;
}

bool pending_lease_is_due(struct txn *txn, const struct element *e)
{
	return e->lease_pending && is_due(txn, e, e->tasks[0].node);
}

/*
 * The oldest pending lease on the node that is younger than `after`, or the oldest of all if
 * `after` is NULL. NULL: none.
 */
static const struct element *next_pending(const struct node *n, const struct element *after)
{
	const struct element *best = NULL;
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		const struct element *e = t->element;

		if (e->lease_pending && (!after || is_older(after, e)) &&
		    (!best || is_older(e, best)))
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

/* Pending leases of one gang, or one alone, and the nodes of all of them. */
struct pending_group {
	const struct element **list;
	size_t count;
	const struct node **nodes;
	uint32_t node_count;
};

static struct pending_group group_of(struct txn *txn, const struct element *e)
{
	const struct gang *g = e->job->gang;
	size_t most = g ? g->count : 1;
	struct pending_group p = {
		.list = arena_alloc(txn->arena, most * sizeof(const struct element *))};
	uint32_t tasks = 0;

	for (size_t i = 0; i < most; i++) {
		const struct element *other = g ? element_find(g->members[i], 0) : e;

		if (!other || !other->lease_pending)
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
	struct pending_group p;

	if (!e->job->gang) {
		release_one(txn, e);
		return;
	}
	p = group_of(txn, e);
	for (size_t i = 0; i < p.count; i++)
		release_one(txn, p.list[i]);
}

void pending_leases_keep(struct txn *txn, const struct node *n)
{
	const struct element *e = NULL;

	while ((e = next_pending(n, e)))
		if (is_due(txn, e, n))
			release(txn, e);
}

/* Younger pending leases may have room now on these nodes. */
static void keep_all(struct txn *txn, const struct pending_group *p)
{
	for (uint32_t i = 0; i < p->node_count; i++)
		if (!i || p->nodes[i] != p->nodes[i - 1])
			pending_leases_keep(txn, p->nodes[i]);
}

static void withdraw_one(struct txn *txn, const struct element *e, const char *reason)
{
	Armada__ElementRequeued *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_REQUEUED, &m);

	assert(e->lease_pending && machine_next(e->state, EV_WITHDRAW) != NEXT_NONE);
	m->job = e->job->id;
	m->element = e->index;
	m->reason = arena_strdup(txn->arena, reason);
	m->failures = e->failures;
	m->for_job = txn->for_job;
	m->for_element = txn->for_element;
	emit_event(txn, ev);
}

void pending_lease_withdraw(struct txn *txn, const struct element *e, const char *reason)
{
	struct pending_group p = group_of(txn, e);

	for (size_t i = 0; i < p.count; i++)
		withdraw_one(txn, p.list[i], reason);
	keep_all(txn, &p);
}

void pending_lease_cancel(struct txn *txn, const struct element *e, const char *reason)
{
	struct pending_group p = group_of(txn, e);
	const char *others = arena_printf(txn->arena, "job %" PRIu64 " of its gang ended: %s",
					  e->job->id, reason);
	Armada__ElementEnded *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_ENDED, &m);

	assert(e->lease_pending && machine_next(e->state, EV_CONCLUDE) != NEXT_NONE);
	m->job = e->job->id;
	m->elements = range_of_one(e->index, 0, txn->arena);
	m->n_elements = 1;
	m->state = JOB(CANCELLED);
	m->reason = arena_strdup(txn->arena, reason);
	m->attempt = e->attempt;
	m->end_us = txn->clock_us;
	for (size_t i = 0; i < p.count; i++)
		if (p.list[i] != e)
			withdraw_one(txn, p.list[i], others);
	emit_event(txn, ev);
	keep_all(txn, &p);
}

void pending_leases_withdraw(struct txn *txn, const struct node *n, const char *reason)
{
	const struct element *e;

	while ((e = next_pending(n, NULL)))
		pending_lease_withdraw(txn, e, reason);
}

/* The youngest pending lease on the node; NULL: none. */
static const struct element *last_pending(const struct node *n)
{
	const struct element *last = NULL;

	for (const struct element *e = next_pending(n, NULL); e; e = next_pending(n, e))
		last = e;
	return last;
}

void pending_leases_fit(struct txn *txn, const struct node *n)
{
	const struct element *e;

	while ((e = last_pending(n)) && !keeps(n, e, stays))
		pending_lease_withdraw(txn, e,
				       arena_printf(txn->arena,
						    "node %s has fewer resources than before",
						    n->name));
	pending_leases_keep(txn, n);
}
