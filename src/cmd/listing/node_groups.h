/*
 * Several nodes in one row: equal nodes, the summary of the cluster, and the reasons why nodes are not up.
 *
 * A row stands for the nodes that have the same key, which depends on the kind of the listing. Amounts
 * are the sums over its nodes.
 */
#pragma once

#include "cmd/listing/listing.h"
#include "proto/msg.h"
#include "util/arena.h"

/* What nodes of one row have in common. */
enum node_key {
	NODE_KEY_EQUAL,  /* state, sizes, labels, taints and reason */
	NODE_KEY_SIZE,   /* sizes and the type of the gpus */
	NODE_KEY_REASON, /* state, reason, its author and its time */
};

/* Rows are made by node_groups_make() with NODE_KEY_EQUAL, NODE_KEY_SIZE and NODE_KEY_REASON. */
extern const struct listing node_group_listing, node_summary_listing, node_reason_listing;

/*
 * Makes a row for each group of nodes; nodes are Armada__NodeRow. The rows are in the order of their
 * first nodes. They are allocated in the arena and borrow from the nodes.
 */
const void **node_groups_make(enum node_key key, const void *const *nodes, size_t count,
			      struct arena *arena, size_t *ret_count);
