/*
 * A reboot order: the controller has ordered it, and nothing runs here.
 */
#ifndef ARMD_LAUNCHER_REBOOT_H
#define ARMD_LAUNCHER_REBOOT_H

#include "armd/launcher/state.h"

void launcher_reboot(struct launcher *l);
void launcher_reboot_ended(struct launcher *l, int status);

#endif
