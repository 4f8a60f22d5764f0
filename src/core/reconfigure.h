/*
 * armada.conf was read again: apply the new policy, or report what would change (dry run).
 */
#pragma once

#include "core/reconfigure_notes.h"

/* Apply the node rules of armada.conf to all nodes; the rules may have changed. */
void nodes_expect(struct txn *txn);
void input_policy(struct txn *txn);
