/*
 * The site's own proof: a program that puts a silent node's power off, and knows that it is.
 */
#pragma once

#include "core/txn/txn.h"

/* */
void node_fence_tick(struct txn *txn, const struct node *n);
void node_fence_input(struct txn *txn);
