/*
 * How well the node is: the check of the site, room in the spool, epilogs of jobs whose
 * shepherds were killed.
 */
#pragma once

#include "armd/launcher/state.h"

enum { HEALTH_FDS = 2 };
void launcher_health_init(struct launcher *l);
void launcher_health_poll(const struct launcher *l, struct pollfd fds[HEALTH_FDS]);
/* Begin what is due, end what has ended. */
void launcher_health_turn(struct launcher *l, const struct pollfd fds[HEALTH_FDS]);
void launcher_health_reaped(struct launcher *l, pid_t pid);
/* To a network process that knows nothing yet. */
void launcher_health_send(struct launcher *l);
void launcher_health_stop(struct launcher *l);
/* Of a task that cannot be killed; empty: there is none (any more). */
void launcher_health_stuck(struct launcher *l, const char *text);
/* There was no room for an order: look at it in this turn. */
void launcher_health_full(struct launcher *l);
