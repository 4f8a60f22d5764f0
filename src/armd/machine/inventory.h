/*
 * What this node has, and what it says of itself.
 */
#pragma once

#include "conf/types.h"
#include "proto/msg.h"

#include <stdbool.h>

struct inventory_resource {
	const char *name;
	int64_t amount;
};

/* What there is (armd/machine/machine.h) and what the administrator says of it. Borrowed. */
struct inventory_declared {
	/* Of two labels with one key the later counts. Without an address the link fills it in. */
	struct conf_node node;
	const struct inventory_resource *resources; /* beside the three; each name once */
	size_t resource_count;
	bool can_reboot; /* the launcher has a program for it */
};

/* A registration for the link, in arena: name, release, resources, labels, boot time. */
void inventory_describe(const struct inventory_declared *d, struct arena *arena,
			Armada__RegisterNode **ret_describe);

/*
 * An address of this machine as numbers, for a node whose controller is on the same machine behind a
 * Unix socket: the first that is not a loopback, else 127.0.0.1. Asks no resolver.
 */
enum { INVENTORY_ADDRESS = 64 };
void inventory_own_address(char ret_address[INVENTORY_ADDRESS]);

/* Memory that could be had now, and the load average of the last minute. */
void inventory_sample(int64_t *ret_free_bytes, double *ret_load);
