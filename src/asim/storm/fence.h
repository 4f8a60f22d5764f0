/*
 * The site's fence program, which cuts the power of a node that the controller gave up.
 */
#pragma once

#include "asim/storm/storm.h"

/* The controller starts the program. */
void sim_fence_begin(struct storm *s, const char *name, uint64_t seq);
void sim_fence_act(struct storm *s, const struct sim_event *ev);
