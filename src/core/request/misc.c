/*
 * PING, RECONFIGURE, SHUTDOWN, CONTROLLERS, TAKEOVER, COPY_CHANGE, COPY_HISTORY. The shell knows the
 * controllers.
 */
#include "core/request/request.h"
#include "core/txn/effects.h"
#include "core/txn/reply.h"

#include <string.h>

/* What the controller says of itself does not wait for the records of others. */
static void at_once(struct txn *txn)
{
	txn->effects[txn->effect_count - 1].needs = 1;
}

void req_ping(struct txn *txn, const Armada__PingRequest *m)
{
	Armada__PingReply r = ARMADA__PING_REPLY__INIT;

	(void)m;
	r.release = txn->live->release;
	r.cluster = txn->state->cluster;
	r.cluster_id.data = (uint8_t *)txn->state->cluster_id;
	r.cluster_id.len = sizeof(txn->state->cluster_id);
	r.epoch = txn->state->epoch;
	r.started_us = txn->live->started_us;
	r.jobs = txn->state->job_live;
	r.waiting = txn->state->waiting;
	r.running = txn->state->active;
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		r.nodes++;
		r.nodes_not_limited += n->set->not_limited[0] != '\0';
		/* the cause of the difference is in parentheses */
		r.nodes_cpus_weaker += strchr(n->set->cpu_containment, '(') != NULL;
		r.nodes_up += n->linked && n->state == ARMADA__NODE_STATE__NODE_UP;
	}
	for (size_t i = 0; i < txn->policy->node_count; i++)
		r.nodes += !node_find(txn->state, txn->policy->nodes[i].name);
	r.log_seq = txn->state->seq;
	r.time_us = txn->in->wall_us;
	r.stale = txn->live->stale;
	r.problem = txn->live->problem ? txn->live->problem : (char *)"";
	reply(txn, MSG_PING_REPLY, &r);
	at_once(txn);
}

void req_reconfigure(struct txn *txn, const Armada__ReconfigureRequest *m)
{
	effect_later(txn, EFFECT_RECONFIGURE)->dry_run = m->dry_run;
}

void req_shutdown(struct txn *txn, const Armada__ShutdownRequest *m)
{
	(void)m;
	reply_ok(txn, "armctld shuts down; running jobs continue");
	effect_add(txn, EFFECT_SHUTDOWN);
}

void req_controllers(struct txn *txn, const Armada__ControllersRequest *m)
{
	(void)m;
	effect_later(txn, EFFECT_CONTROLLERS);
	at_once(txn);
}

void req_takeover(struct txn *txn, const Armada__TakeoverRequest *m)
{
	effect_later(txn, EFFECT_TAKEOVER)->text = m->name;
}

/* Also while records wait for a copy: that copy may be the one to take out. */
void req_copy_change(struct txn *txn, const Armada__CopyChangeRequest *m)
{
	struct effect *e = effect_later(txn, EFFECT_COPY);

	e->text = m->name;
	e->member = m->member;
	e->by = txn->in->caller->user ? txn->in->caller->user : "an administrator";
	at_once(txn);
}

void req_copy_history(struct txn *txn, const Armada__CopyHistoryRequest *m)
{
	effect_later_with(txn, EFFECT_COPY_HISTORY, MSG_COPY_HISTORY, m);
}
