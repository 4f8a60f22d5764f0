/*
 * A binary heap in an array. `before` is an expression of two pointers to entries, x and y: must *x be
 * nearer to the top than *y?
 */
#pragma once

#include <stddef.h>

#define HEAP_ASK(entry, other, before)                                                             \
	({                                                                                         \
		const __typeof__(entry) *x = &(entry), *y = &(other);                              \
		before;                                                                            \
	})

/* Move the entry at this index down to its place. */
#define HEAP_SINK(list, count, at, before)                                                         \
	do {                                                                                       \
		size_t heap_at = (at);                                                             \
		__typeof__(*(list)) heap_moved = (list)[heap_at];                                  \
                                                                                                   \
		for (size_t child; (child = 2 * heap_at + 1) < (count); heap_at = child) {         \
			if (child + 1 < (count) &&                                                 \
			    HEAP_ASK((list)[child + 1], (list)[child], before))                    \
				child++;                                                           \
			if (!HEAP_ASK((list)[child], heap_moved, before))                          \
				break;                                                             \
			(list)[heap_at] = (list)[child];                                           \
		}                                                                                  \
		(list)[heap_at] = heap_moved;                                                      \
	} while (0)

/* Move the entry at this index up to its place. */
#define HEAP_RISE(list, at, before)                                                                \
	do {                                                                                       \
		size_t heap_at = (at);                                                             \
		__typeof__(*(list)) heap_moved = (list)[heap_at];                                  \
                                                                                                   \
		for (; heap_at && HEAP_ASK(heap_moved, (list)[(heap_at - 1) / 2], before);         \
		     heap_at = (heap_at - 1) / 2)                                                  \
			(list)[heap_at] = (list)[(heap_at - 1) / 2];                               \
		(list)[heap_at] = heap_moved;                                                      \
	} while (0)
