/*
 * Proofs of death: the six ways in which a task is known to have ended. Nothing else ends a task.
 *
 * A task on a silent node may still run. If the controller requeued it on suspicion, the program
 * could run twice. So an element on a silent node becomes UNKNOWN and holds its resources until one
 * of these proofs arrives: a report of the node (END, REFUSAL), a restart of its machine (BOOT), an
 * administrator (ADMIN), the site's fence program (FENCE), or time (LEASE: the shepherd ends the
 * task before the controller's longer count is over; lease_time.h). An element without a lease
 * (--no-fence) has no proof by time.
 *
 * The sources are core/request/agent.c (END, REFUSAL, BOOT), core/request/node.c (ADMIN),
 * node_fence.c and node_lease.c.
 */
#pragma once

#include "core/txn/txn.h"

enum proof {
	PROOF_END,     /* the node reported its end */
	PROOF_REFUSAL, /* the node refused it for ever, and stored the refusal before the report */
	PROOF_BOOT,    /* the machine was restarted since, and the node's spool does not list it */
	PROOF_ADMIN,   /* an administrator confirmed the node dead */
	PROOF_FENCE,   /* the site's fence program proved the power off since */
	PROOF_LEASE,   /* its lease is over: its shepherd has ended it by then */
	PROOF_COUNT,
};

/* The task ended as the node reports; for END and REFUSAL only. */
void death_proof_report(struct txn *txn, const struct task *t, const Armada__TaskEnd *end);
bool task_is_live(const struct txn *txn, const struct task *t, const void *arg);
/* Number of tasks that were ordered and have not ended. Each needs a proof. */
uint32_t node_live(const struct node *n);
/*
 * Ends every live task of the node for which `which` is true, by this proof. text: the reason of
 * the end. Returns the number of tasks.
 */
uint32_t death_proof_ends(struct txn *txn, const struct node *n, enum proof p,
			  bool (*which)(const struct txn *txn, const struct task *t,
					const void *arg),
			  const void *arg, const char *text);
