/*
 * The effects of a node's link and ledger, carried out one by one. armd may be killed between any
 * two of a ledger's; the rest is then lost.
 */
#pragma once

#include "asim/storm/node.h"

void sim_effects_link(struct storm *s, struct sim_node *n, struct link_effects *list);
void sim_effects_ledger(struct storm *s, struct sim_node *n, struct ledger_effects *list);
/* The launcher gets an order, from the network or from a byzantine network process. */
void sim_effects_order(struct storm *s, struct sim_node *n, const struct sim_order *x);
