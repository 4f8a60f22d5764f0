/*
 * Samples of the usage of a task while it runs.
 *
 * The kernel does not keep the peak of the memory of processes (armada/contain.h), so the shepherd
 * samples it: early and often at first, because many tasks are short, and then every few seconds.
 */
#pragma once

#include "armd/shepherd/state.h"

/* The program may run from now on: samples begin. */
void shepherd_usage_begin(struct shepherd *s);
/* When the next sample is due (CLOCK_BOOTTIME); 0: never. */
int64_t shepherd_usage_due_us(const struct shepherd *s);
void shepherd_usage_tick(struct shepherd *s);
/* Sample now, because processes may end. */
void shepherd_usage_sample(struct shepherd *s);
