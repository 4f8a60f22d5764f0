/*
 * What a task has used: the figures of the message Usage, as nodes and the controller keep them.
 */
#pragma once

#include "proto/common.pb-c.h"

#include <stdint.h>

struct task_usage {
	int64_t cpu_us;
	int64_t max_rss_bytes, group_peak_bytes;
	int64_t read_bytes, written_bytes;
	int64_t user_us, system_us; /* parts of cpu_us; both 0: not known */
};

/*
 * A figure outside 0 to USAGE_MAX becomes the nearest of them; JSON has no larger integers that are
 * exact.
 */
#define USAGE_MAX (INT64_C(1) << 53)
void usage_take(const Armada__Usage *from, struct task_usage *to);
/*
 * Adds what another task, or another attempt, has used. The peaks are the higher ones. Sums stop at
 * USAGE_MAX.
 */
void usage_add(struct task_usage *sum, const struct task_usage *more);
/* Into an initialised message. */
void usage_put(const struct task_usage *from, Armada__Usage *to);
