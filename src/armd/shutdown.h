/*
 * armd --shutdown: the machine goes down, and every task of a spool is ended as everybody is: SIGTERM,
 * its grace, SIGKILL. The jobs are requeued.
 *
 * It is what the unit armd-tasks.service does when it is stopped, which systemd does at a shutdown and not
 * when armd is restarted; it is stopped before armd, the network and remote file systems are. It speaks
 * to the shepherds itself, through the spool, so armd need not run. One that does is told to start nothing
 * any more and to say so to the controller.
 */
#pragma once

#include "util/err.h"

/* Returns when no task is left, however long that takes; 0, also when there is no such spool. */
int shutdown_run(const char *spool_path, struct err *err);
