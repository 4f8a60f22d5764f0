/*
 * The machine is being shut down.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_shutdown(struct launcher *l);
/*
 * True if the launcher may exit after SIGTERM; false while it waits for acknowledgements of the
 * last reports.
 */
bool launcher_may_exit(struct launcher *l);
