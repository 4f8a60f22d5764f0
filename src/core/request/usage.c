/*
 * USAGE: what running tasks of a node have used.
 *
 * Input: the message of a node. Output: volatile data of its tasks (core/txn/live.h), which listings
 * show; no record, no answer. Figures count only for tasks that run on the node of this connection with
 * this attempt, and are cut to sane numbers; others are counted as stale. So a node can make the
 * controller keep nothing more than it keeps for running tasks anyway.
 */
#include "core/request/request.h"

static void take_usage(struct txn *txn, const Armada__TaskUsage *u)
{
	const struct task *t = task_find(txn->state, u->key);
	struct task_live *live;

	if (!t || t->state != TASK_STARTED || !u->usage ||
	    live_node(txn->live, t->node)->conn != txn->in->conn) {
		txn->live->stale++;
		return;
	}
	live = live_task(txn->live, t);
	usage_take(u->usage, &live->usage);
	live->usage_known = true;
}

void req_usage(struct txn *txn, const Armada__UsageReport *m)
{
	for (size_t i = 0; i < m->n_tasks; i++)
		take_usage(txn, m->tasks[i]);
}
