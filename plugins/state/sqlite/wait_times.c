/*
 * Quantiles of times (wait_times.h). The class of a time consists of the position of its highest bit and the
 * BITS bits below it, as in a floating point number of low precision.
 */
#include "wait_times.h"

#include <errno.h>
#include <stdlib.h>

enum { BITS = 5, PARTS = 1 << BITS, CLASSES = (64 - BITS) * PARTS };

static size_t class_of(int64_t us)
{
	uint64_t n = (uint64_t)us;
	int top;

	if (n < PARTS)
		return (size_t)n;
	top = 63 - __builtin_clzll(n);
	return (size_t)(top - BITS + 1) * PARTS + (size_t)((n >> (top - BITS)) - PARTS);
}

/* The middle of the class. */
static int64_t time_of(size_t class)
{
	size_t shift = class / PARTS;
	uint64_t n = class % PARTS;

	if (!shift)
		return (int64_t)n;
	n = (n + PARTS) << (shift - 1);
	return (int64_t)(n + (UINT64_C(1) << (shift - 1)) / 2);
}

static int to_classes(struct wait_times *t)
{
	t->classes = calloc(CLASSES, sizeof(*t->classes));
	if (!t->classes)
		return -ENOMEM;
	for (uint64_t i = 0; i < t->count; i++)
		t->classes[class_of(t->list[i])]++;
	free(t->list);
	t->list = NULL;
	return 0;
}

static int add_exact(struct wait_times *t, int64_t us)
{
	if (t->count == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 8;
		int64_t *list = realloc(t->list, cap * sizeof(*list));

		if (!list)
			return -ENOMEM;
		t->list = list;
		t->cap = cap;
	}
	t->list[t->count++] = us;
	return 0;
}

int wait_times_add(struct wait_times *t, int64_t us)
{
	if (!t->classes && t->count < WAIT_TIMES_EXACT)
		return add_exact(t, us);
	if (!t->classes && to_classes(t))
		return -ENOMEM;
	t->classes[class_of(us)]++;
	t->count++;
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

int64_t wait_times_quantile(struct wait_times *t, unsigned percent)
{
	uint64_t rank = (t->count * percent + 99) / 100, seen = 0;

	if (!t->count)
		return 0;
	if (!rank)
		rank = 1;
	if (!t->classes) {
		qsort(t->list, t->count, sizeof(*t->list), by_time);
		return t->list[rank - 1];
	}
	for (size_t i = 0; i < CLASSES; i++) {
		seen += t->classes[i];
		if (seen >= rank)
			return time_of(i);
	}
	return time_of(CLASSES - 1);
}

void wait_times_done(struct wait_times *t)
{
	free(t->list);
	free(t->classes);
}
