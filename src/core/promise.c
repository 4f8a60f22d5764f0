/*
 * Room on nodes, and leases whose room others still have.
 *
 * The scheduler starts a job in the room of another that it preempts in the same breath, but that
 * one may take its grace to end. Its lease is promised: the room is held against everybody else, and
 * the orders leave (ELEMENT_RELEASED) in the record of the end that made the last of it. Whoever was
 * promised first goes first: what is older on a node counts as if it ran there. As what is to stay
 * never exceeds a node, every promise is kept once those who yield have ended.
 *
 * Nothing of a promised lease was ever ordered. So it is withdrawn without proof of anything: when a
 * node of it is no longer one to start jobs on, or when it is preempted itself.
 */
#include "core/machine.h"
#include "core/request.h"
#include "util/mem.h"

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
 * Is there room for so many more tasks of the job beside those that count, in exact integers (F12,
 * I6)? e: the element to which the tasks belong, when it is on the node already.
 */
static bool fits(const struct node *n, const struct job *j, uint32_t tasks, const struct element *e,
		 bool (*counts)(const struct task *t, const struct element *e))
{
	struct resources left = n->total;
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		const struct spec *s = t->element->job->spec;

		if (t->state == TASK_ENDED || t->element == e || !counts(t, e))
			continue;
		if (j->spec->exclusive || s->exclusive)
			return false;
		for (size_t r = 0; r < CORE_RESOURCES; r++)
			left.amount[r] -= s->request.amount[r];
	}
	for (size_t r = 0; r < CORE_RESOURCES; r++) {
		int64_t want;

		if (__builtin_mul_overflow(j->spec->request.amount[r], (int64_t)tasks, &want) ||
		    want > left.amount[r])
			return false;
	}
	return true;
}

enum room room_find(const struct core *c, const struct node *n, struct job *j, uint32_t index,
		    uint32_t tasks)
{
	struct element e = {.job = j, .index = index, .seq = c->record.seq};

	if (!fits(n, j, tasks, &e, stays))
		return ROOM_NONE;
	return fits(n, j, tasks, &e, is_before) ? ROOM_FREE : ROOM_PROMISED;
}

bool node_takes(const struct node *n)
{
	return n->linked && n->conn && !n->registering && n->state == ARMADA__NODE_STATE__NODE_UP;
}

static uint32_t tasks_on(const struct element *e, const struct node *n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		count += e->tasks[i].node == n;
	return count;
}

/* Have all its nodes room for it? The one that is given has gained some: it is looked at first. */
static bool has_its_room(const struct element *e, const struct node *first)
{
	const struct node *last = first;

	if (!node_takes(first) || !fits(first, e->job, tasks_on(e, first), e, is_before))
		return false;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct node *n = e->tasks[i].node;

		if (n == last)
			continue;
		last = n;
		if (!node_takes(n) || !fits(n, e->job, tasks_on(e, n), e, is_before))
			return false;
	}
	return true;
}

bool promise_is_due(const struct element *e)
{
	return e->promised && has_its_room(e, e->tasks[0].node);
}

/* The oldest promise on the node that is younger than this one; NULL: the oldest. */
static struct element *next_promise(const struct node *n, const struct element *after)
{
	struct element *best = NULL;
	struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		struct element *e = t->element;

		if (e->promised && (!after || is_older(after, e)) && (!best || is_older(e, best)))
			best = e;
	}
	return best;
}

static void release(struct core *c, struct element *e)
{
	Armada__ElementReleased *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_ELEMENT_RELEASED, &m);

	assert(machine_next(e->state, EV_RELEASE) != NEXT_NONE);
	m->job = e->job->id;
	m->element = e->index;
	emit(c, ev);
	for (uint32_t i = 0; i < e->task_count; i++)
		order_launch_task(c, &e->tasks[i]);
}

void promises_keep(struct core *c, struct node *n)
{
	struct element *e = NULL;

	while ((e = next_promise(n, e)))
		if (has_its_room(e, n))
			release(c, e);
}

/* What was promised to others behind it may have come free on these nodes. */
static void keep_all(struct core *c, struct node **nodes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!i || nodes[i] != nodes[i - 1])
			promises_keep(c, nodes[i]);
}

static struct node **nodes_of(struct core *c, const struct element *e)
{
	struct node **nodes = arena_alloc(c->arena, e->task_count * sizeof(struct node *));

	for (uint32_t i = 0; i < e->task_count; i++)
		nodes[i] = e->tasks[i].node;
	return nodes;
}

void promise_withdraw(struct core *c, struct element *e, const char *reason)
{
	struct node **nodes = nodes_of(c, e);
	uint32_t count = e->task_count;
	Armada__ElementRequeued *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_ELEMENT_REQUEUED, &m);

	assert(e->promised && machine_next(e->state, EV_WITHDRAW) != NEXT_NONE);
	m->job = e->job->id;
	m->element = e->index;
	m->reason = arena_strdup(c->arena, reason);
	m->failures = e->failures;
	emit(c, ev);
	keep_all(c, nodes, count);
}

void promise_cancel(struct core *c, struct element *e, const char *reason)
{
	struct node **nodes = nodes_of(c, e);
	uint32_t count = e->task_count;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT;
	Armada__ElementEnded *m;
	Armada__Event *ev = event_make(c, ARMADA__EVENT__KIND_ELEMENT_ENDED, &m);

	assert(e->promised && machine_next(e->state, EV_CONCLUDE) != NEXT_NONE);
	range.first = range.last = e->index;
	m->job = e->job->id;
	m->elements = arena_alloc(c->arena, sizeof(*m->elements));
	m->elements[0] = arena_memdup(c->arena, &range, sizeof(range));
	m->n_elements = 1;
	m->state = JOB(CANCELLED);
	m->reason = arena_strdup(c->arena, reason);
	m->attempt = e->attempt;
	m->end_us = c->now_us;
	emit(c, ev);
	keep_all(c, nodes, count);
}

void promises_withdraw(struct core *c, struct node *n, const char *reason)
{
	struct element *e;

	while ((e = next_promise(n, NULL)))
		promise_withdraw(c, e, reason);
}

/* The youngest promise on the node; NULL: none. */
static struct element *last_promise(const struct node *n)
{
	struct element *last = NULL;

	for (struct element *e = next_promise(n, NULL); e; e = next_promise(n, e))
		last = e;
	return last;
}

void promises_fit(struct core *c, struct node *n)
{
	struct element *e;

	while ((e = last_promise(n)) && !fits(n, e->job, tasks_on(e, n), e, stays))
		promise_withdraw(c, e,
				 arena_printf(c->arena, "node %s has less than it had", n->name));
	promises_keep(c, n);
}

uint32_t promise_awaits(const struct element *e)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t;

		if (i && e->tasks[i].node == e->tasks[i - 1].node)
			continue;
		LIST_FOREACH (t, &e->tasks[i].node->tasks, on_node)
			count += t->state != TASK_ENDED && t->element->yields;
	}
	return count;
}
