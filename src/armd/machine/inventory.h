/*
 * The registration of this node.
 */
#pragma once

#include "conf/types.h"
#include "proto/msg.h"

#include <stdbool.h>

/*
 * The resources of the machine (armd/machine/machine.h) and the declarations of the administrator.
 * Borrowed.
 */
struct inventory_declared {
	/* Of equal labels and equal resources the last counts. The link fills in a missing address. */
	struct conf_node node;
	bool can_reboot;  /* the launcher has a reboot program */
	bool can_suspend; /* the contain plugin can freeze tasks */
	/* The contain plugin, and what it does not limit although the site wants it. NULL: "". */
	const char *containment, *not_limited;
	const char *cpu_containment; /* cpus_describe; NULL: "" */
	const char *gpu_type;        /* for the label gpu; NULL or "": none */
};

/* A registration for the link, in arena: name, release, resources, labels, boot time. */
void inventory_describe(const struct inventory_declared *d, struct arena *arena,
			Armada__RegisterNode **ret_describe);

/*
 * A numeric address of this machine, for a node whose controller is on the same machine behind a
 * Unix socket: the first address that is not a loopback, else 127.0.0.1. Uses no resolver.
 */
enum { INVENTORY_ADDRESS = 64 };
void inventory_own_address(char ret_address[INVENTORY_ADDRESS]);

/* Available memory, and the load average of the last minute. */
void inventory_sample(int64_t *ret_free_bytes, double *ret_load);
