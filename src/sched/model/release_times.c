#include "sched/model/release_times.h"
#include "sched/model/model.h"
#include "util/bisect.h"
#include "util/mem.h"

#include <string.h>

/* For each node, the ends of its members with a time limit, by time. Other members have no end. */

void release_times_add_node(struct model *m, uint32_t node)
{
	GROW(m->releases.of_node, m->releases.cap, node + (size_t)1);
	m->releases.of_node[node] = (struct release_times){0};
}

void release_times_add(struct model *m, uint32_t node, const struct release_time *end)
{
	struct release_times *e = &m->releases.of_node[node];
	uint32_t at = BISECT(0, e->count, i, e->list[i].at_us <= end->at_us);

	if (e->count == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 4;
		e->list = xreallocarray(e->list, e->cap, sizeof(*e->list));
	}
	memmove(e->list + at + 1, e->list + at, (e->count - at) * sizeof(*e->list));
	e->list[at] = *end;
	e->count++;
	m->releases.count++;
}

void release_times_remove(struct model *m, uint32_t node, uint32_t task, uint32_t part)
{
	struct release_times *e = &m->releases.of_node[node];

	for (uint32_t i = 0; i < e->count; i++) {
		if (e->list[i].task != task || e->list[i].part != part)
			continue;
		memmove(e->list + i, e->list + i + 1, (--e->count - i) * sizeof(*e->list));
		m->releases.count--;
		return;
	}
}
