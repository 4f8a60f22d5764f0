#include "asim/queue.h"
#include "util/mem.h"

static bool before(const struct happening *a, const struct happening *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->order < b->order;
}

static void swap(struct happening *a, struct happening *b)
{
	struct happening t = *a;

	*a = *b;
	*b = t;
}

void happenings_put(struct happenings *q, const struct happening *h)
{
	size_t i = q->count;

	GROW(q->heap, q->cap, q->count + 1);
	q->heap[i] = *h;
	q->heap[i].order = q->next_order++;
	q->count++;
	for (; i && before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&q->heap[i], &q->heap[(i - 1) / 2]);
}

bool happenings_take(struct happenings *q, struct happening *ret)
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

void happenings_done(struct happenings *q)
{
	for (size_t i = 0; i < q->count; i++)
		free(q->heap[i].body);
	free(q->heap);
	*q = (struct happenings){0};
}
