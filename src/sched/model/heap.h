/*
 * A binary heap in an array: before(a, b) says of two entries which is nearer to the top.
 */
#ifndef SCHED_MODEL_HEAP_H
#define SCHED_MODEL_HEAP_H

#include <stddef.h>

/* The entry at this place goes down to where it belongs. */
#define HEAP_SINK(list, count, at, before)                                                         \
	do {                                                                                       \
		size_t heap_at = (at);                                                             \
		__typeof__(*(list)) heap_moved = (list)[heap_at];                                  \
                                                                                                   \
		for (size_t child; (child = 2 * heap_at + 1) < (count); heap_at = child) {         \
			if (child + 1 < (count) && before((list)[child + 1], (list)[child]))       \
				child++;                                                           \
			if (!before((list)[child], heap_moved))                                    \
				break;                                                             \
			(list)[heap_at] = (list)[child];                                           \
		}                                                                                  \
		(list)[heap_at] = heap_moved;                                                      \
	} while (0)

#endif
