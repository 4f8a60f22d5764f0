/*
 * The life of the network process, which is not trusted, and what it says.
 *
 * While it does not read the answers it is not heard either, or its questions would fill our memory.
 */
#pragma once

#include "armd/launcher/state.h"

bool launcher_hears_network(const struct launcher *l);
void launcher_start_network(struct launcher *l);
void launcher_network_died(struct launcher *l);
void launcher_stop_network(struct launcher *l);
void launcher_hear_network(struct launcher *l);
void launcher_hear_credential(struct launcher *l);
