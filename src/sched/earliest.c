#include "sched/forecast.h"
#include "util/mem.h"

#include <stdlib.h>

enum { ONE_BY_ONE = 64 };

/*
 * Of a gang whose members are alike the start is the time at which the last one finds room: the ones
 * that find it first are kept in a heap. Where they are not, each part gives a bound, and from there
 * on placing them is tried.
 */

/* The earliest times at which there is room for so many members. */

static void sift_up(struct slot *h, size_t at)
{
	for (; at && h[(at - 1) / 2].at_us < h[at].at_us; at = (at - 1) / 2) {
		struct slot t = h[at];

		h[at] = h[(at - 1) / 2];
		h[(at - 1) / 2] = t;
	}
}

static void sift_down(struct slot *h, size_t count)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
		struct slot t = h[at];

		child += child + 1 < count && h[child + 1].at_us > h[child].at_us;
		if (h[child].at_us <= t.at_us)
			return;
		h[at] = h[child];
		h[child] = t;
	}
}

static void add_times(struct value *v, int64_t at_us, uint64_t members, uint64_t want)
{
	GROW(v->heap, v->cap, v->count + 1);
	v->heap[v->count] = (struct slot){at_us, members};
	sift_up(v->heap, v->count++);
	v->members += members;
	while (v->members - v->heap[0].members >= want) {
		v->members -= v->heap[0].members;
		v->heap[0] = v->heap[--v->count];
		sift_down(v->heap, v->count);
	}
}

/* Later than this is of no use. */
static int64_t latest(const struct value *v, uint64_t want)
{
	return v->members >= want ? v->heap[0].at_us : INT64_MAX;
}

static void follow(const struct forecast *q, uint32_t node, uint32_t part, uint64_t want)
{
	uint32_t value = value_at(q, part, node);
	struct value *v = &q->values[value == NIL ? 0 : value];
	struct course c;
	uint64_t had = 0, has;
	int64_t at_us = NOW;

	if (value == NIL || !room_holds(q->s, node_total(q->s, node), part, 1))
		return;
	course_begin(q, node, &c);
	for (;;) {
		q->s->work.probes++;
		has = course_holds(q, &c, part, want);
		if (has > had)
			add_times(v, at_us, has - had, want);
		had = has > had ? has : had;
		if (!course_peek(&c, &at_us) || at_us >= latest(v, want))
			return;
		course_step(q, &c);
	}
}

/* For each value: from when on is there room for so many members of the part? */
static void find_times(const struct forecast *q, uint32_t part, uint64_t want)
{
	for (uint32_t i = 0; i < q->value_count; i++)
		q->values[i].count = q->values[i].members = 0;
	for (uint32_t node = 0; want && node < q->s->node_count; node++)
		follow(q, node, part, want);
}

/* Gangs whose members are not alike. */

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* All times at which something ends. */
static int64_t *list_times(const struct forecast *q, size_t *ret_count)
{
	struct sched *s = q->s;
	int64_t *t = arena_alloc(q->arena, (s->foreseen + s->fresh_count + 1) * sizeof(*t));
	size_t n = 0, kept = 0;

	for (uint32_t i = 0; i < s->node_count; i++)
		for (uint32_t e = 0; e < s->ends[i].count; e++)
			t[n++] = s->ends[i].list[e].at_us;
	for (size_t i = 0; i < s->fresh_count; i++)
		t[n++] = s->fresh[i].end.at_us;
	qsort(t, n, sizeof(*t), compare_times);
	for (size_t i = 0; i < n; i++)
		if (!i || t[i] != t[i - 1])
			t[kept++] = t[i];
	*ret_count = kept;
	return t;
}

/* Not before each part would find room alone; INT64_MAX: never. */
static int64_t bound(const struct forecast *q, uint32_t value)
{
	int64_t from_us = NOW;
	uint32_t n;
	const uint32_t *parts = key_parts(q->s, &q->key, &n);

	for (uint32_t i = 0; i < n && plan_needs(q->s, q->key) == q->s->keys[q->key].members; i++) {
		uint64_t want = q->s->keys[parts[i]].members;
		int64_t at_us;

		find_times(q, parts[i], want);
		at_us = latest(&q->values[value], want);
		if (at_us > from_us)
			from_us = at_us;
	}
	return from_us;
}

/* The first of the times that is not before this one. */
static size_t first_from(const int64_t *times, size_t count, int64_t from_us)
{
	size_t lo = 0, hi = count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (times[mid] < from_us)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * More room may be worse for those who are placed one by one, but seldom is. So the first ends are
 * tried one by one, and what lies further off by halving: it may be told later than it could be.
 * What is not before the best so far is of no use.
 */
static int64_t try_times(const struct forecast *q, uint32_t value, const int64_t *times, size_t n,
			 int64_t best, struct plan *p)
{
	int64_t from_us = bound(q, value);
	size_t lo = first_from(times, n, from_us), hi, near = lo + ONE_BY_ONE;

	if (from_us >= best)
		return INT64_MAX;
	for (; lo < n && lo < near; lo++) {
		if (times[lo] >= best)
			return INT64_MAX;
		if (plan_all(q, value, times[lo], p))
			return times[lo];
	}
	if (lo >= n || times[lo] >= best || !plan_all(q, value, times[n - 1], p))
		return INT64_MAX;
	for (hi = n - 1; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (plan_all(q, value, times[mid], p))
			hi = mid;
		else
			lo = mid + 1;
	}
	return times[hi];
}

int64_t earliest_start(const struct forecast *q, uint32_t *ret_value, struct plan *p)
{
	struct sched *s = q->s;
	const int64_t *times = NULL;
	int64_t best = INT64_MAX;
	size_t n = 0;

	if (s->keys[q->key].part_count)
		times = list_times(q, &n);
	else
		find_times(q, q->key, plan_needs(s, q->key));
	for (uint32_t i = 0; i < q->value_count; i++) {
		int64_t at_us = times ? try_times(q, i, times, n, best, p)
				      : latest(&q->values[i], plan_needs(s, q->key));

		if (at_us >= best)
			continue;
		best = at_us;
		*ret_value = i;
	}
	return best;
}
