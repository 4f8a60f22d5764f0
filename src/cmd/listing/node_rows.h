/*
 * The columns of nodes.
 */
#pragma once

#include "cmd/listing/listing.h"
#include "proto/msg.h"

/* Rows are Armada__NodeRow. */
extern const struct listing node_listing;

/* The state of a node, such as "up" or "drained". */
const char *node_row_state(const Armada__NodeRow *row);
