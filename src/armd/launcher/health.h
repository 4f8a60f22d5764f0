/*
 * The health of the node: the health check of the site, free space in the spool, epilogs of jobs
 * whose shepherds were killed.
 */
#pragma once

#include "armd/launcher/state.h"

enum { HEALTH_FDS = 2 };
void launcher_health_init(struct launcher *l);
void launcher_health_poll(const struct launcher *l, struct pollfd fds[HEALTH_FDS]);
/* Start checks that are due, and collect the results of those that have ended. */
void launcher_health_step(struct launcher *l, const struct pollfd fds[HEALTH_FDS]);
void launcher_health_reaped(struct launcher *l, pid_t pid);
/* Send the current health, for example to a new network process. */
void launcher_health_send(struct launcher *l);
void launcher_health_stop(struct launcher *l);
/* Set the text about a task that cannot be killed; empty: there is none. */
void launcher_health_stuck(struct launcher *l, const char *text);
/* An order found no room: check the free space in this iteration. */
void launcher_health_full(struct launcher *l);
