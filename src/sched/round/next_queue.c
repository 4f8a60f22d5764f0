/*
 * Which queue is served next.
 *
 * The rows with a head are a heap by the order plugin's `before`, or a plain list if the plugin
 * picks. A row is served, its next head is found, and the row sinks to its new place. Heads of
 * other rows are not compared again until their own row is served, or until gangs of it are
 * displaced.
 */
#include "sched/round/next_queue.h"
#include "sched/round/queue_head.h"
#include "util/heap.h"
#include "util/mem.h"

#include <string.h>

/* Rows with a head as a heap, the next to be served on top. */

static bool row_before(const struct round *r, uint32_t a, uint32_t b)
{
	return r->m->policies.order->before(r->m->policies.order_handle, &r->heads[a],
					    &r->heads[b]);
}

static void sink(struct round *r, size_t at)
{
	HEAP_SINK(r->live, r->live_count, at, row_before(r, *x, *y));
}

void next_queue_changed(struct round *r, uint32_t row)
{
	r->changed = arena_grow(r->arena, r->changed, &r->changed_cap, r->changed_count,
				sizeof(*r->changed));
	r->changed[r->changed_count++] = row;
}

void next_queue_again(struct round *r)
{
	r->live_count = r->changed_count = 0;
	for (uint32_t row = 0; row < r->view.count && !r->fault; row++)
		if (queue_head_find(r, row))
			r->live[r->live_count++] = row;
	for (size_t i = r->live_count / 2; !r->m->policies.order->pick && i-- > 0;)
		sink(r, i);
}

void next_queue_begin(struct round *r)
{
	size_t n = r->view.count + 1;

	r->heads = arena_zalloc(r->arena, n, sizeof(*r->heads));
	r->live = arena_zalloc(r->arena, n, sizeof(*r->live));
	r->closed = arena_zalloc(r->arena, n, sizeof(*r->closed));
	r->seen = arena_zalloc(r->arena, n, sizeof(*r->seen));
	r->seen_element = arena_zalloc(r->arena, n, sizeof(*r->seen_element));
	r->seen_job = arena_alloc(r->arena, n * sizeof(*r->seen_job));
	memset(r->seen_job, 0xff, n * sizeof(*r->seen_job));
	queue_head_begin(r);
}

/* The index in live that the plugin picked; NIL: it picks none. */
static uint32_t ask_pick(struct round *r)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct armada_order_head *shown;
	int64_t at;

	GROW(s->output.heads, s->output.heads_cap, r->live_count);
	shown = s->output.heads;
	for (size_t i = 0; i < r->live_count; i++)
		shown[i] = r->heads[r->live[i]];
	at = m->policies.order->pick(m->policies.order_handle, shown, r->live_count);
	if (at == ARMADA_ORDER_NONE)
		return NIL;
	if (at >= 0 && (size_t)at < r->live_count)
		return (uint32_t)at;
	r->fault = arena_printf(r->arena, "plugin order/%s: it picked %lld of %zu",
				m->policies.order_plugin->desc->name, (long long)at, r->live_count);
	return NIL;
}

static void remove_at(struct round *r, size_t at)
{
	r->live[at] = r->live[--r->live_count];
}

/* The row at this index was served: find its next head. */
static void settle(struct round *r, uint32_t at)
{
	if (!queue_head_find(r, r->live[at]))
		remove_at(r, at);
	if (!r->m->policies.order->pick && r->live_count)
		sink(r, at);
}

/* Find the heads of the changed rows again. O(rows) for each. */
static void settle_changed(struct round *r)
{
	for (size_t i = 0; i < r->changed_count && !r->fault; i++) {
		size_t at = 0;

		while (at < r->live_count && r->live[at] != r->changed[i])
			at++;
		if (at == r->live_count)
			continue;
		if (!queue_head_find(r, r->live[at]))
			remove_at(r, at);
		if (r->m->policies.order->pick || at == r->live_count)
			continue;
		HEAP_RISE(r->live, at, row_before(r, *x, *y));
		sink(r, at);
	}
	r->changed_count = 0;
}

void next_queue_serve(struct round *r, void (*serve)(struct round *r, uint32_t row))
{
	while (r->live_count && !r->fault && !r->settled) {
		uint32_t at = r->m->policies.order->pick ? ask_pick(r) : 0;
		bool only = r->evicted_only;

		if (at == NIL)
			return;
		serve(r, r->live[at]);
		if (only == r->evicted_only)
			settle(r, at);
		else
			next_queue_again(r);
		settle_changed(r);
	}
}
