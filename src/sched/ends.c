#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

/* Of each node the ends of its members with a time limit, by time. Others never end. */

void ends_room(struct sched *s, uint32_t node)
{
	GROW(s->ends, s->ends_cap, node + (size_t)1);
	s->ends[node] = (struct ends){0};
}

static uint32_t place_of(const struct ends *e, int64_t at_us)
{
	uint32_t lo = 0, hi = e->count;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (e->list[mid].at_us <= at_us)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void ends_add(struct sched *s, uint32_t node, const struct end *end)
{
	struct ends *e = &s->ends[node];
	uint32_t at = place_of(e, end->at_us);

	if (e->count == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 4;
		e->list = xreallocarray(e->list, e->cap, sizeof(*e->list));
	}
	memmove(e->list + at + 1, e->list + at, (e->count - at) * sizeof(*e->list));
	e->list[at] = *end;
	e->count++;
	s->foreseen++;
}

void ends_remove(struct sched *s, uint32_t node, uint32_t task, uint32_t part)
{
	struct ends *e = &s->ends[node];

	for (uint32_t i = 0; i < e->count; i++) {
		if (e->list[i].task != task || e->list[i].part != part)
			continue;
		memmove(e->list + i, e->list + i + 1, (--e->count - i) * sizeof(*e->list));
		s->foreseen--;
		return;
	}
}
