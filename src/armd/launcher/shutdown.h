/*
 * The machine is being shut down.
 */
#ifndef ARMD_LAUNCHER_SHUTDOWN_H
#define ARMD_LAUNCHER_SHUTDOWN_H

#include "armd/launcher/state.h"

void launcher_shutdown(struct launcher *l);
/* May the launcher end, for it was told to? Not while a last report is waited for. */
bool launcher_may_end(struct launcher *l);

#endif
