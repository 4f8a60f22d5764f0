/*
 * A node, as the controller knows it. The state owns every node; one leaves memory only when it is
 * deleted, and then nothing runs there.
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
	const Armada__NodeSet *set; /* unpacked from set_packed, the last registration */
	struct arena *set_arena;
	struct buf set_packed;
	struct resources total;
	struct slot slot;
	uint8_t state; /* enum NodeState: UP, DRAINED (shown DRAINING while tasks run), UNKNOWN, DOWN */
	char *reason, *reason_by;
	int64_t reason_us;
	bool linked;
	int64_t extension_us;   /* of leases, from when it was said; 0: none */
	int64_t extended_at_us; /* wall clock, for people */
	char *extension_reason, *extension_by;
	bool reboot, resumes; /* to be rebooted; and to take jobs again then */
	char *reboot_reason, *reboot_by;
	char *reboot_was; /* the reason of one that stays drained */
	LINK_LIST(task) tasks;
	UT_hash_handle hh;
};

/* NULL: there is none of that name. */
LINK(node) node_find(const struct state *state, const char *name);
/* What may run on a node: all that has not ended, but for promised tasks. */
void node_used(const struct node *n, struct resources *ret);
/* What is to stay there: promised tasks too, but not what is being preempted. */
void node_lasting(const struct node *n, struct resources *ret);

#ifdef STATE_WRITES
struct node *node_set(struct state *state, const Armada__NodeSet *set);
void node_drop(struct state *state, struct node *n);
#endif
