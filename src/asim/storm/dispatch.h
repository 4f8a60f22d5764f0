/*
 * Calls the part of the storm that an event is for.
 */
#pragma once

#include "asim/storm/storm.h"

/* Does nothing if the owner of the event has been restarted since. */
void dispatch(struct storm *s, const struct sim_event *ev);
