/*
 * The network process of armd: everything that comes from outside is parsed here, without root.
 *
 * It drives the link (agent/link.h) on a libevent loop: sessions with the controllers on one side,
 * the pipe to the launcher on the other.
 */
#pragma once

#include "armd/machine/inventory.h"
#include "plugin/plugin.h"

#include <stddef.h>
#include <stdint.h>

/* Everything is borrowed. */
struct network_config {
	struct inventory_declared declared;
	const char *cluster; /* NULL: any cluster */
	const char *const *controllers;
	size_t controller_count;
	uint32_t controller_uid;
	const struct plugin *auth;
	int64_t reconnect_max_us;
};

/*
 * Run until the pipe closes or a signal ends it; returns an exit status. Takes pipe_fd. The process
 * must have dropped its privileges before the call.
 */
int network_main(const struct network_config *config, int pipe_fd);
