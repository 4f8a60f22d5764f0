/*
 * The loop of the controller: its clock and its signals.
 */
#pragma once

#include "armctld/ctld.h"

/* Sends READY=1. Returns when everything is durable and sent, or when that takes too long. */
void loop_run(struct ctld *c);
