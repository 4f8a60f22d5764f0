/*
 * Users and administrators: they submit jobs, retry with the same key until they receive an id,
 * change their jobs, and manage nodes and queues. A table of actions has one row for each.
 */
#pragma once

#include "asim/storm/storm.h"

/* One action, drawn. */
void sim_user_act(struct storm *s);
/* Steps begin in a running job, get signals and are listed. */
void sim_user_steps(struct storm *s);
/* A submission is sent again while no id has arrived. */
void sim_user_retry(struct storm *s, const struct sim_event *ev);
/*
 * After the faults: everything is released and resumed, repeatedly, because requests may be lost.
 */
void sim_user_settle(struct storm *s, const struct sim_event *ev);
