#include "node_rig.h"

const Armada__NodeRow *node_row(struct test_world *w, const char *name)
{
	Armada__ListNodesRequest m = ARMADA__LIST_NODES_REQUEST__INIT;
	char *names[] = {(char *)name};
	const Armada__ListNodesReply *r;

	m.names = names;
	m.n_names = 1;
	world_send(w, ADMIN_USER, MSG_LIST_NODES, &m);
	r = world_reply(w, MSG_LIST_NODES_REPLY);
	return r && r->n_nodes ? r->nodes[0] : NULL;
}

bool node_update(struct test_world *w, const char *name, Armada__UpdateNodeRequest *m)
{
	char *names[] = {(char *)name};

	m->names = names;
	m->n_names = 1;
	world_send(w, ADMIN_USER, MSG_UPDATE_NODE, m);
	return world_reply(w, MSG_OK) != NULL;
}

bool node_change(struct test_world *w, const char *name, int action, const char *reason)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = (Armada__UpdateNodeRequest__Action)action;
	m.reason = (char *)reason;
	return node_update(w, name, &m);
}

uint64_t node_run_silent(struct test_world *w)
{
	uint64_t job = world_submit_plain(w);

	world_decide(w, job, 0, "n1");
	world_started(w, 1, job, 0, 0, 1);
	return job;
}

void node_run_one(struct test_world *w)
{
	world_init(w);
	w->policy.lease_us = 120 * S;
	w->policy.lease_margin_us = 10 * S;
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
}
