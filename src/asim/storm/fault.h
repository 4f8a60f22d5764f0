/*
 * Faults: the controller is killed between any two events, armd is killed (shepherds survive),
 * machines restart, connections break, captured orders are sent to launchers again, and so on.
 */
#pragma once

#include "asim/storm/storm.h"

/* Plan the first fault; each fault plans the next. */
void fault_plan(struct storm *s);
/* Inject one fault of the table into the node that was drawn. */
void fault_inject(struct storm *s, const struct sim_event *ev);
