/*
 * armd --shutdown: ends every task of a spool because the machine is shutting down: SIGTERM, grace
 * period, SIGKILL. The jobs are requeued.
 *
 * The unit armd-tasks.service runs it when it is stopped. systemd stops that unit at a shutdown,
 * but not when armd is restarted, and before it stops armd, the network and remote file systems.
 * The process sends orders to the shepherds itself, through the spool, so armd need not run. A
 * running armd is notified: it starts no more tasks and reports this to the controller.
 */
#pragma once

#include "util/err.h"

/* Returns when no task is left, without a time limit; 0, also when the spool does not exist. */
int shutdown_run(const char *spool_path, struct err *err);
