/*
 * The columns that nodes are shown in.
 */
#ifndef CMD_NODE_ROWS_H
#define CMD_NODE_ROWS_H

#include "cmd/command.h"
#include "cmd/listing.h"
#include "proto/msg.h"

/* Of rows that are Armada__NodeRow. */
extern const struct listing node_listing;

/* "up", "drained" ... */
const char *node_row_state(const Armada__NodeRow *row);

#endif
