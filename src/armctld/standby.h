/*
 * The phases of a controller among several: standby, then leader (replica.h).
 */
#pragma once

#include "armctld/ctld.h"

/* The state has been replayed, and the sockets are to open: stand by, and lead when that is possible. */
int standby_begin(struct ctld *c, struct err *err);
/* A record is on all copies: with the first one this controller begins to act as the leader. */
void standby_durable(struct ctld *c);
/* A message while this controller stands by: a request that only reads is answered, any other refused. */
void standby_input(struct ctld *c, struct input *in);
/* Once a second, in each phase. */
void standby_tick(struct ctld *c);
/* Ends the process, unless the lease is valid or there is only one controller. */
void standby_check_lease(struct ctld *c);
/* Give the lead up and start again; "": any other controller may take it. */
void standby_take_over(struct ctld *c, const char *heir, uint64_t conn, uint32_t request);
/* EFFECT_COPY: change the set of copies; the answer comes with INPUT_COPIES, or is an error. */
void standby_change_copy(struct ctld *c, const struct effect *e);
/* EFFECT_CONTROLLERS: the controllers and the copies of the store. */
void standby_show(struct ctld *c, const struct effect *e);
