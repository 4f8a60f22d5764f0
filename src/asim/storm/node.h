/*
 * A node of a storm: its disk, its running tasks, and the real ledger and link.
 *
 * This header has power and processes: armd is killed and started, the machine restarts or loses
 * its disk. armd.h has armd while it runs.
 */
#pragma once

#include "agent/lease.h"
#include "agent/link.h"
#include "asim/storm/order.h"

struct sim_node {
	char name[16];
	int index, boot;
	int cpus;
	bool up, unhealthy; /* armd runs; the node is unhealthy */
	bool leaving;       /* the machine is being shut down */
	uint32_t life;
	struct ledger *ledger;
	struct link *link;
	struct sim_terms taking; /* of the order being taken */
	uint8_t stamp_key[STAMP_KEY];
	struct lease_times times;   /* on its disk, of this boot */
	int64_t skew;               /* of its clock, in a million */
	int64_t booted_us;          /* start of its clock */
	int64_t cut_until_us;       /* no message passes the network until then */
	int64_t byzantine_until_us; /* its network process withholds launch orders until then */
	size_t kept;                /* index of the last withheld order among the captured ones */
	bool wiped;                 /* it has lost its disk since it was last connected */
	struct ledger_meta meta;    /* durable */
	uint64_t highest_epoch;     /* durable at the launcher: older orders must have no effect */
	struct sim_attempt *spool;
	Armada__RegisterNode describe;
	Armada__Resource resources[2], *resource_list[2];
	int64_t tick_at_us;
};

void sim_node_init(struct storm *s, int index);
void sim_node_free(struct storm *s, struct sim_node *n);
/* armd is killed, and starts again some time later. */
void sim_node_crash(struct storm *s, struct sim_node *n);
void sim_node_reboot(struct storm *s, struct sim_node *n);
/* The machine restarts with an empty disk. */
void sim_node_wipe(struct storm *s, struct sim_node *n);
/* No task that it ran before is left, so an administrator may confirm it dead. */
bool sim_node_is_surely_dead(const struct storm *s, const struct sim_node *n);
