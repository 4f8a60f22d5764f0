#include "asim/storm/event.h"
#include "util/mem.h"

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

static void swap(struct sim_event *a, struct sim_event *b)
{
	struct sim_event t = *a;

	*a = *b;
	*b = t;
}

void sim_event_put(struct sim_events *q, const struct sim_event *ev)
{
	size_t i = q->count;

	GROW(q->heap, q->cap, q->count + 1);
	q->heap[i] = *ev;
	q->heap[i].order = q->next_order++;
	q->count++;
	for (; i && before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&q->heap[i], &q->heap[(i - 1) / 2]);
}

bool sim_event_take(struct sim_events *q, struct sim_event *ret)
{
	size_t i = 0;

	if (!q->count)
		return false;
	*ret = q->heap[0];
	q->heap[0] = q->heap[--q->count];
	for (;;) {
		size_t least = i, l = 2 * i + 1, r = 2 * i + 2;

		if (l < q->count && before(&q->heap[l], &q->heap[least]))
			least = l;
		if (r < q->count && before(&q->heap[r], &q->heap[least]))
			least = r;
		if (least == i)
			return true;
		swap(&q->heap[i], &q->heap[least]);
		i = least;
	}
}

void sim_event_done(struct sim_events *q)
{
	for (size_t i = 0; i < q->count; i++)
		free(q->heap[i].body);
	free(q->heap);
	*q = (struct sim_events){0};
}
