/*
 * I7 at the gate, from what the nodes do and from the records: no task of those that were leased
 * together runs its program before every one of them was set up somewhere. Only members of a gang of
 * jobs whose element is over need not be waited for: the gang goes on without them.
 *
 * Who has reached the gate is noted here for ever, whatever is killed or restarts; what was leased
 * together is read from the durable records again after each crash of the controller.
 */
#include "asim/storm_parts.h"

#include <stdio.h>
#include <string.h>

/* What was leased in one go, as the records tell of it. */
struct storm_lease {
	uint64_t job, seq;
	uint32_t element, attempt, tasks;
	char gang[16]; /* of several jobs; "": none */
	bool over;     /* ended, or waits again */
};

/* Does this order launch a task that has to wait? */
bool gate_of(struct storm *s, const struct order *o, const uint8_t *body, size_t len)
{
	const Armada__TaskBody *b =
		o->kind == ORDER_LAUNCH
			? msg_unpack_as(&armada__task_body__descriptor, body, len, s->arena, NULL)
			: NULL;

	return b && b->gated;
}

void gate_reached(struct storm *s, const struct task_key *key)
{
	char text[64];

	task_key_format(key, text);
	storm_trace(s, "%s waits to be released", text);
	GROW(s->reached, s->reached_cap, s->reached_count + 1);
	s->reached[s->reached_count++] = *key;
}

/* One that took the place of another has an attempt number of its own. */
static bool has_reached(const struct storm *s, const struct storm_lease *l, uint32_t rank)
{
	for (size_t i = 0; i < s->reached_count; i++) {
		const struct task_key *k = &s->reached[i];

		if (k->job == l->job && k->element == l->element && k->rank == rank &&
		    k->attempt >= l->attempt)
			return true;
	}
	return false;
}

static void check_lease(struct storm *s, const struct storm_lease *l, const char *who)
{
	for (uint32_t rank = 0; rank < l->tasks; rank++)
		if (!has_reached(s, l, rank) && !group_does_without(s, l->job, l->element, rank))
			storm_violate(s, "I7: %s runs before task %u of %llu_%u is set up", who,
				      rank, (unsigned long long)l->job, l->element);
}

static bool is_partner(const struct storm_lease *own, const struct storm_lease *l)
{
	return l != own && own->gang[0] && l->seq == own->seq && !l->over &&
	       strcmp(l->gang, own->gang) == 0;
}

/* This one runs its program now. */
void gate_check(struct storm *s, const struct task_key *key)
{
	const struct storm_lease *own = NULL;
	char text[64];

	for (size_t i = 0; i < s->lease_count && !own; i++)
		if (s->leases[i].job == key->job && s->leases[i].element == key->element &&
		    s->leases[i].attempt == key->attempt)
			own = &s->leases[i];
	if (!own || (own->tasks == 1 && !own->gang[0]))
		return;
	task_key_format(key, text);
	check_lease(s, own, text);
	for (size_t i = 0; i < s->lease_count; i++)
		if (is_partner(own, &s->leases[i]))
			check_lease(s, &s->leases[i], text);
}

static void note_leased(struct storm *s, const Armada__ElementLeased *m, uint64_t seq)
{
	struct storm_lease l = {.job = m->job,
				.element = m->element,
				.attempt = m->attempt,
				.seq = seq,
				.tasks = (uint32_t)m->n_nodes};
	const struct storm_member *member = gang_member(s, m->job);

	if (member && m->gang_members > 1)
		snprintf(l.gang, sizeof(l.gang), "%s", member->gang);
	GROW(s->leases, s->lease_cap, s->lease_count + 1);
	s->leases[s->lease_count++] = l;
}

static void note_over(struct storm *s, uint64_t job, uint32_t first, uint32_t last)
{
	for (size_t i = 0; i < s->lease_count; i++)
		if (s->leases[i].job == job && s->leases[i].element >= first &&
		    s->leases[i].element <= last)
			s->leases[i].over = true;
}

void gate_follow(struct storm *s, const Armada__Record *r)
{
	for (size_t i = 0; i < r->n_events; i++) {
		const Armada__Event *ev = r->events[i];

		if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED)
			note_leased(s, ev->element_leased, r->seq);
		else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_REQUEUED)
			note_over(s, ev->element_requeued->job, ev->element_requeued->element,
				  ev->element_requeued->element);
		else if (ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED)
			for (size_t k = 0; k < ev->element_ended->n_elements; k++)
				note_over(s, ev->element_ended->job,
					  ev->element_ended->elements[k]->first,
					  ev->element_ended->elements[k]->last);
	}
}

void gate_restart(struct storm *s)
{
	s->lease_count = 0;
}
