/*
 * SUSPEND: freezes the processes of running elements, or lets them continue.
 *
 * A suspended element keeps its nodes, its lease and its share, and its time limit goes on. Input: a filter.
 * Output: an event for each element that changes, and settings orders, which are repeated until the nodes
 * confirm them. Elements on nodes that cannot freeze processes are refused with a sentence.
 */
#include "core/lifecycle/orders.h"
#include "core/request/bulk.h"
#include "core/request/request.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"

enum { ORDERS_AT_ONCE = 2000 };

struct suspend {
	struct txn *txn;
	struct bulk bulk;
	const Armada__SuspendRequest *m;
	Armada__SuspendReply reply;
	uint64_t orders;
};

static void refuse(struct suspend *x, const struct element *e, const char *why)
{
	x->reply.refused++;
	bulk_problem_of(&x->bulk, e->job, e, why);
}

/* The first node of the element that cannot freeze processes; NULL: all can. */
static const struct node *obstacle(const struct element *e)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED && !e->tasks[i].node->set->can_suspend)
			return e->tasks[i].node;
	return NULL;
}

static void change(struct suspend *x, const struct element *e)
{
	struct txn *txn = x->txn;
	Armada__ElementSuspended *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_SUSPENDED, &m);

	m->job = e->job->id;
	m->element = e->index;
	m->suspended = !x->m->resume;
	m->by_uid = txn->in->caller->uid;
	emit_event(txn, ev);
	x->reply.changed++;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state == TASK_STARTED && x->orders < ORDERS_AT_ONCE) {
			order_settings_task(txn, &e->tasks[i]);
			x->orders++;
		}
	x->bulk.is_full = x->orders >= ORDERS_AT_ONCE;
}

static void change_element(struct suspend *x, const struct element *e)
{
	const struct node *n = obstacle(e);

	if (e->suspended != x->m->resume)
		return; /* it is in the wanted state already */
	if (x->m->resume || (e->state == ARMADA__JOB_STATE__JOB_RUNNING && !n))
		change(x, e);
	else if (e->state != ARMADA__JOB_STATE__JOB_RUNNING)
		refuse(x, e, "is not running");
	else
		refuse(x, e,
		       arena_printf(x->txn->arena,
				    "cannot be suspended: node %s cannot freeze processes (its "
				    "containment is %s; control groups are needed)",
				    n->name,
				    n->set->containment[0] ? n->set->containment : "none"));
}

static void change_job(struct suspend *x, const struct job *j)
{
	if (!rights_may(x->txn, x->txn->in->caller, VERB_CANCEL, j, NULL)) {
		if (x->m->filter->n_ids)
			bulk_deny(&x->bulk, j);
		return;
	}
	for (size_t i = 0; i < j->element_count; i++)
		if (bulk_means(&x->bulk, j->elements[i]))
			change_element(x, j->elements[i]);
}

void req_suspend(struct txn *txn, const Armada__SuspendRequest *m)
{
	struct suspend x = {.txn = txn, .bulk = BULK(txn, m, &x.reply), .m = m};
	const struct job *j;

	armada__suspend_reply__init(&x.reply);
	if (bulk_refused(txn, m->filter))
		return;
	while ((j = bulk_next(&x.bulk)))
		change_job(&x, j);
	reply(txn, MSG_SUSPEND_REPLY, &x.reply);
}
