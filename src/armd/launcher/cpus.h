/*
 * Whether this armd may bind tasks to cpus: not while another armd uses the cpus of the machine.
 */
#pragma once

#include "armd/launcher/state.h"

/* Locks the file of the machine's cpus. If it cannot, the log says so, and no task is bound. */
void launcher_cpus_init(struct launcher *l);
/* Asks again. A change goes to the log and to the controller. */
void launcher_cpus_check(struct launcher *l);
/* The same at most once in ten seconds, so that an idle node is displayed as it is. */
void launcher_cpus_tick(struct launcher *l);
/* Tells the network process. */
void launcher_cpus_send(struct launcher *l);
