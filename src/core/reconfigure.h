/*
 * armada.conf was read again: what becomes of it, and what a dry run says would.
 */
#pragma once

#include "core/reconfigure_notes.h"

/* what armada.conf says of nodes may be another thing than it was. */
void nodes_expect(struct txn *txn);
void input_policy(struct txn *txn);
