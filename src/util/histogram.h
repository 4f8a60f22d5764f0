/*
 * A histogram of times: how many were measured up to each of the fixed bounds.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_BOUNDS = 14 };

/* In seconds, ascending. */
extern const double histogram_bounds[HISTOGRAM_BOUNDS];

struct histogram {
	uint64_t counts[HISTOGRAM_BOUNDS +
			1]; /* of each bucket alone; the last one: above all bounds */
	double sum_s;
};

/* A negative time counts as 0. */
void histogram_add(struct histogram *h, int64_t us);
