/*
 * Users and administrators: they submit, retry with the same key until they hear an id, change what
 * they submitted, and look after nodes and queues. A table of actions says what one does at a time.
 */
#pragma once

#include "asim/storm/storm.h"

/* One action, drawn. */
void sim_user_act(struct storm *s);
/* A submission is tried again while no id was heard. */
void sim_user_retry(struct storm *s, const struct sim_event *ev);
/* After the storm: everything is released and resumed, again until it has been heard. */
void sim_user_settle(struct storm *s, const struct sim_event *ev);
