/*
 * The machine is being shut down.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_shutdown(struct launcher *l);
/* May the launcher end, for it was told to? Not while a last report is waited for. */
bool launcher_may_end(struct launcher *l);
