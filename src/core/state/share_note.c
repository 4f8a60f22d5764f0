/* Notes of queue shares: kept with the queue, and given back to the scheduler after a restart. */
#include "core/state/write.h"

#include "core/state/share_note.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

void share_note_free(struct share_note *n)
{
	free(n);
}

void share_note(struct state *state, struct queue *q, const Armada__ShareSample *m,
		const char *fairness)
{
	size_t len = strlen(fairness) + 1;
	struct share_note *n;

	if (m->time_us > state->shares_noted_us)
		state->shares_noted_us = m->time_us;
	if (!q)
		return;
	n = xcalloc(1, sizeof(*n) + len);
	n->time_us = m->time_us;
	n->round_us = m->round_us ? m->round_us : m->time_us;
	n->level = m->from_us ? m->level : m->cost; /* older notes have the cost alone */
	n->fair = m->fair;
	n->capped = m->capped;
	n->weight = m->weight;
	n->memory = m->memory;
	n->factor = m->factor;
	memcpy(n->fairness, fairness, len);
	free(q->noted);
	q->noted = n;
}

Armada__ShareSample *share_note_sample(const struct queue *q, struct arena *a)
{
	const struct share_note *n = q->noted;
	Armada__ShareSample *m;

	if (!n)
		return NULL;
	m = arena_alloc(a, sizeof(*m));
	armada__share_sample__init(m);
	m->time_us = m->from_us = n->time_us;
	m->round_us = n->round_us;
	m->queue = q->name;
	m->cost = m->level = n->level;
	m->fair = n->fair;
	m->capped = n->capped;
	m->weight = n->weight;
	m->memory = n->memory;
	m->factor = n->factor;
	return m;
}

const char *share_note_fairness(const struct queue *q)
{
	return q->noted ? q->noted->fairness : "";
}
