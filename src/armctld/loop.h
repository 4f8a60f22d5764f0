/*
 * The loop of the controller: its clock and its signals.
 */
#pragma once

#include "armctld/ctld.h"

/* Priorities of events of the loop. New events have the middle one, LOOP_NORMAL. */
enum {
	LOOP_NORMAL = 1,
	LOOP_WHEN_IDLE =
		2, /* run when no other event is due; the loop looks at sockets before each */
	LOOP_PRIORITIES = 3,
};

/* Sends READY=1. Returns when everything is durable and sent, or when that takes too long. */
void loop_run(struct ctld *c);
