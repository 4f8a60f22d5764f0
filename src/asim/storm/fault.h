/*
 * Faults: the controller is killed at any step, armd is killed (shepherds live on), machines restart,
 * connections break, captured orders are shown to launchers again, and so on.
 */
#pragma once

#include "asim/storm/storm.h"

/* The first of them, and each plans the next. */
void fault_plan(struct storm *s);
/* One of the table, to a node that is drawn. */
void fault_inject(struct storm *s, const struct sim_event *ev);
