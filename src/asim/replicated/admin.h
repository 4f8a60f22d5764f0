/* An administrator: starts what stays down, and repairs the store when controllers stop for lost data. */
#pragma once

#include "asim/replicated/world.h"

void admin_init(struct world *w);
/* The faults end: everything is connected, and all servers have the right settings. */
void admin_heal(struct world *w);
/* No server has all that was acknowledged: the controllers have to stop, and nothing can be repaired. */
bool admin_gives_up(const struct world *w);
