/*
 * The clocks of the controller. The wall clock is set forwards or backwards now and then; the
 * steady clock begins at any value each time the controller starts.
 */
#pragma once

#include "asim/storm/storm.h"

#define SIM_EPOCH_US INT64_C(1700000000000000) /* wall clock when the virtual time is 0 */

struct sim_clock {
	bool jumps;            /* in this run */
	int64_t wall_off_us;   /* of the wall clock */
	int64_t steady_off_us; /* of the steady clock, since the last start of the controller */
};

int64_t sim_clock_wall_us(const struct storm *s);
int64_t sim_clock_steady_us(const struct storm *s);
/* The controller starts. */
void sim_clock_start(struct storm *s);
/* A fault. */
void sim_clock_jump(struct storm *s);
