/*
 * The process that runs a notify plugin: armctld executes itself as armada-notify.
 *
 * A feed sends one end at a time over a socket and waits for the answer. The process has a session of its
 * own, a new environment, no other descriptor, and dies with the thread that started it.
 */
#pragma once

#include "util/err.h"
#include <armada/notify.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NOTIFY_HELPER_NAME "armada-notify"

struct notify_helper {
	pid_t pid; /* 0: it does not run */
	int fd;
};

/* What armada-notify is told on its command line. */
struct notify_helper_args {
	const char *plugin_dir, *plugin, *name, *target;
};

/*
 * Start the process and wait until its plugin is open. Errors: those of the plugin, or that it died or took
 * longer than timeout_ms; then it was killed.
 */
int notify_helper_start(struct notify_helper *h, const struct notify_helper_args *args,
			int timeout_ms, struct err *err);
/* One end. 0: accepted. -ETIME or -EPIPE: the process was killed or had died; start it again. */
int notify_helper_deliver(struct notify_helper *h, const struct armada_notify_end *end,
			  int timeout_ms, struct err *err);
/* Kill it with all its children. */
void notify_helper_stop(struct notify_helper *h);

/* The main function of armada-notify. */
int notify_helper_main(int argc, char **argv);
