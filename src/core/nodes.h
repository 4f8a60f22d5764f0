/*
 * A node, as the controller knows it. struct core owns every node; one leaves memory only when it is
 * deleted, and then nothing runs there.
 */
#ifndef CORE_NODES_H
#define CORE_NODES_H

#include "core/intern.h"

#include <sys/queue.h>

enum { NODE_FAILED_MAX = 16 };

struct job;
struct task;

enum { LEASE_NONE = -1 };

/* A node that a job is not started on, until then. */
struct avoid {
	char *node;
	int64_t until_us; /* wall clock */
};

/* Those of one job. */
struct avoids {
	struct job *job;
	struct avoid *list;
	size_t count; /* never 0 */
	LIST_ENTRY(avoids) all;
};

struct node {
	char *name;
	uint8_t node_id[16], spool_id[16];
	char boot_id[64];
	Armada__NodeSet *set; /* unpacked from set_packed, the last registration */
	struct arena *set_arena;
	struct buf set_packed;
	struct resources total;
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
	LIST_HEAD(, task) tasks;
	/* volatile */
	uint64_t conn;
	int64_t heard_us;         /* steady */
	int64_t seen_us;          /* wall */
	bool silent;              /* drained, and its silence has been noted */
	uint8_t stamp[16];        /* of its launcher, the last that came; orders bring it back */
	int64_t extended_from_us; /* steady */
	uint64_t failed[NODE_FAILED_MAX]; /* jobs in a row that it failed to start */
	uint32_t failed_count;
	bool fencing;                        /* a program is at it */
	int64_t fence_at_us, fence_pause_us; /* steady: not before; until it is tried again */
	int64_t reboot_sent_us;              /* steady */
	bool registering; /* what runs there is being gone through: nothing is started meanwhile */
	UT_hash_handle hh;
};

#endif
