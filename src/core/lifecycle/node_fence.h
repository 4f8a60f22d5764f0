/*
 * The fence program: a program of the site that switches off a silent node and proves that the
 * power is off.
 */
#pragma once

#include "core/txn/txn.h"

/* Starts the fence program if the node is silent for long enough and has live tasks. */
void node_fence_tick(struct txn *txn, const struct node *n);
/* Takes the result of the fence program: a proof of death, or a later retry. */
void node_fence_input(struct txn *txn);
