#include "asim/storm/event.h"
#include "util/heap.h"
#include "util/mem.h"

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

void sim_event_put(struct sim_events *q, const struct sim_event *ev)
{
	GROW(q->heap, q->cap, q->count + 1);
	q->heap[q->count] = *ev;
	q->heap[q->count].order = q->next_order++;
	HEAP_RISE(q->heap, q->count, before(x, y));
	q->count++;
}

bool sim_event_take(struct sim_events *q, struct sim_event *ret)
{
	if (!q->count)
		return false;
	*ret = q->heap[0];
	q->heap[0] = q->heap[--q->count];
	HEAP_SINK(q->heap, q->count, 0, before(x, y));
	return true;
}

void sim_event_done(struct sim_events *q)
{
	for (size_t i = 0; i < q->count; i++)
		free(q->heap[i].body);
	free(q->heap);
	*q = (struct sim_events){0};
}
