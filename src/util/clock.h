/*
 * The clocks of the machine in microseconds.
 *
 * CLOCK_MONOTONIC is for waiting. CLOCK_BOOTTIME is for times that the controller and a node agree on: it
 * continues while the machine sleeps. CLOCK_REALTIME is for times that people read: an administrator can set
 * it. Deterministic code (core, sched, agent) takes time as an input and never includes this header.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
