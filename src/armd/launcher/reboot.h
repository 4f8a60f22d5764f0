/*
 * A reboot that the controller has ordered. The ledger passes it only while no task runs here.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_reboot(struct launcher *l);
void launcher_reboot_ended(struct launcher *l, int status);
