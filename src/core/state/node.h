/*
 * A node, as the controller knows it. The state owns every node. A node leaves memory only when it
 * is deleted, and then no task is on it.
 */
#pragma once

#include "core/state/intern.h"
#include "core/state/slot.h"

struct job;
struct state;
struct task;

struct node {
	char *name;
	uint8_t node_id[16], spool_id[16];
	char boot_id[64];
	const Armada__NodeSet *set; /* the last registration, unpacked from set_packed */
	struct arena *set_arena;
	struct buf set_packed;
	struct resources total;
	struct slot slot;
	uint8_t state; /* enum NodeState: UP, DRAINED (shown DRAINING while tasks run), UNKNOWN, DOWN */
	char *reason, *reason_by;
	int64_t reason_us;
	bool linked;
	int64_t extension_us;   /* lease extension, counted from its order; 0: none */
	int64_t extended_at_us; /* wall clock, for display */
	char *extension_reason, *extension_by;
	bool reboot, resumes; /* reboot: to be rebooted; resumes: takes jobs again afterwards */
	char *reboot_reason, *reboot_by;
	char *reboot_was; /* the drain reason if the node stays drained after the reboot */
	LINK_LIST(task) tasks;
	UT_hash_handle hh;
};

/* NULL: no node of that name. */
LINK(node) node_find(const struct state *state, const char *name);
/* The resources of all tasks that may run on the node: not ended, and not of a pending lease. */
void node_used(const struct node *n, struct resources *ret);
/* The same once preempted elements have ended: pending leases count, elements that yield do not. */
void node_lasting(const struct node *n, struct resources *ret);

#ifdef STATE_WRITES
struct node *node_set(struct state *state, const Armada__NodeSet *set);
void node_drop(struct state *state, struct node *n);
#endif
