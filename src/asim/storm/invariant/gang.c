/*
 * I7 for gangs of jobs, from the records alone: all members that have not ended are leased in one
 * record, or none. Before the gang has begun, all its members must exist.
 *
 * A gang has begun once its orders were sent, or once a decision left some members out, which ends
 * them.
 */
#include "asim/storm/invariant/gang.h"

#include <stdio.h>
#include <string.h>

/* A member of a gang of jobs, from the records. */
struct member {
	uint64_t job, leased, ended; /* number of the last such record; 0: none */
	char gang[16];
	uint32_t cardinality, min;
	bool begun; /* its orders were sent */
	bool gang_had_begun;
};

struct gangs {
	struct member *members;
	size_t count, cap;
};

static struct member *member_of(const struct gangs *g, uint64_t job)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i].job == job)
			return &g->members[i];
	return NULL;
}

const char *invariant_gang_of(const struct storm *s, uint64_t job)
{
	const struct member *m = member_of(invariant_own(s, &invariant_gang), job);

	return m ? m->gang : NULL;
}

ON_EVENT(submitted)
{
	const Armada__JobSpec *spec = ev->job_submitted->spec;
	struct gangs *g = own;
	struct member m = {.job = ev->job_submitted->id,
			   .cardinality = spec->gang_cardinality,
			   .min = spec->gang_min};

	if (!spec->gang_id[0])
		return;
	snprintf(m.gang, sizeof(m.gang), "%s", spec->gang_id);
	RUN_GROW(s, g->members, g->cap, g->count);
	g->members[g->count++] = m;
}

ON_EVENT(leased)
{
	struct member *m = member_of(own, ev->element_leased->job);

	if (!m)
		return;
	m->leased = r->seq;
	m->begun |= !ev->element_leased->lease_pending;
}

ON_EVENT(released)
{
	struct member *m = member_of(own, ev->element_released->job);

	if (m)
		m->begun = true;
}

ON_EVENT(ended)
{
	struct member *m = member_of(own, ev->element_ended->job);

	if (m)
		m->ended = r->seq;
}

/* Check the gang of m, which was leased in this record. */
static void check_gang(struct storm *s, const struct gangs *g, struct member *m, uint64_t seq)
{
	uint32_t in = 0, left_out = 0, missing = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct member *o = &g->members[i];

		if (strcmp(o->gang, m->gang) != 0)
			continue;
		in += o->leased == seq;
		left_out += o->ended == seq;
		missing += !o->ended && o->leased != seq;
	}
	if (missing)
		storm_violate(s, "I7: %u of gang %s are leased and %u are not", in, m->gang,
			      missing);
	if (!m->gang_had_begun && in + left_out < m->cardinality)
		storm_violate(s, "I7: gang %s begins with %u of %u", m->gang, in, m->cardinality);
	if (!m->gang_had_begun && in < (m->min ? m->min : m->cardinality))
		storm_violate(s, "I7: gang %s begins with %u, below its minimum", m->gang, in);
	m->begun |= left_out > 0;
}

static bool has_begun(const struct gangs *g, const char *gang)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i].begun && strcmp(g->members[i].gang, gang) == 0)
			return true;
	return false;
}

/* Had the gang begun before this record? */
static void look_before(struct storm *s UNUSED, void *own, const Armada__Record *r)
{
	for (size_t i = 0; i < r->n_events; i++) {
		struct member *m = r->events[i]->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED
					   ? member_of(own, r->events[i]->element_leased->job)
					   : NULL;

		if (m)
			m->gang_had_begun = has_begun(own, m->gang);
	}
}

static void look_after(struct storm *s, void *own, const Armada__Record *r)
{
	const struct gangs *g = own;

	for (size_t i = 0; i < g->count; i++)
		if (g->members[i].leased == r->seq)
			check_gang(s, g, &g->members[i], r->seq);
}

const struct invariant invariant_gang = {
	.size = sizeof(struct gangs),
	.forgets = true,
	.before_record = look_before,
	.on_event =
		{
			[ARMADA__EVENT__KIND_JOB_SUBMITTED] = submitted,
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_ELEMENT_RELEASED] = released,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
	.after_record = look_after,
};
