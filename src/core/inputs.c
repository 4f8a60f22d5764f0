/* Inputs that are not requests: beginning, ticks, closed connections, decisions. */
#include "core/allowance.h"
#include "core/depend.h"
#include "core/gang.h"
#include "core/node.h"
#include "core/shares.h"
#include "core/vacancy.h"
#include "util/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void input_begin(struct core *c)
{
	static const uint8_t none[16];
	Armada__ClusterMade *made;
	Armada__EpochBegan *began;
	Armada__Event *ev;

	assert(!c->begun);
	c->begun = true;
	c->release = xstrdup(c->in->release);
	c->started_us = c->in->wall_us;
	if (!c->seq) {
		assert(memcmp(c->cluster_id, none, sizeof(none)) != 0);
		ev = event_make(c, ARMADA__EVENT__KIND_CLUSTER_MADE, &made);
		made->cluster_id.data = arena_memdup(c->arena, c->cluster_id, 16);
		made->cluster_id.len = 16;
		made->name = (char *)c->policy->cluster;
		emit(c, ev);
	}
	ev = event_make(c, ARMADA__EVENT__KIND_EPOCH_BEGAN, &began);
	began->epoch = c->epoch + 1;
	began->host = (char *)c->in->host;
	began->release = (char *)c->in->release;
	emit(c, ev);
	queues_declare(c);
	/* leases, and what was said of them, are counted anew */
	for (struct node *n = c->nodes; n; n = n->hh.next)
		n->heard_us = n->extended_from_us = c->in->steady_us;
	nodes_expect(c);
	c->wants_round = true;
}

static void forget_waiters(struct core *c, uint64_t conn)
{
	struct waiter *w, *next;

	for (w = LIST_FIRST(&c->waiters); w; w = next) {
		struct job *j;

		next = LIST_NEXT(w, all);
		if (w->conn != conn)
			continue;
		j = job_find(c, w->job);
		if (j)
			j->waiters--;
		LIST_REMOVE(w, all);
		free(w);
	}
}

void input_closed(struct core *c)
{
	struct node *n = node_by_conn(c, c->in->conn);
	Armada__NodeLinked *m;
	Armada__Event *ev;

	forget_waiters(c, c->in->conn);
	if (!n)
		return;
	n->conn = 0;
	if (!n->linked)
		return;
	ev = event_make(c, ARMADA__EVENT__KIND_NODE_LINKED, &m);
	m->name = n->name;
	emit(c, ev);
}

void input_tick(struct core *c)
{
	struct node *n, *next;

	for (n = c->nodes; n; n = next) {
		next = n->hh.next;
		node_look_at_clock(c, n);
	}
	avoids_tick(c);
	shares_tick(c);
}

/* A member's place on a node. */
struct seat {
	struct node *node;
	uint32_t group;
};

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct seat *)a)->node,
		  y = (uintptr_t)((const struct seat *)b)->node;

	return (x > y) - (x < y);
}

/*
 * Where its members are to be, without those that are left out, those on one node side by side;
 * NULL: one of the nodes takes nothing.
 */
static struct seat *sort_seats(struct core *c, const struct sched_decision *d, const struct job *j,
			       size_t *ret_count)
{
	struct seat *list = arena_alloc(c->arena, d->node_count * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < d->node_count; i++) {
		if (!d->nodes[i])
			continue;
		list[n].node = core_find_node(c, d->nodes[i]);
		list[n].group = spec_group_of(j->spec, (uint32_t)i);
		if (!list[n].node || !node_takes(list[n].node))
			return NULL;
		n++;
	}
	qsort(list, n, sizeof(*list), by_address);
	*ret_count = n;
	return list;
}

/* What the members of these seats ask for; false: more than can be said. */
static bool sum_seats(const struct spec *s, const struct seat *seats, size_t count,
		      struct resources *ret)
{
	*ret = (struct resources){0};
	for (size_t i = 0; i < count; i++) {
		const struct resources *one = spec_request(s, seats[i].group);

		for (size_t r = 0; r < CORE_RESOURCES; r++) {
			int64_t more;

			if (__builtin_mul_overflow(one->amount[r], (int64_t)s->per_member, &more) ||
			    __builtin_add_overflow(ret->amount[r], more, &ret->amount[r]))
				return false;
		}
	}
	return true;
}

/* Is there room for all of it, now or once those who yield have ended? */
static enum room find_room(struct core *c, const struct sched_decision *d, struct job *j)
{
	enum room least = ROOM_FREE;
	struct resources all;
	struct seat *seats;
	size_t count;

	if (!j || j->held || !rangeset_contains(&j->waiting, d->element) ||
	    job_withholds(j, d->element))
		return ROOM_NONE;
	if (j->spec->throttle && running_elements(j) >= j->spec->throttle)
		return ROOM_NONE;
	seats = sort_seats(c, d, j, &count);
	if (!seats || !spec_starts_with(j->spec, count * j->spec->per_member) ||
	    !sum_seats(j->spec, seats, count, &all) || !allowance_lets(c, j, 1, &all))
		return ROOM_NONE;
	for (size_t from = 0, to; from < count; from = to) {
		struct resources want;
		enum room room;

		for (to = from + 1; to < count && seats[to].node == seats[from].node;)
			to++;
		if ((j->spec->distinct && to - from > 1) ||
		    !sum_seats(j->spec, &seats[from], to - from, &want))
			return ROOM_NONE;
		room = room_find(c, seats[from].node, j, d->element, &want);
		if (room < least)
			least = room;
		if (room == ROOM_NONE)
			return ROOM_NONE;
	}
	return least;
}

/* A gang may start without some of its members: the others close the ranks, group by group. */
static void lease_ranks(struct core *c, const struct job *j, const struct sched_decision *d,
			struct lease *ret)
{
	const struct spec *s = j->spec;
	uint32_t each = s->per_member, most = (uint32_t)d->node_count * each;

	ret->nodes = arena_alloc(c->arena, most * sizeof(*ret->nodes));
	ret->groups = arena_zalloc(c->arena, s->group_count, sizeof(*ret->groups));
	for (size_t i = 0; i < d->node_count; i++) {
		if (!d->nodes[i])
			continue;
		ret->groups[spec_group_of(s, (uint32_t)i)] += each;
		for (uint32_t k = 0; k < each; k++)
			ret->nodes[ret->node_count++] = core_find_node(c, d->nodes[i])->name;
	}
	ret->group_count = s->groups && ret->node_count < s->tasks ? s->group_count : 0;
}

static bool decide_start(struct core *c, const struct sched_decision *d)
{
	struct job *j = job_find(c, d->job);
	bool of_gang = j && j->gang;
	struct lease lease = {0};
	enum room room;

	if (d->job & VACANCY_IDS)
		return vacancy_start(c, d);
	if (of_gang && gang_start(c, j->gang, d))
		return true;
	room = of_gang ? ROOM_NONE : find_room(c, d, j);
	if (room == ROOM_NONE) {
		c->wants_round = true;
		return false;
	}
	lease_ranks(c, j, d, &lease);
	lease.promised = room == ROOM_PROMISED;
	element_lease_on(c, j, d->element, &lease);
	return true;
}

/* Does the gang that is to have the room still want it? */
static bool is_wanted(struct core *c, const struct sched_decision *d)
{
	const struct job *j = d->for_job ? job_find(c, d->for_job) : NULL;

	if (d->for_job & VACANCY_IDS)
		return vacancy_find(c, d->for_job);
	if (j && j->gang)
		return gang_is_ready(j->gang);
	return !d->for_job || (j && !j->held && rangeset_contains(&j->waiting, d->for_element) &&
			       !job_withholds(j, d->for_element));
}

/* What it will be waiting for again, until a round has looked at it. */
static void note_preempted(struct job *j, const struct sched_decision *d)
{
	j = j->gang ? gang_lead(j->gang) : j; /* whose reason is that of all */
	if (j->waiting.total || !d->text)
		return;
	free(j->reason);
	j->reason = xstrdup(d->text);
	j->why = d->why && strcmp(d->why, "urgency") == 0 ? WHY_URGENCY : WHY_FAIR_SHARE;
	j->expected_us = 0;
}

/* The tasks of a silent node answer no order: their room cannot be promised to anybody. */
static bool decide_preempt(struct core *c, const struct sched_decision *d)
{
	struct job *j = job_find(c, d->job);
	struct element *e = j ? element_find(j, d->element) : NULL;
	const char *text = d->text ? d->text : d->why ? d->why : "preempted";

	if (!e || !e->task_count || e->why || e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		return false;
	if (!is_wanted(c, d)) {
		c->wants_round = true;
		return false;
	}
	if (j->gang && !gang_may_go(j->gang))
		return false;
	note_preempted(j, d);
	if (j->gang)
		gang_preempt(c, j->gang, text, 0);
	else if (e->promised)
		promise_withdraw(c, e, text);
	else
		element_end(c, e, ARMADA__END_REASON__ENDING_PREEMPT, text, 0);
	return true;
}

/* What their orders may take in one input: each brings a script and an environment. */
enum { DECISIONS_MEMORY = 16 << 20 };

static void take_reason(struct core *c, const struct sched_reason *r)
{
	struct vacancy *v = r->job & VACANCY_IDS ? vacancy_find(c, r->job) : NULL;
	struct job *j = job_find(c, r->job);

	if (v) {
		free(v->reason);
		v->reason = xstrdup(r->text);
	}
	if (!j)
		return;
	j = j->gang ? gang_lead(j->gang) : j;
	free(j->reason);
	j->reason = xstrdup(r->text);
	j->why = r->why;
	j->expected_us = r->expected_us;
}

/* A gang of jobs outlives its first one, which may have been left out. */
static void carry_out(struct core *c, const struct sched_decision *d)
{
	const struct job *j = job_find(c, d->job);
	const struct gang *g = j ? j->gang : NULL;
	struct sched_decision said = *d;
	bool accepted;

	vacancy_translate(c, &said.job, &said.element);
	vacancy_translate(c, &said.for_job, &said.for_element);
	accepted = d->kind == SCHED_START ? decide_start(c, d) : decide_preempt(c, d);
	if (g && accepted)
		round_decided_gang(c, g, &said);
	else
		round_decided(c, &said, accepted);
}

/* In parts, in order, so that what many decisions take does not keep everybody else waiting. */
void input_decisions(struct core *c)
{
	const struct sched_result *r = c->in->decisions;
	size_t all = r->decision_count + r->reason_count;
	size_t upto = c->in->upto ? c->in->upto : all;

	assert(c->in->from <= upto && upto <= all);
	if (c->in->from == 0)
		round_begin(c, c->in);
	for (size_t i = c->in->from; i < upto; i++) {
		const struct sched_decision *d = &r->decisions[i];

		if (i >= r->decision_count)
			take_reason(c, &r->reasons[i - r->decision_count]);
		else if (arena_used(c->arena) > DECISIONS_MEMORY)
			c->wants_round = true; /* it will be decided again */
		else
			carry_out(c, d);
	}
	if (upto == all) {
		round_end(c);
		shares_round(c, r);
	}
}
