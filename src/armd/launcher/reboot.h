/*
 * A reboot order: the controller has ordered it, and nothing runs here.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_reboot(struct launcher *l);
void launcher_reboot_ended(struct launcher *l, int status);
