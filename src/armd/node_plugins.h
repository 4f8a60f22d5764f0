/*
 * The plugins of this node: auth and contain.
 */
#pragma once

#include "armd/node.h"

/*
 * Load the plugin that armada.conf names, or with "auto" the best one that works here. The choice
 * is logged, with the reason why no better one is used.
 */
int node_load_plugins(struct node *n, struct err *err);
/* Only the contain plugin, for armd --show-config. */
int node_load_contain(struct node *n, struct err *err);
/* True if tasks can open only their own gpus. */
bool node_filters_devices(const struct node *n);
