/*
 * The six ways in which a task is known to have ended. Nothing else ends a task.
 */
#pragma once

#include "core/txn/txn.h"

enum proof {
	PROOF_END,     /* the node reported its end */
	PROOF_REFUSAL, /* the node has refused it for good, durably, before it said so */
	PROOF_BOOT,    /* its machine was restarted since */
	PROOF_ADMIN,   /* an administrator answers for it */
	PROOF_FENCE,   /* the site's program has proved the power off since */
	PROOF_LEASE,   /* its lease is over, and its shepherd has ended it by that */
	PROOF_COUNT,
};

/* The task ended as the node says; REFUSAL and END only. */
void death_proof_report(struct txn *txn, const struct task *t, const Armada__TaskEnd *end);
bool task_is_live(const struct txn *txn, const struct task *t, const void *arg);
/* Tasks that were ordered and have not ended: what a proof is needed for. */
uint32_t node_live(const struct node *n);
/*
 * Every task of the node that has not ended and that `which` names has ended by this proof. Returns
 * how many. text: of the end.
 */
uint32_t death_proof_ends(struct txn *txn, const struct node *n, enum proof p,
			  bool (*which)(const struct txn *txn, const struct task *t,
					const void *arg),
			  const void *arg, const char *text);
