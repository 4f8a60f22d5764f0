/*
 * Pauses before restarts, from the records alone: no element is leased before its pause is over, and no
 * member of a gang while another member pauses. A pause ends no earlier than the event that began it said.
 */
#include "asim/storm/invariant/gang.h"
#include "asim/storm/invariant/table.h"

#include <string.h>

/* An element that was requeued and waits. */
struct waiter {
	uint64_t job;
	uint32_t element;
	int64_t until_us; /* the end of its pause; 0: none */
};

struct pauses {
	struct waiter *list;
	size_t count, cap;
};

static struct waiter *waiter_of(const struct pauses *p, uint64_t job, uint32_t element)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].job == job && p->list[i].element == element)
			return &p->list[i];
	return NULL;
}

static bool is_same_gang(const struct storm *s, uint64_t a, uint64_t b)
{
	const char *gang = invariant_gang_of(s, a), *other = invariant_gang_of(s, b);

	return gang && other && strcmp(gang, other) == 0;
}

ON_EVENT(requeued)
{
	const Armada__ElementRequeued *m = ev->element_requeued;
	struct pauses *p = own;
	struct waiter *w = waiter_of(p, m->job, m->element);

	if (!w) {
		RUN_GROW(s, p->list, p->cap, p->count);
		w = &p->list[p->count++];
	}
	*w = (struct waiter){m->job, m->element, m->not_before_us};
	if (m->not_before_us)
		s->count.pauses++;
	for (size_t i = 0; i < p->count && m->not_before_us; i++)
		if (p->list[i].until_us < m->not_before_us &&
		    is_same_gang(s, p->list[i].job, m->job))
			p->list[i].until_us = m->not_before_us;
}

ON_EVENT(due)
{
	const Armada__ElementDue *m = ev->element_due;
	struct waiter *w = waiter_of(own, m->job, m->element);

	if (!w || !w->until_us || r->wall_us < w->until_us)
		storm_violate(s, "the pause of %llu_%u ends %lld us too early",
			      (unsigned long long)m->job, m->element,
			      w && w->until_us ? (long long)(w->until_us - r->wall_us) : 0LL);
	else
		w->until_us = 0;
}

ON_EVENT(leased)
{
	const Armada__ElementLeased *m = ev->element_leased;
	struct pauses *p = own;

	for (size_t i = 0; i < p->count; i++) {
		const struct waiter *w = &p->list[i];

		if (w->until_us && ((w->job == m->job && w->element == m->element) ||
				    is_same_gang(s, w->job, m->job)))
			storm_violate(s, "%llu_%u is leased while %llu_%u pauses",
				      (unsigned long long)m->job, m->element,
				      (unsigned long long)w->job, w->element);
	}
	for (size_t i = 0; i < p->count; i++)
		if (p->list[i].job == m->job && p->list[i].element == m->element)
			p->list[i] = p->list[--p->count];
}

ON_EVENT(ended)
{
	const Armada__ElementEnded *m = ev->element_ended;
	struct pauses *p = own;

	for (size_t i = 0; i < m->n_elements; i++)
		for (size_t k = p->count; k-- > 0;)
			if (p->list[k].job == m->job &&
			    p->list[k].element >= m->elements[i]->first &&
			    p->list[k].element <= m->elements[i]->last)
				p->list[k] = p->list[--p->count];
}

const struct invariant invariant_pause = {
	.size = sizeof(struct pauses),
	.forgets = true,
	.on_event =
		{
			[ARMADA__EVENT__KIND_ELEMENT_REQUEUED] = requeued,
			[ARMADA__EVENT__KIND_ELEMENT_DUE] = due,
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
};
