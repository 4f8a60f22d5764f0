/*
 * Inputs that are not requests: begin, ticks, closed connections, decisions of the scheduler.
 *
 * Input: txn->in of kind INPUT_BEGIN, INPUT_TICK, INPUT_CLOSED or INPUT_DECISIONS. Output: events
 * and effects in the transaction. The scheduler decides from a model that may be older than the
 * state. So input_decisions() checks each decision against the present state in exact integers: the
 * job still waits, the nodes take tasks, the limits allow it, and the room is free or becomes free
 * when yielding elements end. In the last case the lease is pending.
 *
 * Caveats: a decision that does not fit is dropped, and a later round decides again. Large results
 * are split over several inputs (from, upto). A decision may end a job, so pointers must not be
 * used after it.
 */
#include "core/inputs.h"

#include "core/admission/conf_queues.h"
#include "core/admission/running_quota.h"
#include "core/lifecycle/avoid.h"
#include "core/lifecycle/deadline.h"
#include "core/lifecycle/elastic.h"
#include "core/lifecycle/element.h"
#include "core/lifecycle/floating.h"
#include "core/lifecycle/gang.h"
#include "core/lifecycle/gang_timeout.h"
#include "core/lifecycle/node_life.h"
#include "core/lifecycle/pending_lease.h"
#include "core/lifecycle/shares.h"
#include "core/lifecycle/task_replacement.h"
#include "core/reconfigure.h"
#include "core/state/dependents.h"
#include "core/state/extra.h"
#include "core/state/floating.h"
#include "core/state/task_replacement.h"
#include "core/txn/emit.h"
#include "core/txn/output_reads.h"
#include "core/txn/waiters.h"
#include "core/txn/effects.h"
#include "core/view/round_report.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/units.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A clock that is stepped by less is not worth a line. */
enum { CLOCK_BEHIND_S = 60 };
/* The default classes of this release, as EpochBegan counts them. */
enum { CLASS_DEFAULTS = 1 };

void input_begin(struct txn *txn)
{
	static const uint8_t none[16];
	Armada__ClusterMade *made;
	Armada__EpochBegan *began;
	Armada__Event *ev;

	assert(!txn->live->begun);
	txn->live->begun = true;
	free(txn->live->release); /* of a standby */
	txn->live->release = xstrdup(txn->in->release);
	txn->live->started_us = txn->in->wall_us;
	if (!txn->state->seq) {
		assert(memcmp(txn->state->cluster_id, none, sizeof(none)) != 0);
		ev = emit_make(txn, ARMADA__EVENT__KIND_CLUSTER_MADE, &made);
		made->cluster_id.data = arena_memdup(txn->arena, txn->state->cluster_id, 16);
		made->cluster_id.len = 16;
		made->name = (char *)txn->policy->cluster;
		emit_event(txn, ev);
	}
	ev = emit_make(txn, ARMADA__EVENT__KIND_EPOCH_BEGAN, &began);
	assert(!txn->in->epoch || txn->in->epoch > txn->state->epoch);
	began->epoch = txn->in->epoch ? txn->in->epoch : txn->state->epoch + 1;
	began->host = (char *)txn->in->host;
	began->release = (char *)txn->in->release;
	began->class_defaults = !txn->state->epoch || txn->policy->classes_listed
					? CLASS_DEFAULTS
					: txn->state->class_defaults;
	emit_event(txn, ev);
	conf_queues_apply(txn);
	/* leases, and extensions of leases, are counted from now */
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next)
		live_node(txn->live, n)->heard_us = live_node(txn->live, n)->extended_from_us =
			txn->in->steady_us;
	nodes_expect(txn);
	floating_follow(txn);
	txn->wants_round = true;
}

void input_closed(struct txn *txn)
{
	const struct node *n = live_node_by_conn(txn->live, txn->state, txn->in->conn);
	Armada__NodeLinked *m;
	Armada__Event *ev;

	waiters_forget_conn(txn->live, txn->in->conn);
	output_reads_closed(txn, txn->in->conn);
	if (!n)
		return;
	live_node(txn->live, n)->conn = 0;
	if (!n->linked)
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_NODE_LINKED, &m);
	m->name = n->name;
	emit_event(txn, ev);
}

/* Log that the wall clock was set back before the last record of the log, and when it has caught up. */
static void look_at_clock(struct txn *txn)
{
	int64_t behind_s = (txn->state->last_wall_us - txn->in->wall_us) / 1000000;

	if (behind_s > CLOCK_BEHIND_S && !txn->live->clock_is_behind) {
		effect_log(
			txn, 4,
			"the clock of this machine is %s before the last record "
			"of the log: it was ahead before, or is wrong now. Jobs keep their order; until the "
			"clock has caught up, remembered use of queues does not decay and submission keys "
			"do not expire (doc/limits.md)",
			duration_words(behind_s * 1000000).text);
		txn->live->clock_is_behind = true;
	} else if (behind_s <= 0 && txn->live->clock_is_behind) {
		effect_log(txn, 5, "the clock has reached the last record of the log");
		txn->live->clock_is_behind = false;
	}
}

void input_tick(struct txn *txn)
{
	const struct node *n, *next;

	look_at_clock(txn);
	free(txn->live->problem);
	txn->live->problem = xstrdup(txn->in->text);
	for (n = txn->state->nodes; n; n = next) {
		next = n->hh.next;
		node_look_at_clock(txn, n);
	}
	avoids_tick(txn);
	shares_tick(txn);
	gang_timeout_tick(txn);
	output_reads_tick(txn);
}

/* The place of a member (the tasks that share a node) on a node. */
struct seat {
	const struct node *node;
	uint32_t group, tasks;
};

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct seat *)a)->node,
		  y = (uintptr_t)((const struct seat *)b)->node;

	return (x > y) - (x < y);
}

/*
 * The places of the members that are not left out, with those on one node next to each other. NULL:
 * a node takes no tasks.
 */
static struct seat *sort_seats(struct txn *txn, const struct sched_decision *d, const struct job *j,
			       size_t *ret_count)
{
	struct seat *list = arena_alloc(txn->arena, d->node_count * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < d->node_count; i++) {
		if (!d->nodes[i])
			continue;
		list[n].node = node_find(txn->state, d->nodes[i]);
		list[n].group = spec_group_of(j->spec, (uint32_t)i);
		list[n].tasks = spec_member_tasks(j->spec, (uint32_t)i);
		if (!list[n].node || !node_takes(txn, list[n].node))
			return NULL;
		n++;
	}
	qsort(list, n, sizeof(*list), by_address);
	*ret_count = n;
	return list;
}

/* The sum of the requests of these members; false: overflow. */
static bool sum_seats(const struct spec *s, const struct seat *seats, size_t count,
		      struct resources *ret)
{
	*ret = (struct resources){0};
	for (size_t i = 0; i < count; i++)
		if (!resources_add(ret, spec_request(s, seats[i].group), seats[i].tasks))
			return false;
	return true;
}

static uint64_t count_tasks(const struct seat *seats, size_t count)
{
	uint64_t tasks = 0;

	for (size_t i = 0; i < count; i++)
		tasks += seats[i].tasks;
	return tasks;
}

static bool meets_minima(struct txn *txn, const struct spec *s, const struct seat *seats,
			 size_t count)
{
	uint32_t *tasks = arena_zalloc(txn->arena, s->group_count, sizeof(*tasks));

	for (size_t i = 0; i < count; i++)
		tasks[seats[i].group] += seats[i].tasks;
	return spec_minima_met(s, tasks);
}

/* The room for the whole element: free, free once yielding elements have ended, or none. */
static enum room find_room(struct txn *txn, const struct sched_decision *d, const struct job *j)
{
	enum room least = ROOM_FREE;
	struct resources all;
	struct seat *seats;
	size_t count;

	if (!j || j->held || j->next || !rangeset_contains(&j->waiting, d->element) ||
	    job_withholds(j, d->element) || element_is_paused(j, d->element))
		return ROOM_NONE;
	if (j->spec->throttle && running_elements(j) >= j->spec->throttle)
		return ROOM_NONE;
	seats = sort_seats(txn, d, j, &count);
	if (!seats || !spec_starts_with(j->spec, count_tasks(seats, count)) ||
	    !meets_minima(txn, j->spec, seats, count) || !sum_seats(j->spec, seats, count, &all))
		return ROOM_NONE;
	if (j->spec->licenses)
		resources_add(&all, j->spec->licenses, 1);
	if (!running_quota_allows(txn, j, 1, &all) ||
	    !floating_allows(txn->state, j->spec->licenses))
		return ROOM_NONE;
	for (size_t from = 0, to; from < count; from = to) {
		struct resources want;
		enum room room;

		for (to = from + 1; to < count && seats[to].node == seats[from].node;)
			to++;
		if ((j->spec->distinct && to - from > 1) ||
		    !sum_seats(j->spec, &seats[from], to - from, &want))
			return ROOM_NONE;
		room = room_find(txn, seats[from].node, j, d->element, &want);
		if (room < least)
			least = room;
		if (room == ROOM_NONE)
			return ROOM_NONE;
	}
	return least;
}

/* The next member that differs from this one in its group or its number of tasks. */
static uint32_t end_of_alike(const struct spec *s, uint32_t from, size_t count)
{
	uint32_t to = from;

	while (to < count && spec_group_of(s, to) == spec_group_of(s, from) &&
	       spec_member_tasks(s, to) == spec_member_tasks(s, from))
		to++;
	return to;
}

/*
 * Assign ranks. A gang may start without some of its members; the others then get consecutive
 * ranks, group by group. Members that are alike get them in the natural order of their nodes, so rank 0 is
 * on the first node of the node list, which programs take as the address of the master.
 */
static void lease_ranks(struct txn *txn, const struct job *j, const struct sched_decision *d,
			struct lease *ret)
{
	const struct spec *s = j->spec;
	const char **names = arena_alloc(txn->arena, (d->node_count + 1) * sizeof(*names));

	ret->nodes = arena_alloc(txn->arena, s->tasks * sizeof(*ret->nodes));
	ret->groups = arena_zalloc(txn->arena, s->group_count, sizeof(*ret->groups));
	for (uint32_t from = 0, to; from < d->node_count; from = to) {
		uint32_t each = spec_member_tasks(s, from);
		size_t count = 0;

		to = end_of_alike(s, from, d->node_count);
		for (uint32_t i = from; i < to; i++)
			if (d->nodes[i])
				names[count++] = node_find(txn->state, d->nodes[i])->name;
		hostlist_sort(names, count);
		ret->groups[spec_group_of(s, from)] += (uint32_t)count * each;
		for (size_t i = 0; i < count * each; i++)
			ret->nodes[ret->node_count++] = (char *)names[i / each];
	}
	ret->group_count = s->groups && ret->node_count < s->tasks ? s->group_count : 0;
}

static bool decide_start(struct txn *txn, const struct sched_decision *d)
{
	const struct job *j = job_find(txn->state, d->job);
	bool of_gang = j && j->gang;
	struct lease lease = {0};
	enum room room;

	if (extra_is_id(d->job))
		return elastic_start(txn, d);
	if (d->job & REPLACEMENT_ID_BIT)
		return task_replacement_start(txn, d);
	if (of_gang && gang_start(txn, j->gang, d))
		return true;
	room = of_gang ? ROOM_NONE : find_room(txn, d, j);
	if (room != ROOM_NONE && !deadline_limit(txn, j, d->limit_us / 1000000, &lease.limit_s))
		room = ROOM_NONE;
	if (room == ROOM_NONE) {
		txn->wants_round = true;
		return false;
	}
	lease_ranks(txn, j, d, &lease);
	lease.lease_pending = room == ROOM_PENDING;
	element_lease_on(txn, j, d->element, &lease);
	return true;
}

/* True if the job that the room is for still needs it. */
static bool is_wanted(struct txn *txn, const struct sched_decision *d)
{
	const struct job *j = d->for_job ? job_find(txn->state, d->for_job) : NULL;

	if (d->for_job & REPLACEMENT_ID_BIT)
		return task_replacement_find(txn->state, d->for_job);
	if (j && j->gang)
		return gang_is_ready(j->gang);
	return !d->for_job ||
	       (j && !j->held && !j->next && rangeset_contains(&j->waiting, d->for_element) &&
		!job_withholds(j, d->for_element) && !element_is_paused(j, d->for_element));
}

/* The rule, and the scheduler's text: "fair-share preemption: made room for job 12 of queue b, which ..." */
static const char *preempt_text(struct txn *txn, const struct sched_decision *d)
{
	if (!d->why)
		return d->text ? d->text : "preempted";
	return arena_printf(txn->arena, "%s preemption%s%s", d->why, d->text ? ": " : "",
			    d->text ? d->text : "");
}

/* Set the reason for the time after the requeue, until a round has checked the job. */
static void note_preempted(struct txn *txn, const struct job *j, const struct sched_decision *d,
			   const char *text)
{
	j = j->gang ? gang_lead(j->gang) : j; /* the gang has the reason of its first job */
	if (j->waiting.total)
		return;
	live_note_reason(txn->live, j, text,
			 !d->why || strcmp(d->why, "fair-share") == 0 ? WHY_FAIR_SHARE
			 : strcmp(d->why, "urgency") == 0             ? WHY_URGENCY
								      : WHY_SCAVENGE,
			 0);
}

/*
 * Preempt an element, or an extra task of one. The tasks of a silent node obey no order, so their room
 * is not given to a pending lease.
 */
static bool decide_preempt(struct txn *txn, const struct sched_decision *d)
{
	const struct job *j = job_find(txn->state, d->job);
	const struct element *e = j ? element_find(j, d->element) : NULL;
	const char *text = preempt_text(txn, d);
	bool accepted = true;

	if (extra_is_id(d->job)
		    ? !elastic_is_running(txn, d)
		    : !e || !e->task_count || e->why || e->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		return false;
	if (!is_wanted(txn, d)) {
		txn->wants_round = true;
		return false;
	}
	if (j && j->gang && !gang_may_go(j->gang))
		return false;
	if (j)
		note_preempted(txn, j, d, text);
	txn->for_job = d->for_job & REPLACEMENT_ID_BIT ? 0 : d->for_job;
	txn->for_element = d->for_element;
	if (!j)
		accepted = elastic_preempt(txn, d, text);
	else if (j->gang)
		gang_preempt(txn, j->gang, text, 0);
	else if (e->lease_pending)
		pending_lease_withdraw(txn, e, text);
	else
		element_end(txn, e, ARMADA__END_REASON__ENDING_PREEMPT, text, 0);
	txn->for_job = txn->for_element = 0;
	return accepted;
}

/* Memory limit for the orders of one input: each order contains a script and an environment. */
enum { DECISIONS_MEMORY = 16 << 20 };

static void take_reason(struct txn *txn, const struct sched_reason *r)
{
	const struct task_replacement *v =
		r->job & REPLACEMENT_ID_BIT ? task_replacement_find(txn->state, r->job) : NULL;
	const struct job *j = job_find(txn->state, r->job);

	elastic_note_reason(txn, r);
	if (v) {
		free(live_task(txn->live, v->task)->reason);
		live_task(txn->live, v->task)->reason = xstrdup(r->text);
	}
	if (!j)
		return;
	j = j->gang ? gang_lead(j->gang) : j;
	live_note_reason(txn->live, j, r->text, r->why, r->expected_us);
}

/*
 * Carry out and report one decision. The first job of a gang may end here; the gang may outlive it.
 */
static void carry_out(struct txn *txn, const struct sched_decision *d)
{
	const struct job *j = job_find(txn->state, d->job);
	const struct gang *g = j ? j->gang : NULL;
	struct sched_decision said = *d;
	struct decided_task task;
	bool accepted, of_task = round_report_task(txn, d, &task);

	extra_translate(txn->state, &said.job, &said.element);
	task_replacement_translate(txn->state, &said.job, &said.element);
	task_replacement_translate(txn->state, &said.for_job, &said.for_element);
	accepted = d->kind == SCHED_START ? decide_start(txn, d) : decide_preempt(txn, d);
	if (g && accepted)
		round_report_decided_gang(txn, g, &said);
	else
		round_report_decided(txn, &said, of_task ? &task : NULL, accepted);
}

/*
 * The decisions are handled in parts and in order, so that a large result does not delay other
 * inputs.
 */
void input_decisions(struct txn *txn)
{
	const struct sched_result *r = txn->in->decisions;
	size_t all = r->decision_count + r->reason_count;
	size_t upto = txn->in->upto ? txn->in->upto : all;

	assert(txn->in->from <= upto && upto <= all);
	if (txn->in->from == 0)
		round_report_begin(txn, txn->in);
	for (size_t i = txn->in->from; i < upto; i++) {
		const struct sched_decision *d = &r->decisions[i];

		if (i >= r->decision_count)
			take_reason(txn, &r->reasons[i - r->decision_count]);
		else if (arena_used(txn->arena) > DECISIONS_MEMORY)
			txn->wants_round = true; /* a later round decides it again */
		else
			carry_out(txn, d);
	}
	if (upto == all) {
		round_report_end(txn);
		shares_round(txn, r);
	}
}
