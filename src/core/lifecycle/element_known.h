/*
 * Elements on nodes that were silent (UNKNOWN): once all their nodes answer again, their state
 * follows from their tasks.
 */
#pragma once

#include "core/txn/txn.h"

/* True if the nodes of all live tasks answer. n: a node that is just registering; NULL: none. */
bool element_answers(struct txn *txn, const struct element *e, const struct node *n);
/* Gives an element whose nodes all answer the state that follows from its tasks. */
void element_is_known(struct txn *txn, const struct element *e);
/* Call when a task left the element: the remaining ones may have all started, or all answer. */
void element_look_again(struct txn *txn, const struct element *e);
