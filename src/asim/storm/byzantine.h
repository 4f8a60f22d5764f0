/*
 * Byzantine network processes: they keep copies of all orders, send old ones to launchers again
 * (the signature is valid), and withhold new ones until the node has fallen silent.
 */
#pragma once

#include "asim/storm/order.h"

struct sim_byzantine {
	struct sim_order *captured;
	size_t count, cap;
};

struct sim_node;

/* An order leaves the controller. */
void sim_byzantine_capture(struct storm *s, const struct sim_order *order);
/* The network process of this node begins to withhold launch orders. */
void sim_byzantine_begin(struct storm *s, struct sim_node *n);
/* Does the network process withhold this order for later? */
bool sim_byzantine_withholds(struct storm *s, struct sim_node *n, const struct order *o,
			     const uint8_t *bytes);
/*
 * The order that the launcher gets: an old one, or one that was withheld. NULL: none was captured.
 */
const struct sim_order *sim_byzantine_draw(struct storm *s, struct sim_node *n);
