/*
 * The start barrier of tasks that start together (start_barrier.h has the model).
 *
 * Input: READY reports of nodes (start_barrier_ready), and every change that may open a barrier:
 * the end of a task without which the element continues, or of a task of another member of the
 * gang. Output: release orders, never an event. start_barrier_check() may be called at any time.
 *
 * The barrier of a gang of jobs spans the elements that were leased by the same record (`seq`). It
 * opens when each of them is ready: not pending, not being ended, not UNKNOWN, and every task is
 * READY, has started, or has ended without being replaced. An element of the gang that has ended is
 * not waited for.
 *
 * Caveat: `ready`, `released` and `barrier_open` are volatile. After a restart of the controller they
 * are empty, and nodes report READY again. A start time in the state means that the barrier was
 * open.
 */
#include "core/lifecycle/start_barrier.h"

#include "core/lifecycle/orders.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static bool has_partners(const struct element *e)
{
	return e->job->gang && e->job->gang->together > 1;
}

/* True if the barrier of this element was opened once. A started task proves it. */
static bool barrier_is_open(struct txn *txn, const struct element *e)
{
	if (live_element(txn->live, e)->barrier_open || e->start_us)
		return true;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].start_us)
			return true;
	return false;
}

void start_barrier_ready(struct txn *txn, const struct task *t)
{
	if (t->state != TASK_LEASED)
		return;
	live_task(txn->live, t)->ready = true;
	live_element(txn->live, t->element)->start_barrier_check = true;
}

/* True if no task of the element is missing at the start barrier. */
static bool is_ready(struct txn *txn, const struct element *e)
{
	if (e->lease_pending || e->why || e->state == JOB(UNKNOWN))
		return false;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];

		if (t->replacement || (t->state == TASK_LEASED && !live_task(txn->live, t)->ready))
			return false;
	}
	return true;
}

static void open_gate(struct txn *txn, const struct element *e)
{
	live_element(txn->live, e)->barrier_open = true;
	for (uint32_t i = 0; i < e->task_count && !e->why; i++) {
		const struct task *t = &e->tasks[i];
		struct task_live *live = live_task(txn->live, t);

		if (t->state == TASK_LEASED && live->ready && !live->released)
			order_release_task(txn, t);
	}
}

/* The element of this member that was leased together with e; NULL: none, or it has ended. */
static const struct element *partner(const struct job *member, const struct element *e)
{
	const struct element *other = element_find(member, 0);

	return other && other->task_count && other->seq == e->seq ? other : NULL;
}

static bool partners_are_ready(struct txn *txn, const struct element *e)
{
	const struct gang *g = e->job->gang;

	for (size_t i = 0; i < g->count; i++) {
		const struct element *other = partner(g->members[i], e);

		if (other && !is_ready(txn, other))
			return false;
	}
	return true;
}

static bool partners_are_open(struct txn *txn, const struct element *e)
{
	const struct gang *g = e->job->gang;

	for (size_t i = 0; i < g->count; i++) {
		const struct element *other = partner(g->members[i], e);

		if (other && barrier_is_open(txn, other))
			return true;
	}
	return false;
}

bool start_barrier_is_shut(struct txn *txn, const struct task *t)
{
	const struct element *e = t->element;

	return task_starts_with_others(t) && !barrier_is_open(txn, e) &&
	       !(has_partners(e) && partners_are_open(txn, e));
}

void start_barrier_check(struct txn *txn, const struct element *e)
{
	const struct gang *g = has_partners(e) ? e->job->gang : NULL;

	live_element(txn->live, e)->start_barrier_check = false;
	if (!e->task_count || e->lease_pending)
		return;
	if (!g) {
		if (barrier_is_open(txn, e) || is_ready(txn, e))
			open_gate(txn, e);
		return;
	}
	if (!barrier_is_open(txn, e) && !partners_are_open(txn, e) && !partners_are_ready(txn, e))
		return;
	for (size_t i = 0; i < g->count; i++) {
		const struct element *other = partner(g->members[i], e);

		if (other)
			open_gate(txn, other);
	}
}
