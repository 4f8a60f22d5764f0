/*
 * Room on nodes, and pending leases: leases whose room other elements still hold.
 *
 * The scheduler preempts an element and gives its room to another one in the same round. The
 * preempted element *yields*, but may use its grace period to end. Until then the new lease is
 * pending (element->lease_pending). A pending lease reserves its room: no later lease can use it. No
 * order leaves. The record of the task end that frees the last of the room also contains
 * ELEMENT_RELEASED; then the launch orders leave.
 *
 * The oldest pending lease on a node comes first: a younger one counts it as if it ran there.
 * Elements that do not yield, pending ones included, never exceed a node. So every pending lease
 * gets its room once the yielding elements have ended.
 *
 * No task of a pending lease was ever ordered. So the lease can be withdrawn without a proof of
 * death: when one of its nodes can no longer start jobs, or when it is preempted or held itself.
 */
#pragma once

#include "core/txn/txn.h"

enum room {
	ROOM_NONE,    /* elements that do not yield hold the room */
	ROOM_PENDING, /* there is room once the yielding elements have ended: a pending lease */
	ROOM_FREE,
};

/* May tasks of two different elements be on one node at once? */
bool jobs_share(const struct job *a, const struct job *b);
/* Room on the node for `want` of an element that is about to be leased. */
enum room room_find(const struct txn *txn, const struct node *n, const struct job *j,
		    uint32_t index, const struct resources *want);
/* True if the node has room for the task beside all others there, pending and yielding ones too. */
bool room_is_free(const struct node *n, const struct task *t);
/* Room on the node for `want` of a gang of jobs that is about to be leased. */
enum room room_find_for(const struct txn *txn, const struct node *n, const struct gang *g,
			const struct resources *want);
/* True if tasks can be started on the node: linked, connected, up, and not being registered. */
bool node_takes(struct txn *txn, const struct node *n);
/* True if a pending lease has all its room. Between inputs this is never the case. */
bool pending_lease_is_due(struct txn *txn, const struct element *e);
/* Call when the node may have gained room. Releases pending leases with room, the oldest first. */
void pending_leases_keep(struct txn *txn, const struct node *n);
/*
 * Withdraws one pending lease: its element waits again. _cancel ends the element as cancelled, and
 * its job may have left memory afterwards. The pending leases of the same gang are withdrawn too.
 */
void pending_lease_withdraw(struct txn *txn, const struct element *e, const char *reason);
void pending_lease_cancel(struct txn *txn, const struct element *e, const char *reason);
/* Withdraws all pending leases of a node on which nothing can be started any more. */
void pending_leases_withdraw(struct txn *txn, const struct node *n, const char *reason);
/* The node may have less resources than before. Withdraws what no longer fits, youngest first. */
void pending_leases_fit(struct txn *txn, const struct node *n);
