/*
 * Tasks: they are set up, wait at the start barrier, run and end. Each of these changes is reported
 * to the ledger.
 */
#pragma once

#include "asim/storm/storm.h"

void sim_task_started(struct storm *s, const struct sim_event *ev);
void sim_task_ended(struct storm *s, const struct sim_event *ev);
