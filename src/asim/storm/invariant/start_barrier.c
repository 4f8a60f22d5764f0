/*
 * I7 at the start barrier, from the actions of the nodes and the records: of the tasks that were
 * leased together none runs its program before all of them are set up. Only members of a gang of
 * jobs whose element has ended need not be waited for: the gang continues without them.
 *
 * Which tasks have reached the barrier is kept for the whole run, whatever is killed or restarts.
 * The leases are read again from the durable records after each crash of the controller.
 */
#include "asim/storm/invariant/gang.h"
#include "asim/storm/invariant/group.h"

#include <stdio.h>
#include <string.h>

/* The tasks leased in one record. */
struct lease {
	uint64_t job, seq;
	uint32_t element, attempt, tasks;
	char gang[16]; /* a gang of several jobs; "": none */
	bool over;     /* ended, or waits again */
};

struct barrier {
	struct task_key *reached;
	size_t reached_count, reached_cap;
	struct lease *leases; /* this and the following fields are read again */
	size_t count, cap;
};

static void on_ready(struct storm *s, void *own, const struct task_key *key)
{
	struct barrier *g = own;

	RUN_GROW(s, g->reached, g->reached_cap, g->reached_count);
	g->reached[g->reached_count++] = *key;
}

/* A replacement of a task has a later attempt number. */
static bool has_reached(const struct barrier *g, const struct lease *l, uint32_t rank)
{
	for (size_t i = 0; i < g->reached_count; i++) {
		const struct task_key *k = &g->reached[i];

		if (k->job == l->job && k->element == l->element && k->rank == rank &&
		    k->attempt >= l->attempt)
			return true;
	}
	return false;
}

static void check_lease(struct storm *s, const struct barrier *g, const struct lease *l,
			const char *who)
{
	for (uint32_t rank = 0; rank < l->tasks; rank++)
		if (!has_reached(g, l, rank) &&
		    !invariant_group_does_without(s, l->job, l->element, rank))
			storm_violate(s, "I7: %s runs before task %u of %llu_%u is set up", who,
				      rank, (unsigned long long)l->job, l->element);
}

static bool is_partner(const struct lease *own, const struct lease *l)
{
	return l != own && own->gang[0] && l->seq == own->seq && !l->over &&
	       strcmp(l->gang, own->gang) == 0;
}

/* This task runs its program now. */
static void on_start(struct storm *s, void *own, const struct sim_node *n UNUSED,
		     const struct task_key *key)
{
	const struct barrier *g = own;
	const struct lease *mine = NULL;
	char text[64];

	for (size_t i = 0; i < g->count && !mine; i++)
		if (g->leases[i].job == key->job && g->leases[i].element == key->element &&
		    g->leases[i].attempt == key->attempt)
			mine = &g->leases[i];
	if (!mine || (mine->tasks == 1 && !mine->gang[0]))
		return;
	task_key_format(key, text);
	check_lease(s, g, mine, text);
	for (size_t i = 0; i < g->count; i++)
		if (is_partner(mine, &g->leases[i]))
			check_lease(s, g, &g->leases[i], text);
}

ON_EVENT(leased)
{
	const Armada__ElementLeased *m = ev->element_leased;
	struct barrier *g = own;
	struct lease l = {.job = m->job,
			  .element = m->element,
			  .attempt = m->attempt,
			  .seq = r->seq,
			  .tasks = (uint32_t)m->n_nodes};
	const char *gang = invariant_gang_of(s, m->job);

	if (gang && m->gang_members > 1)
		snprintf(l.gang, sizeof(l.gang), "%s", gang);
	RUN_GROW(s, g->leases, g->cap, g->count);
	g->leases[g->count++] = l;
}

static void over(struct barrier *g, uint64_t job, uint32_t first, uint32_t last)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->leases[i].job == job && g->leases[i].element >= first &&
		    g->leases[i].element <= last)
			g->leases[i].over = true;
}

ON_EVENT(requeued)
{
	const Armada__ElementRequeued *m = ev->element_requeued;

	over(own, m->job, m->element, m->element);
}

ON_EVENT(ended)
{
	const Armada__ElementEnded *m = ev->element_ended;

	for (size_t k = 0; k < m->n_elements; k++)
		over(own, m->job, m->elements[k]->first, m->elements[k]->last);
}

const struct invariant invariant_start_barrier = {
	.size = sizeof(struct barrier),
	.forgets = true,
	.kept = offsetof(struct barrier, leases),
	.on_event =
		{
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_ELEMENT_REQUEUED] = requeued,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
	.on_ready = on_ready,
	.on_start = on_start,
};
