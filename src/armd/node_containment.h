/*
 * What the contain plugin of this node limits, compared with what the site wants.
 */
#pragma once

#include "armd/node.h"

/*
 * Fills in the containment that the node registers. Call it when the plugin is loaded and the machine is
 * read. -ENOTSUP: the option require of the plugin names something that is not limited here; the error says
 * what and why. -EINVAL: require has an unknown word.
 */
int node_check_containment(struct node *n, struct err *err);
