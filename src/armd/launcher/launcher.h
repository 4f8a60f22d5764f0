/*
 * The launcher: the process of armd that keeps root.
 *
 * It is the parent of all other processes. It owns the spool and the ledger, verifies the
 * controller's orders, forks the shepherds, and starts the network process, which it does not trust
 * (see armd/pipe/pipe.h). It ends on SIGTERM and SIGINT, the network process with it; shepherds
 * continue, and the next launcher finds them through the spool.
 */
#pragma once

#include "armd/hooks/job.h"
#include "armd/machine/cpus.h"
#include "plugin/plugin.h"
#include <armada/auth.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Everything is borrowed for as long as launcher_main runs. */
struct launcher_config {
	const char *spool_dir; /* of this node alone; created if it does not exist */
	const char *node_name;
	/* The only uid whose credential may carry the public key of orders (ORDER_KEY_PAYLOAD). */
	uint32_t controller_uid;
	const char *stub;       /* path of the io stub, which need not exist */
	const char *plugin_dir; /* for the stub */
	uint32_t min_uid;       /* orders for smaller uids are refused, except: */
	bool allow_root_jobs;   /* uid 0 may run */
	/* tasks get all groups that the controller signed (armd/shepherd/shepherd.h) */
	bool groups_of_controller;
	uint32_t agent_uid;        /* of the network process */
	const struct plugin *auth; /* decodes that credential */
	void *auth_handle;
	const char *reboot_program;   /* run for a reboot order, with the node's name; NULL: none */
	const struct plugin *contain; /* loaded, its options set; probed by the launcher */
	const struct machine *machine;
	enum cpus_use cpus;        /* how tasks get them */
	const char *no_cpu_time;   /* the contain plugin, if it limits no cpu time; else NULL */
	const char *cpu_lock;      /* of cpus_lock; NULL: no other armd uses the cpus */
	const struct hooks *hooks; /* programs of the site; NULL: there are none */
	/*
	 * Fork the network process. Returns its pid, with the launcher's end of a new pipe
	 * (pipe_pair) in ret_fd, or a negative errno. Called when the spool has been read, and
	 * whenever the process has died: at once the first time, then after a pause that doubles
	 * from 100 ms to respawn_max_us. The pause is reset when a process lived for longer than
	 * respawn_max_us.
	 *
	 * The child closes all descriptors except its own, so it cannot use those of the launcher.
	 */
	pid_t (*start_network)(void *arg, int *ret_fd, struct err *err);
	void *start_arg;
	int64_t respawn_max_us;
	/* Called once, when the spool has been read and orders can be accepted; may be NULL. */
	void (*on_ready)(void *arg);
};

/*
 * Run until SIGTERM or SIGINT. Returns the process's exit status: 0 after such a signal, 1 with the
 * reason logged (spool in use or unreadable, containment that cannot work here).
 */
int launcher_main(const struct launcher_config *config);
