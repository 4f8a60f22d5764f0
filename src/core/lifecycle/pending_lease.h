/*
 * Room on nodes, and leases whose room others still have.
 *
 * The scheduler starts a job in the room of another that it preempts in the same breath, but that
 * one may take its grace to end. Its lease is promised: the room is held against everybody else, and
 * the orders leave (ELEMENT_RELEASED) in the record of the end that made the last of it. Whoever was
 * promised first goes first: what is older on a node counts as if it ran there. As what is to stay
 * never exceeds a node, every promise is kept once those who yield have ended.
 *
 * Nothing of a promised lease was ever ordered. So it is withdrawn without proof of anything: when a
 * node of it is no longer one to start jobs on, or when it is preempted itself.
 */
#pragma once

#include "core/txn/txn.h"

enum room {
	ROOM_NONE,     /* it is taken for good */
	ROOM_PROMISED, /* it is there once those who yield have ended */
	ROOM_FREE,
};

/* For so much of an element that is about to be leased. */
enum room room_find(const struct txn *txn, const struct node *n, const struct job *j,
		    uint32_t index, const struct resources *want);
/* Is there room on the node for this task that has none, of which nobody has been promised any? */
bool room_is_free(const struct node *n, const struct task *t);
/* For so much of a gang of jobs that is about to be leased. */
enum room room_find_for(const struct txn *txn, const struct node *n, const struct gang *g,
			const struct resources *want, bool exclusive);
/* May tasks be started there at all? */
bool node_takes(struct txn *txn, const struct node *n);
/* Has it all its room? Never between inputs. */
bool pending_lease_is_due(struct txn *txn, const struct element *e);
/* The node may have more room than before: promises that have theirs are kept, the oldest first. */
void pending_leases_keep(struct txn *txn, const struct node *n);
/*
 * One promise: back to waiting; or ended, and its job may have left memory. The rest of its gang
 * goes back with it.
 */
void pending_lease_withdraw(struct txn *txn, const struct element *e, const char *reason);
void pending_lease_cancel(struct txn *txn, const struct element *e, const char *reason);
/* Nothing is started there any more. */
void pending_leases_withdraw(struct txn *txn, const struct node *n, const char *reason);
/* It may have less of everything: promises that cannot be kept are withdrawn, the youngest first. */
void pending_leases_fit(struct txn *txn, const struct node *n);
