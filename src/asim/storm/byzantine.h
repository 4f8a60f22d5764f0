/*
 * Network processes in foul hands: they keep copies of all orders that left, show launchers old ones
 * again (their signature holds), and withhold new ones until the node has fallen silent.
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
/* The network process of this node begins to keep launch orders to itself. */
void sim_byzantine_begin(struct storm *s, struct sim_node *n);
/* Does it withhold this one, for later? */
bool sim_byzantine_withholds(struct storm *s, struct sim_node *n, const struct order *o,
			     const uint8_t *bytes);
/* What the launcher is shown: something old, or what was withheld. NULL: nothing was captured. */
const struct sim_order *sim_byzantine_draw(struct storm *s, struct sim_node *n);
