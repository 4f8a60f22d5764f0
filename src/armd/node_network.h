/*
 * From the launcher, with all its privilege, to the network process, with none.
 */
#pragma once

#include "armd/node.h"

/* For launcher_config: arg is the node. */
pid_t node_start_network(void *arg, int *ret_fd, struct err *err);
