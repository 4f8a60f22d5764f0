/*
 * ashare --history and --plot: samples of the queues over time.
 */
#pragma once

#include "cmd/ashare/ashare.h"
#include "cmd/ashare/samples.h"

/* names: the queues; none: all. Returns 0, a negative errno with err, or an exit code. */
int ashare_history(const struct ashare *r, const char *const *names, size_t count, int64_t now_us,
		   struct err *err);
