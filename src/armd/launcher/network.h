/*
 * The network process, which is not trusted: starting and stopping it, and handling its messages.
 *
 * While it does not read the answers, the launcher does not read its messages, so that the queue of
 * answers stays bounded.
 */
#pragma once

#include "armd/launcher/state.h"

bool launcher_reads_network(const struct launcher *l);
void launcher_start_network(struct launcher *l);
void launcher_network_died(struct launcher *l);
void launcher_stop_network(struct launcher *l);
void launcher_receive_network(struct launcher *l);
void launcher_receive_credential(struct launcher *l);
