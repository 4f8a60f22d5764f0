/*
 * Quantiles of many times in little memory: exact for few, within 2 % for more.
 *
 * Up to WAIT_TIMES_EXACT times are kept as they are. Then they are counted in classes whose width is 1/32 of
 * their lower bound, or less.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WAIT_TIMES_EXACT = 512 };

/* All zero: no times yet. */
struct wait_times {
	uint64_t count;
	size_t cap;
	int64_t *list;     /* while there are few */
	uint32_t *classes; /* afterwards */
};

/* us is at least 0. -ENOMEM: it was not added. */
int wait_times_add(struct wait_times *t, int64_t us);
/* The smallest time that at least `percent` of all times do not exceed; 0: there are none. Sorts the list. */
int64_t wait_times_quantile(struct wait_times *t, unsigned percent);
void wait_times_done(struct wait_times *t);
