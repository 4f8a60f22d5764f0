#include "asim/storm/admin.h"

#define ACTION(name) ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name

static void change_node(struct storm *s, const struct sim_node *n, Armada__UpdateNodeRequest *m)
{
	char *names[] = {(char *)n->name};

	m->names = names;
	m->n_names = 1;
	m->reason = (char *)"weather";
	sim_client_ask(s, SIM_JOBS, MSG_UPDATE_NODE, m);
}

void sim_admin_drain(struct storm *s, const struct sim_node *n, bool resume)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = resume ? ACTION(RESUME) : ACTION(DRAIN);
	change_node(s, n, &m);
}

void sim_admin_confirm_dead(struct storm *s, const struct sim_node *n)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = ACTION(CONFIRM_DEAD);
	if (!sim_node_is_surely_dead(s, n))
		return;
	s->count.confirmed++;
	change_node(s, n, &m);
}

static void relabel(struct storm *s, const struct sim_node *n)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	Armada__Label label = ARMADA__LABEL__INIT, *list[] = {&label};

	m.action = ACTION(LABEL);
	label.key = (char *)"zone";
	label.value = (char *)(storm_random(s, 2) ? "a" : "b");
	m.labels = list;
	m.n_labels = 1;
	change_node(s, n, &m);
}

static void reboot(struct storm *s, const struct sim_node *n)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = ACTION(REBOOT);
	m.now = storm_random(s, 2);
	m.stay_drained = storm_random(s, 2);
	change_node(s, n, &m);
}

static void extend_leases(struct storm *s, const struct sim_node *n)
{
	Armada__ExtendLeaseRequest m = ARMADA__EXTEND_LEASE_REQUEST__INIT;
	char *names[] = {(char *)n->name};

	m.names = names;
	m.n_names = 1;
	m.duration_s = 60 + (int64_t)storm_random(s, 900);
	m.reason = (char *)"";
	sim_client_ask(s, SIM_JOBS, MSG_EXTEND_LEASE, &m);
}

void sim_admin_act(struct storm *s, const struct sim_job *j UNUSED, const struct sim_node *n)
{
	static void (*const cares[])(struct storm * s, const struct sim_node *n) = {
		relabel, extend_leases, reboot, sim_admin_confirm_dead, sim_admin_confirm_dead};

	cares[storm_random(s, ARRAY_SIZE(cares))](s, n);
}
