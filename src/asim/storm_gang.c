/*
 * I7 of gangs of jobs, from the records alone: whoever of a gang has not ended is leased in one
 * record, or nobody is; before it has begun all of it is there. It has begun once orders of it left,
 * or a decision left some of it out, who have ended by that.
 *
 * Nothing of the core is asked. After a crash the books are made anew from what is durable.
 */
#include "asim/storm_parts.h"

#include <stdio.h>
#include <string.h>

struct storm_member *gang_member(struct storm *s, uint64_t job)
{
	for (size_t i = 0; i < s->member_count; i++)
		if (s->members[i].job == job)
			return &s->members[i];
	return NULL;
}

static void note_submitted(struct storm *s, const Armada__JobSubmitted *m)
{
	struct storm_member member = {
		.job = m->id, .cardinality = m->spec->gang_cardinality, .min = m->spec->gang_min};

	if (!m->spec->gang_id[0])
		return;
	snprintf(member.gang, sizeof(member.gang), "%s", m->spec->gang_id);
	GROW(s->members, s->member_cap, s->member_count + 1);
	s->members[s->member_count++] = member;
}

static void note_event(struct storm *s, const Armada__Event *ev, uint64_t seq)
{
	struct storm_member *m = NULL;

	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_JOB_SUBMITTED:
		note_submitted(s, ev->job_submitted);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_LEASED:
		m = gang_member(s, ev->element_leased->job);
		if (!m)
			break;
		m->leased = seq;
		m->begun |= !ev->element_leased->promised;
		break;
	case ARMADA__EVENT__KIND_ELEMENT_RELEASED:
		m = gang_member(s, ev->element_released->job);
		if (m)
			m->begun = true;
		break;
	case ARMADA__EVENT__KIND_ELEMENT_ENDED:
		m = gang_member(s, ev->element_ended->job);
		if (m)
			m->ended = seq;
		break;
	default:
		break;
	}
}

/* Of the gang of m, which was leased in this record. */
static void check_gang(struct storm *s, struct storm_member *m, uint64_t seq, bool had_begun)
{
	uint32_t leased = 0, left_out = 0, missing = 0;

	for (size_t i = 0; i < s->member_count; i++) {
		const struct storm_member *o = &s->members[i];

		if (strcmp(o->gang, m->gang) != 0)
			continue;
		leased += o->leased == seq;
		left_out += o->ended == seq;
		missing += !o->ended && o->leased != seq;
	}
	if (missing)
		storm_violate(s, "I7: %u of gang %s are leased and %u are not", leased, m->gang,
			      missing);
	if (!had_begun && leased + left_out < m->cardinality)
		storm_violate(s, "I7: gang %s begins with %u of %u", m->gang, leased,
			      m->cardinality);
	if (!had_begun && leased < (m->min ? m->min : m->cardinality))
		storm_violate(s, "I7: gang %s begins with %u, below its minimum", m->gang, leased);
	m->begun |= left_out > 0;
}

static bool has_begun(const struct storm *s, const char *gang)
{
	for (size_t i = 0; i < s->member_count; i++)
		if (s->members[i].begun && strcmp(s->members[i].gang, gang) == 0)
			return true;
	return false;
}

/* Had it begun before this record: first of all, its members as they were are looked at. */
static void look_before(struct storm *s, const Armada__Record *r)
{
	for (size_t i = 0; i < r->n_events; i++) {
		struct storm_member *m =
			r->events[i]->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED
				? gang_member(s, r->events[i]->element_leased->job)
				: NULL;

		if (m)
			m->gang_had_begun = has_begun(s, m->gang);
	}
}

void gangs_follow(struct storm *s, const Armada__Record *r)
{
	groups_follow(s, r);
	gate_follow(s, r);
	look_before(s, r);
	for (size_t i = 0; i < r->n_events; i++)
		note_event(s, r->events[i], r->seq);
	for (size_t i = 0; i < s->member_count; i++)
		if (s->members[i].leased == r->seq)
			check_gang(s, &s->members[i], r->seq, s->members[i].gang_had_begun);
}

void gangs_restart(struct storm *s)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);

	s->member_count = 0;
	groups_forget(s);
	gate_restart(s);
	for (size_t i = 0; i < s->ctl.disk_count; i++) {
		const Armada__Record *r =
			msg_unpack_own(&armada__record__descriptor, s->ctl.disk[i].data,
				       s->ctl.disk[i].len, arena);

		if (r)
			gangs_follow(s, r);
		arena_clear(arena);
	}
}
