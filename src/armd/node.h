/*
 * What this armd is to be, from the command line, armada.conf and the machine; and the start of its
 * network process.
 */
#ifndef ARMD_NODE_H
#define ARMD_NODE_H

#include "armd/launcher.h"
#include "armd/machine.h"
#include "armd/network.h"
#include "armd/options.h"
#include "conf/conf.h"

struct node {
	struct conf *conf;
	bool configured; /* conf is from a file, not the defaults alone */
	struct plugin auth, contain;
	void *auth_handle;
	char host[256];
	char *spool;
	const char **labels, **taints;
	struct machine machine;
	uid_t agent_uid;
	gid_t agent_gid;
	struct network_config network;
	struct launcher_config launcher;
};

/*
 * Everything that can be wrong is found here, before anything is started. o is borrowed for the
 * node's life. node_done also after a failure.
 */
int node_init(struct node *n, const struct armd_options *o, struct err *err);
void node_done(struct node *n);

/* For launcher_config: arg is the node. */
pid_t node_start_network(void *arg, int *ret_fd, struct err *err);

#endif
