/*
 * Gangs of jobs that start, are preempted and go back to the queue together.
 *
 * The scheduler treats a gang as one job, that of its first member (the lead). Input: one decision
 * with a node for each seat of all members, in member order. gang_start() checks it against the
 * present state: membership, nodes, the uniform label, quotas, room. Output: one element_leased for
 * each member that gets nodes, all in the same record, or nothing. Members without nodes end in the
 * same record; this happens only if the gang's minimum is reached without them.
 *
 * When one member is requeued, the others cannot continue: they were started with it, and know its
 * nodes and ranks. gang_go_back() therefore ends every other member that is active. Each waits
 * again when its last task has ended, or is over if it may not be requeued. A member that is being
 * ended for another reason keeps that reason. Later decisions lease the gang anew, as a whole.
 */
#include "core/lifecycle/gang.h"

#include "core/admission/feasibility.h"
#include "core/admission/running_quota.h"
#include "core/lifecycle/element.h"
#include "core/lifecycle/pending_lease.h"
#include "core/state/floating.h"
#include "core/txn/emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One member and the nodes that the decision gives it. A seat is the tasks that share a node. */
struct seat {
	const struct job *job;
	const Armada__JobSpec *spec;
	char **nodes; /* by rank; NULL: the member does not start */
};

/* Some ranks of a member on a node. */
struct share {
	const struct node *node;
	size_t seat;
	uint32_t tasks;
};

struct start {
	struct txn *txn;
	const struct gang *gang;
	const struct sched_decision *decision;
	struct seat *seats; /* one for each member */
	struct share *shares;
	size_t share_count;
	uint32_t starting; /* members that get nodes */
	enum room room;
};

static uint32_t seats_of(const struct job *j)
{
	return spec_members(j->spec);
}

/* False if members were added or left since the round: the decision is about another gang. */
static bool is_about(const struct start *s)
{
	size_t wanted = 0;

	for (size_t i = 0; i < s->gang->count; i++)
		wanted += seats_of(s->gang->members[i]);
	return s->decision->node_count == wanted && gang_lead(s->gang)->id == s->decision->job &&
	       s->decision->element == 0 && gang_is_ready(s->gang);
}

/*
 * Gives the member the nodes of its seats, from `names` on. A missing node leaves the whole member
 * out. False: a node cannot be used.
 */
static bool take_seat(struct start *s, size_t at, const char **names)
{
	struct seat *seat = &s->seats[at];
	const struct spec *spec = seat->job->spec;
	uint32_t count = seats_of(seat->job);
	char **nodes = arena_alloc(s->txn->arena, spec->tasks * sizeof(*nodes));

	for (uint32_t i = 0; i < count; i++)
		if (!names[i])
			return true;
	seat->spec = spec_open(s->txn, spec, s->txn->arena);
	for (uint32_t i = 0; i < count; i++) {
		const struct node *n = node_find(s->txn->state, names[i]);

		if (!n || !node_takes(s->txn, n) || !node_suits(seat->spec, n))
			return false;
		for (uint32_t k = 0; spec->distinct && k < i; k++)
			if (strcmp(names[k], names[i]) == 0)
				return false;
		for (uint32_t k = 0; k < spec->per_member; k++)
			nodes[i * spec->per_member + k] = n->name;
		s->shares[s->share_count++] = (struct share){n, at, spec->per_member};
	}
	seat->nodes = nodes;
	s->starting++;
	return true;
}

static bool take_seats(struct start *s)
{
	const struct gang *g = s->gang;
	size_t at = 0;

	s->seats = arena_zalloc(s->txn->arena, g->count, sizeof(*s->seats));
	s->shares = arena_alloc(s->txn->arena, s->decision->node_count * sizeof(*s->shares));
	for (size_t i = 0; i < g->count; i++) {
		s->seats[i].job = g->members[i];
		if (!take_seat(s, i, &s->decision->nodes[at]))
			return false;
		at += seats_of(g->members[i]);
	}
	return s->starting && s->starting >= gang_least(g);
}

/* All nodes of the gang have the same value of the uniformity label. */
static bool is_uniform(const struct start *s)
{
	const char *label = gang_says(s->gang)->uniformity, *first;

	if (!label[0])
		return true;
	first = node_label(s->shares[0].node, label);
	for (size_t i = 1; i < s->share_count; i++)
		if (strcmp(node_label(s->shares[i].node, label), first) != 0)
			return false;
	return true;
}

static int by_node(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	uintptr_t one = (uintptr_t)x->node, two = (uintptr_t)y->node;

	return one != two ? (one < two ? -1 : 1) : (x->seat > y->seat) - (x->seat < y->seat);
}

/* Room for everything that the gang would have on one node: the shares from `from` to `to`. */
static enum room find_room(const struct start *s, const struct share *from, const struct share *to)
{
	struct resources want = {0};

	for (const struct share *x = from; x < to; x++) {
		const struct spec *spec = s->seats[x->seat].job->spec;

		if (spec->exclusive && x->seat != from->seat)
			return ROOM_NONE;
		if (!resources_add(&want, &spec->request, x->tasks))
			return ROOM_NONE;
	}
	return room_find_for(s->txn, from->node, s->gang, &want);
}

static bool has_room(struct start *s)
{
	struct share *end = s->shares + s->share_count;

	s->room = ROOM_FREE;
	qsort(s->shares, s->share_count, sizeof(*s->shares), by_node);
	for (struct share *from = s->shares, *to; from < end; from = to) {
		enum room room;

		for (to = from; to < end && to->node == from->node;)
			to++;
		room = find_room(s, from, to);
		if (room < s->room)
			s->room = room;
	}
	return s->room != ROOM_NONE;
}

/* Ends a member that the decision left out: the minimum started without it. */
static void leave_out(struct txn *txn, const struct job *j)
{
	Armada__ElementEnded *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_ENDED, &m);

	m->job = j->id;
	m->elements = range_of_one(0, 0, txn->arena);
	m->n_elements = 1;
	m->state = ARMADA__JOB_STATE__JOB_FAILED;
	m->reason = (char *)"gang minimum met without it";
	m->end_us = txn->clock_us;
	emit_event(txn, ev);
}

static void launch(struct txn *txn, const struct job *member)
{
	const struct element *e = element_find(member, 0);

	if (e && e->task_count)
		element_launch(txn, e);
}

static bool is_allowed(const struct start *s)
{
	struct resources want = {0}, licenses = {0};

	for (size_t i = 0; i < s->share_count; i++) {
		const struct share *x = &s->shares[i];

		resources_add(&want, &s->seats[x->seat].job->spec->request, x->tasks);
	}
	for (size_t i = 0; i < s->gang->count; i++)
		if (s->seats[i].nodes && s->seats[i].job->spec->licenses)
			resources_add(&licenses, s->seats[i].job->spec->licenses, 1);
	resources_add(&want, &licenses, 1);
	return floating_allows(s->txn->state, &licenses) &&
	       running_quota_allows(s->txn, s->gang->members[0], s->starting, &want);
}

bool gang_start(struct txn *txn, const struct gang *g, const struct sched_decision *d)
{
	struct start s = {.txn = txn, .gang = g, .decision = d};
	size_t count = g->count;

	if (!is_about(&s) || !take_seats(&s) || !is_uniform(&s) || !is_allowed(&s) || !has_room(&s))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct seat *seat = &s.seats[i];
		struct lease lease = {
			.nodes = seat->nodes,
			.node_count = seat->job->spec->tasks,
			.lease_pending = s.room == ROOM_PENDING,
			.gang_members = s.starting,
		};

		if (seat->nodes)
			element_lease_on(txn, seat->job, 0, &lease);
		else
			leave_out(txn, seat->job);
	}
	for (size_t i = 0; i < g->count && s.room != ROOM_PENDING; i++)
		launch(txn, g->members[i]);
	return true;
}

bool gang_may_go(const struct gang *g)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct element *e = gang_element(g->members[i]);

		if (e && (e->why || e->state == ARMADA__JOB_STATE__JOB_UNKNOWN))
			return false;
	}
	return true;
}

void gang_preempt(struct txn *txn, const struct gang *g, const char *text, uint32_t by_uid)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct element *e = element_find(g->members[i], 0);

		if (!e || !e->task_count)
			continue;
		if (e->lease_pending) {
			pending_lease_withdraw(txn, e, text); /* the others too */
			return;
		}
		element_end(txn, e, ARMADA__END_REASON__ENDING_PREEMPT, text, by_uid);
	}
}

void gang_go_back(struct txn *txn, const struct job *member, const char *reason)
{
	const struct gang *g = member->gang;
	const char *text = arena_printf(txn->arena, "job %" PRIu64 " of its gang waits again: %s",
					member->id, reason);

	for (size_t i = 0; i < g->count; i++) {
		const struct element *e = element_find(g->members[i], 0);

		if (!e || !e->task_count || e->why)
			continue;
		assert(!e->lease_pending);
		element_end(txn, e, ARMADA__END_REASON__ENDING_REQUEUE, text, 0);
	}
}
