/*
 * The power of a node and the process of armd.
 *
 * If armd is killed, its spool and its shepherds remain; if the machine restarts, its spool
 * remains; if the disk is lost, nothing remains.
 */
#include "asim/storm/node.h"
#include "asim/storm/journal.h"
#include "asim/storm/lease.h"
#include "asim/storm/net.h"

#include <stdio.h>
#include <string.h>

void sim_node_init(struct storm *s, int index)
{
	struct sim_node *n = &s->nodes[index];

	n->index = index;
	n->cpus = 2 + 2 * index;
	sim_lease_init(s, n);
	n->boot = 1;
	snprintf(n->name, sizeof(n->name), "n%d", index);
	memset(n->meta.node_id, 'a' + index, sizeof(n->meta.node_id));
	memset(n->meta.spool_id, 'A' + index, sizeof(n->meta.spool_id));
	snprintf(n->meta.boot_id, sizeof(n->meta.boot_id), "boot-%d", n->boot);
	armada__register_node__init(&n->describe);
	for (int i = 0; i < 2; i++) {
		armada__resource__init(&n->resources[i]);
		n->resource_list[i] = &n->resources[i];
	}
	n->resources[0].name = (char *)"cpu";
	n->resources[0].amount = n->cpus * 1000;
	n->resources[1].name = (char *)"memory";
	n->resources[1].amount = INT64_C(64) << 30;
	n->describe.name = n->name;
	n->describe.can_reboot = true;
	n->describe.release = (char *)"storm";
	n->describe.resources = n->resource_list;
	n->describe.n_resources = 2;
}

static void stop(struct storm *s, struct sim_node *n)
{
	n->up = false;
	n->life++;
	ledger_free(n->ledger);
	link_free(n->link);
	n->ledger = NULL;
	n->link = NULL;
	for (size_t i = 0; i < SIM_CONNS; i++)
		if (s->net->conns[i].id && s->net->conns[i].node == n->index &&
		    s->net->conns[i].open_node)
			sim_net_break(s, &s->net->conns[i]);
}

static void start_later(struct storm *s, struct sim_node *n, int64_t max_us)
{
	storm_plan(s, 50000 + storm_random(s, max_us),
		   (struct sim_event){.kind = SIM_NODE_START, .node = n->index, .life = n->life});
}

void sim_node_crash(struct storm *s, struct sim_node *n)
{
	if (!n->up)
		return;
	s->count.armd_crashes++;
	storm_trace(s, "%s: armd is killed", n->name);
	stop(s, n);
	start_later(s, n, 60000000);
}

void sim_node_reboot(struct storm *s, struct sim_node *n)
{
	bool was_up = n->up;

	s->count.reboots++;
	storm_trace(s, "%s: the machine restarts", n->name);
	if (was_up)
		stop(s, n);
	n->leaving = false;
	sim_lease_boots(s, n);
	n->boot++;
	snprintf(n->meta.boot_id, sizeof(n->meta.boot_id), "boot-%d", n->boot);
	for (struct sim_attempt *a = n->spool; a; a = a->next) {
		if (a->alive && a->start_us && !a->ended)
			sim_journal_end(s, &a->key);
		a->alive = false;
	}
	if (was_up)
		start_later(s, n, 200000000);
}

void sim_node_wipe(struct storm *s, struct sim_node *n)
{
	sim_node_reboot(s, n);
	storm_trace(s, "%s: comes back with an empty disk", n->name);
	s->count.wiped++;
	sim_spool_clear(n);
	for (size_t i = 0; i < sizeof(n->meta.node_id); i++) {
		n->meta.node_id[i] = (uint8_t)storm_random(s, 256);
		n->meta.spool_id[i] = (uint8_t)storm_random(s, 256);
	}
	memset(n->meta.cluster_id, 0, sizeof(n->meta.cluster_id));
	n->meta.epoch = n->meta.floor = n->highest_epoch = 0;
	n->wiped = true;
}

/* True if no task of the node is left, so that an administrator may confirm the node dead. */
bool sim_node_is_surely_dead(const struct storm *s, const struct sim_node *n)
{
	if (sim_journal_runs(s, n->index))
		return false;
	for (const struct sim_attempt *a = n->spool; a; a = a->next)
		if (a->boot == n->boot && !a->ended)
			return false;
	return n->wiped || !n->up;
}

void sim_node_free(struct storm *s, struct sim_node *n)
{
	if (n->up)
		stop(s, n);
	sim_spool_clear(n);
}
