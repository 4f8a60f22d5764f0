/*
 * Kills the processes of dead shepherds' tasks, found by the name of their containment.
 */
#pragma once

#include "armd/launcher/state.h"

/* Kill the remaining processes of the attempt. True: none is left; false: call again soon. */
bool launcher_reclaim(struct launcher *l, struct live_task *v);
/*
 * Called at startup, when the spool has been read: the same for all groups of this spool that
 * belong to no live task.
 */
void launcher_reclaim_all(struct launcher *l);
