/*
 * A node is rebooted: no new jobs, then none at all, then the order, then it is back.
 */
#pragma once

#include "core/txn/txn.h"

/* */
void node_reboot_ask(struct txn *txn, const struct node *n, const Armada__UpdateNodeRequest *m,
		     const char *by);
void node_reboot_forget(struct txn *txn, const struct node *n);
/* It registered under another boot id. */
void node_reboot_done(struct txn *txn, const struct node *n);
void node_reboot_tick(struct txn *txn, const struct node *n);
