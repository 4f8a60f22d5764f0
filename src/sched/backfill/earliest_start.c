/*
 * The earliest start of a gang without room, if all running tasks use their whole time limits.
 *
 * Input: the forecast, with the gang's shape and level. Output: the time, and the value of the
 * uniformity label that gives it.
 *
 * Like members: the timeline of each node yields the times at which it has room for one, two, three
 * members. The start is the time at which the last member finds room. Only the earliest times are
 * kept, in a heap as large as the gang; a node is not followed further than the latest time in the
 * heap.
 *
 * If the gang fits now, on other nodes than those that were tried, no start is predicted (NOW).
 *
 * Unlike members: each part alone gives a lower bound. From there a placement of the whole gang is
 * tried at each of the next 64 releases, and further away by bisection. Bisection assumes that more
 * free room is never worse, which is not always true of a greedy placement. So a start more than 64
 * releases away may be predicted too late, never too early.
 */
#include "sched/backfill/earliest_start.h"
#include "sched/backfill/node_timeline.h"
#include "util/bisect.h"
#include "util/heap.h"
#include "util/mem.h"

#include <stdlib.h>

enum { ONE_BY_ONE = 64 };

#define LATER (x->at_us > y->at_us)

/* Keeps the earliest times at which there is room for `want` members. */
static void add_times(struct uniform_value *v, int64_t at_us, uint64_t members, uint64_t want)
{
	GROW(v->heap, v->cap, v->count + 1);
	v->heap[v->count] = (struct slot){at_us, members};
	HEAP_RISE(v->heap, v->count, LATER);
	v->count++;
	v->members += members;
	while (v->members - v->heap[0].members >= want) {
		v->members -= v->heap[0].members;
		v->heap[0] = v->heap[--v->count];
		HEAP_SINK(v->heap, v->count, 0, LATER);
	}
}

/* Times later than this change nothing. */
static int64_t latest(const struct uniform_value *v, uint64_t want)
{
	return v->members >= want ? v->heap[0].at_us : INT64_MAX;
}

static void follow(const struct forecast *q, uint32_t node, uint32_t part, uint64_t want)
{
	uint32_t value = node_timeline_value(q, part, node);
	struct uniform_value *v = &q->values[value == NIL ? 0 : value];
	struct node_timeline c;
	uint64_t had = 0, has;
	int64_t at_us = NOW;

	if (value == NIL ||
	    !amounts_cover(nodes_total(q->m, node), job_shape_request(q->m, part), q->m->dims))
		return;
	node_timeline_begin(q, node, &c);
	for (;;) {
		q->m->work.probes++;
		has = node_timeline_holds(q, &c, part, want);
		if (has > had)
			add_times(v, at_us, has - had, want);
		had = has > had ? has : had;
		if (!node_timeline_peek(&c, &at_us) || at_us >= latest(v, want))
			return;
		node_timeline_step(q, &c);
	}
}

/* For each value: the times at which there is room for `want` members of the part. */
static void find_times(const struct forecast *q, uint32_t part, uint64_t want)
{
	for (uint32_t i = 0; i < q->value_count; i++)
		q->values[i].count = q->values[i].members = 0;
	for (uint32_t node = 0; want && node < q->m->nodes.count; node++)
		follow(q, node, part, want);
}

/* Gangs whose members are not alike. */

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* All times at which a task ends, sorted, each once. */
static int64_t *list_times(const struct forecast *q, size_t *ret_count)
{
	const struct reservation *v = q->v;
	struct model *m = q->m;
	int64_t *t = arena_alloc(q->arena, (m->releases.count + v->fresh_count + 1) * sizeof(*t));
	size_t n = 0, kept = 0;

	for (uint32_t i = 0; i < m->nodes.count; i++)
		for (uint32_t e = 0; e < m->releases.of_node[i].count; e++)
			t[n++] = m->releases.of_node[i].list[e].at_us;
	for (size_t i = 0; i < v->fresh_count; i++)
		t[n++] = v->fresh[i].end.at_us;
	qsort(t, n, sizeof(*t), compare_times);
	for (size_t i = 0; i < n; i++)
		if (!i || t[i] != t[i - 1])
			t[kept++] = t[i];
	*ret_count = kept;
	return t;
}

/* A lower bound: no part alone finds room earlier. INT64_MAX: never. */
static int64_t bound(const struct forecast *q, uint32_t value)
{
	int64_t from_us = NOW;
	uint32_t n;
	const uint32_t *parts = job_shape_parts(q->m, &q->shape, &n);

	for (uint32_t i = 0;
	     i < n && plan_needs(q->m, q->shape) == q->m->shapes.list[q->shape].members; i++) {
		uint64_t want = plan_part_needs(q->m, q->shape, parts[i]);
		int64_t at_us;

		find_times(q, parts[i], want);
		at_us = latest(&q->values[value], want);
		if (at_us > from_us)
			from_us = at_us;
	}
	return from_us;
}

/*
 * More room may be worse for a greedy placement, but seldom is. So the first releases are tried one
 * by one, and later ones by bisection: the start may be predicted too late. Times that are not
 * before the best so far are not tried.
 */
static int64_t try_times(const struct forecast *q, uint32_t value, const int64_t *times, size_t n,
			 int64_t best, struct plan *p)
{
	int64_t from_us = bound(q, value);
	size_t lo = BISECT(0, n, i, times[i] < from_us), near = lo + ONE_BY_ONE;

	if (from_us >= best)
		return INT64_MAX;
	/* other nodes would do now, but members are not moved */
	if (from_us == NOW && plan_all(q, value, NOW, p))
		return NOW;
	for (; lo < n && lo < near; lo++) {
		if (times[lo] >= best)
			return INT64_MAX;
		if (plan_all(q, value, times[lo], p))
			return times[lo];
	}
	if (lo >= n || times[lo] >= best || !plan_all(q, value, times[n - 1], p))
		return INT64_MAX;
	return times[BISECT(lo, n - 1, i, !plan_all(q, value, times[i], p))];
}

int64_t earliest_start(const struct forecast *q, uint32_t *ret_value, struct plan *p)
{
	struct model *m = q->m;
	const int64_t *times = NULL;
	int64_t best = INT64_MAX;
	size_t n = 0;

	if (m->shapes.list[q->shape].part_count)
		times = list_times(q, &n);
	else
		find_times(q, q->shape, plan_needs(m, q->shape));
	for (uint32_t i = 0; i < q->value_count; i++) {
		int64_t at_us = times ? try_times(q, i, times, n, best, p)
				      : latest(&q->values[i], plan_needs(m, q->shape));

		if (at_us >= best)
			continue;
		best = at_us;
		*ret_value = i;
	}
	return best;
}
