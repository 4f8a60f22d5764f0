/*
 * The columns that nodes are shown in.
 */
#ifndef CMD_LISTING_NODE_ROWS_H
#define CMD_LISTING_NODE_ROWS_H

#include "cmd/listing/listing.h"
#include "proto/msg.h"

/* Of rows that are Armada__NodeRow. */
extern const struct listing node_listing;

/* "up", "drained" ... */
const char *node_row_state(const Armada__NodeRow *row);

#endif
