/*
 * Extra tasks of elastic elements: lease, withdrawal, and the news of it (elastic.h).
 *
 * Input: decisions of the scheduler about the ids of extra tasks, and the events of an input. Output: the
 * events task_leased and task_leaving, launch and kill orders, and settings orders. What follows from the end
 * of a task that was taken back is decided in element.c, as for any other task.
 *
 * Caveat: an input may end several tasks of an element. All of them are in one settings order, because an
 * order is known by the sequence of the record.
 */
#include "core/lifecycle/elastic.h"

#include "core/admission/running_quota.h"
#include "core/lifecycle/orders.h"
#include "core/lifecycle/pending_lease.h"
#include "core/state/extra.h"
#include "core/state/floating.h"
#include "core/txn/emit.h"
#include "util/mem.h"

#include <assert.h>
#include <stdlib.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/* True if the element runs and may get one more task. */
static bool takes_tasks(const struct element *e)
{
	return e->start_us && !e->why && !e->suspended && !e->job->held && e->state == JOB(RUNNING);
}

/* True if the job needs distinct nodes and another task of the element is on n. */
static bool is_beside_others(const struct element *e, const struct node *n)
{
	for (uint32_t i = 0; e->job->spec->distinct && i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED && e->tasks[i].node == n)
			return true;
	return false;
}

static bool has_room(struct txn *txn, const struct element *e, uint32_t extra, const struct node *n)
{
	const struct resources *want = spec_request(e->job->spec, extra_group(e, extra));

	return node_takes(txn, n) && !is_beside_others(e, n) &&
	       running_quota_allows(txn, e->job, 0, want) &&
	       room_find(txn, n, e->job, e->index, want) == ROOM_FREE;
}

bool elastic_start(struct txn *txn, const struct sched_decision *d)
{
	uint32_t extra;
	const struct element *e = extra_find(txn->state, d->job, &extra);
	const struct node *n =
		d->node_count == 1 && d->nodes[0] ? node_find(txn->state, d->nodes[0]) : NULL;
	const struct task *t;
	Armada__TaskLeased *m;
	Armada__Event *ev;

	if (!e || !n || !takes_tasks(e) || !extra_waits(e, extra) || !has_room(txn, e, extra, n))
		return false;
	t = extra_task(e, extra);
	ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_LEASED, &m);
	m->key = task_key_message(&e->tasks[0], e->attempt + 1, txn->arena);
	m->key->rank = t ? t->rank : e->task_count;
	m->node = n->name;
	m->extra = extra + 1;
	emit_event(txn, ev);
	order_launch_task(txn, extra_task(e, extra));
	return true;
}

static const struct task *running_task(const struct txn *txn, const struct sched_decision *d)
{
	uint32_t extra;
	const struct element *e = extra_find(txn->state, d->job, &extra);
	const struct task *t = e ? extra_task(e, extra) : NULL;

	return t && t->state != TASK_ENDED ? t : NULL;
}

bool elastic_is_running(const struct txn *txn, const struct sched_decision *d)
{
	return running_task(txn, d) != NULL;
}

bool elastic_preempt(struct txn *txn, const struct sched_decision *d, const char *text)
{
	const struct task *t = running_task(txn, d);
	Armada__TaskLeaving *m;
	Armada__Event *ev;

	/* the tasks of a silent node obey no order */
	if (!t || t->leaving || t->element->why || t->element->state == JOB(UNKNOWN))
		return false;
	ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_LEAVING, &m);
	m->key = task_key_message(t, t->attempt, txn->arena);
	m->text = arena_strdup(txn->arena, text);
	m->for_job = txn->for_job;
	m->for_element = txn->for_element;
	emit_event(txn, ev);
	order_kill_task(txn, t, ARMADA__END_CAUSE__END_PREEMPTED);
	return true;
}

void elastic_note_reason(struct txn *txn, const struct sched_reason *r)
{
	uint32_t extra;
	const struct element *e = extra_find(txn->state, r->job, &extra);
	struct element_live *live;

	if (!e)
		return;
	live = live_element(txn->live, e);
	free(live->extras_reason);
	live->extras_reason = xstrdup(r->text);
}

/* The key of the task whose end, start or leave the event notes; NULL: another event. */
static const Armada__TaskKey *key_of(const Armada__Event *ev)
{
	return ev->kind_case == ARMADA__EVENT__KIND_TASK_STARTED   ? ev->task_started->key
	       : ev->kind_case == ARMADA__EVENT__KIND_TASK_ENDED   ? ev->task_ended->key
	       : ev->kind_case == ARMADA__EVENT__KIND_TASK_LEAVING ? ev->task_leaving->key
								   : NULL;
}

/* The tasks that are not told get their settings with the next heartbeats (orders_resend). */
static void tell_element(struct txn *txn, const struct element *e)
{
	struct element_live *live = live_element(txn->live, e);

	if (live->told_us && txn->in->steady_us - live->told_us < txn->policy->heartbeat_us)
		return;
	live->told_us = txn->in->steady_us;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state == TASK_STARTED && !e->tasks[i].leaving)
			order_settings_task(txn, &e->tasks[i]);
}

void elastic_tell(struct txn *txn)
{
	for (size_t i = 0; i < txn->event_count; i++) {
		const Armada__TaskKey *key = key_of(txn->events[i]);
		const struct job *j = key ? job_find(txn->state, key->job) : NULL;
		const struct element *e = j ? element_find(j, key->element) : NULL;

		if (e && e->extras && !e->why && e->hosts_seq == txn->seq)
			tell_element(txn, e);
	}
}
