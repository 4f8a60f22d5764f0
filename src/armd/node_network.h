/*
 * Forks the network process and drops the launcher's privileges in it.
 */
#pragma once

#include "armd/node.h"

/* For launcher_config: arg is the node. */
pid_t node_start_network(void *arg, int *ret_fd, struct err *err);
