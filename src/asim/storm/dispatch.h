/*
 * Which part of the storm an event is for.
 */
#pragma once

#include "asim/storm/storm.h"

/* Nothing happens if what the event belongs to is another life by now. */
void dispatch(struct storm *s, const struct sim_event *ev);
