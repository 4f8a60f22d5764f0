/*
 * Health reports of a node: a bad report drains it with the reported text, a good one resumes it.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * A node's text as a reason: one line, because a record with several could not be read again, of
 * at most REASON_LONGEST bytes. In the arena of the input.
 */
char *node_text(struct txn *txn, const char *text);
/* Takes the health of a heartbeat; NULL: no report. */
void node_take_health(struct txn *txn, const struct node *n, const Armada__NodeHealth *health);
/* Takes the node problem that came with the end of a task, from node_text(); "": none. */
void node_take_problem(struct txn *txn, const struct node *n, const char *text);
