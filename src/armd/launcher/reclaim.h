/*
 * What dead shepherds left in their tasks' containment, found by its name.
 */
#pragma once

#include "armd/launcher/state.h"

/* Kill what is left of the attempt. True: nothing is; false: look again soon. */
bool launcher_reclaim(struct launcher *l, struct live *v);
/* At the start, when the spool is read: what is left of attempts that are none of those that run. */
void launcher_reclaim_all(struct launcher *l);
