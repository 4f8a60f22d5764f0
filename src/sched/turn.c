#include "sched/round.h"
#include "util/mem.h"

#include <string.h>

/* Rows with a head as a heap, the next to be served on top. */

static bool row_before(const struct round *r, uint32_t a, uint32_t b)
{
	return r->s->order->before(r->s->order_handle, &r->heads[a], &r->heads[b]);
}

static void sink(struct round *r, size_t at)
{
	uint32_t row = r->live[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= r->live_count)
			break;
		if (child + 1 < r->live_count && row_before(r, r->live[child + 1], r->live[child]))
			child++;
		if (!row_before(r, r->live[child], row))
			break;
		r->live[at] = r->live[child];
		at = child;
	}
	r->live[at] = row;
}

void round_heads(struct round *r)
{
	r->live_count = 0;
	for (uint32_t row = 0; row < r->view.count && !r->fault; row++)
		if (head_find(r, row))
			r->live[r->live_count++] = row;
	for (size_t i = r->live_count / 2; !r->s->order->pick && i-- > 0;)
		sink(r, i);
}

void round_begin_heads(struct round *r)
{
	size_t n = r->view.count + 1;

	r->heads = arena_zalloc(r->arena, n, sizeof(*r->heads));
	r->live = arena_zalloc(r->arena, n, sizeof(*r->live));
	r->closed = arena_zalloc(r->arena, n, sizeof(*r->closed));
	r->seen = arena_zalloc(r->arena, n, sizeof(*r->seen));
	r->seen_element = arena_zalloc(r->arena, n, sizeof(*r->seen_element));
	r->seen_job = arena_alloc(r->arena, n * sizeof(*r->seen_job));
	memset(r->seen_job, 0xff, n * sizeof(*r->seen_job));
	head_begin(r);
}

/* Where in live the plugin's choice stands; NIL: it wants no more. */
static uint32_t ask_pick(struct round *r)
{
	struct sched *s = r->s;
	struct armada_order_head *shown;
	int64_t at;

	GROW(s->heads, s->heads_cap, r->live_count);
	shown = s->heads;
	for (size_t i = 0; i < r->live_count; i++)
		shown[i] = r->heads[r->live[i]];
	at = s->order->pick(s->order_handle, shown, r->live_count);
	if (at == ARMADA_ORDER_NONE)
		return NIL;
	if (at >= 0 && (size_t)at < r->live_count)
		return (uint32_t)at;
	r->fault = arena_printf(r->arena, "plugin order/%s: it picked %lld of %zu",
				s->order_plugin->desc->name, (long long)at, r->live_count);
	return NIL;
}

/* The row at this place was served: where is its next head? */
static void settle(struct round *r, uint32_t at)
{
	if (!head_find(r, r->live[at]))
		r->live[at] = r->live[--r->live_count];
	if (!r->s->order->pick && r->live_count)
		sink(r, at);
}

void round_serve(struct round *r, void (*serve)(struct round *r, uint32_t row))
{
	while (r->live_count && !r->fault && !r->settled) {
		uint32_t at = r->s->order->pick ? ask_pick(r) : 0;
		bool only = r->evicted_only;

		if (at == NIL)
			return;
		serve(r, r->live[at]);
		if (only == r->evicted_only)
			settle(r, at);
		else
			round_heads(r);
	}
}
