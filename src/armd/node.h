/*
 * The configuration of this armd, from the command line, armada.conf and the machine.
 */
#pragma once

#include "armd/launcher/launcher.h"
#include "armd/network/network.h"
#include "armd/options.h"
#include "conf/conf.h"
#include "plugin/candidates.h"

struct node {
	struct conf *conf;
	bool configured; /* conf is from a file, not the defaults alone */
	struct plugin auth, contain;
	/*
	 * For contain = "auto": the options and values of all candidates, and the plugins that were not
	 * chosen, which own the strings of option defaults.
	 */
	struct candidates contain_others;
	bool contain_auto;
	char *contain_why; /* auto: why no better plugin was chosen; NULL: none is better */
	char *not_limited; /* of the registration: "memory,cpu" */
	char gpu_type[MACHINE_MODEL];
	char cpus[CPUS_TEXT]; /* the same, for an armd that is alone on its machine */
	void *auth_handle;
	char host[256];
	char *spool, *stub;
	const char **labels, **taints, **resources;
	/* the resources of the command line; what the discover program printed */
	const char **line_resources;
	size_t line_resource_count;
	char **discovered;
	size_t discovered_count;
	const struct conf_node *expected; /* the entry of armada.conf; NULL: none */
	bool network_began;               /* the network process was started once */
	struct machine machine;
	struct hooks hooks;
	uid_t agent_uid;
	gid_t agent_gid;
	struct network_config network;
	struct launcher_config launcher;
};

/*
 * All errors are found here, before anything is started. o is borrowed for the life of the node.
 * Call node_done also after a failure.
 */
int node_init(struct node *n, const struct armd_options *o, struct err *err);
void node_done(struct node *n);
