/*
 * Binary search in a sorted sequence.
 */
#pragma once

/*
 * The first index from `from` up to `end` where the condition, an expression of `i`, does not hold; `end`
 * if there is none. It must hold for all indices before that one and for none after it.
 */
#define BISECT(from, end, i, condition)                                                            \
	({                                                                                         \
		__typeof__((end) + 0) bisect_lo = (from), bisect_hi = (end);                       \
                                                                                                   \
		while (bisect_lo < bisect_hi) {                                                    \
			__typeof__((end) + 0) i = bisect_lo + (bisect_hi - bisect_lo) / 2;         \
                                                                                                   \
			if (condition)                                                             \
				bisect_lo = i + 1;                                                 \
			else                                                                       \
				bisect_hi = i;                                                     \
		}                                                                                  \
		bisect_lo;                                                                         \
	})
