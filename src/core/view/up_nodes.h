/*
 * The nodes that are up: how many there are, and how many of them are connected and registered.
 *
 * They are counted once for each record, so a call costs O(nodes) after a record and O(1) otherwise.
 */
#pragma once

#include "core/txn/live.h"
#include "core/txn/txn.h"

const struct up_nodes *up_nodes(const struct txn *txn);
