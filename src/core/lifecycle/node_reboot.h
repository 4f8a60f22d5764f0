/*
 * Reboot of a node, in steps: the node is drained; when its last task has ended, the order leaves;
 * when the node registers under another boot id, the reboot is done.
 */
#pragma once

#include "core/txn/txn.h"

/* Starts a reboot that an administrator (by) asked for. m->now also requeues what runs. */
void node_reboot_ask(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
		     const char *by);
/* Drops a planned reboot. */
void node_reboot_forget(struct txn *txn, const struct node *n);
/* The node registered under another boot id: it is resumed, or stays drained as before. */
void node_reboot_done(struct txn *txn, const struct node *n);
/* Sends the order, or repeats it, if the node is connected and nothing runs there. */
void node_reboot_tick(struct txn *txn, const struct node *n);
