/*
 * What a node says of its own health: it is drained with its words, and resumed when it is well again.
 */
#pragma once

#include "core/txn/txn.h"

/* what it says with a heartbeat (NULL: nothing), and with the end of a task ("": nothing). */
void node_take_health(struct txn *txn, const struct node *n, const Armada__NodeHealth *health);
void node_take_problem(struct txn *txn, const struct node *n, const char *text);
