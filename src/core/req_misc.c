/* PING, RECONFIGURE, SHUTDOWN. */
#include "core/request.h"

void req_ping(struct core *c, const void *message)
{
	Armada__PingReply r = ARMADA__PING_REPLY__INIT;

	(void)message;
	r.release = c->release;
	r.cluster = c->cluster;
	r.cluster_id.data = c->cluster_id;
	r.cluster_id.len = sizeof(c->cluster_id);
	r.epoch = c->epoch;
	r.started_us = c->started_us;
	r.jobs = c->job_live;
	r.waiting = c->waiting;
	r.running = c->active;
	for (const struct node *n = c->nodes; n; n = n->hh.next) {
		r.nodes++;
		r.nodes_up += n->linked && n->state == ARMADA__NODE_STATE__NODE_UP;
	}
	r.log_seq = c->seq;
	r.time_us = c->in->wall_us;
	r.stale = c->stale;
	reply(c, MSG_PING_REPLY, &r);
}

void req_reconfigure(struct core *c, const void *message)
{
	const Armada__ReconfigureRequest *m = message;
	struct effect *e = effect_add(c, EFFECT_RECONFIGURE);

	e->dry_run = m->dry_run;
	e->conn = c->in->conn;
	e->request = c->in->request;
}

void req_shutdown(struct core *c, const void *message)
{
	(void)message;
	reply_ok(c, "armctld ends; running jobs go on");
	effect_add(c, EFFECT_SHUTDOWN);
}
