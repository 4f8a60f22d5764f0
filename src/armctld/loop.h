/*
 * The loop of the controller: its clock and its signals.
 */
#pragma once

#include "armctld/ctld.h"

/* Says READY=1. Returns when everything is durable and sent, or the end takes too long. */
void loop_run(struct ctld *c);
