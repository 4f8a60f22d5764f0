/*
 * The columns that nodes are shown in.
 */
#pragma once

#include "cmd/listing/listing.h"
#include "proto/msg.h"

/* Of rows that are Armada__NodeRow. */
extern const struct listing node_listing;

/* "up", "drained" ... */
const char *node_row_state(const Armada__NodeRow *row);
