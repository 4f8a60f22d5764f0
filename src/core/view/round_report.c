/*
 * The report about the last scheduling rounds, for ROUND.
 *
 * Input: the result of a round as it is carried out, decision by decision. Output: a noted_round
 * with its own arena in txn->live, and messages for queue shares. Caveats: rounds outlive the
 * input, so all texts are copied into the arena of the round. Only decisions that were carried out
 * are listed; a decision that no longer fits the state is counted as refused. Lists have limits,
 * the counters do not.
 */
#include "core/view/round_report.h"

#include "core/state/extra.h"
#include "core/state/task_replacement.h"
#include "core/txn/effects.h"
#include "core/view/round_end.h"
#include "core/view/round_rooms.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

static void noted_free(struct noted_round *n)
{
	if (!n)
		return;
	arena_free(n->arena);
	free(n);
}

void round_report_free(struct txn *txn)
{
	noted_free(txn->live->last_round);
	noted_free(txn->live->acted_round);
	txn->live->last_round = txn->live->acted_round = NULL;
}

static void note_shares(struct noted_round *n, const struct sched_result *r)
{
	n->share_count = r->share_count < NOTED_QUEUES ? r->share_count : NOTED_QUEUES;
	n->shares = arena_memdup(n->arena, r->shares, n->share_count * sizeof(*n->shares));
	for (size_t i = 0; i < n->share_count; i++)
		n->shares[i].queue = arena_strdup(n->arena, n->shares[i].queue);
	n->after = arena_zalloc(n->arena, n->share_count + 1, sizeof(*n->after));
	for (size_t i = 0; i < n->share_count; i++)
		memcpy(n->after[i].amount, n->shares[i].allocated, sizeof(n->after[i].amount));
}

static bool is_array(const struct txn *txn, uint64_t job)
{
	const struct job *j = job ? job_find(txn->state, job) : NULL;

	return j && j->spec->array;
}

static void note_reservation(const struct txn *txn, struct noted_round *n,
			     const struct sched_reservation *v)
{
	Armada__Reservation *m;

	if (!v)
		return;
	m = arena_alloc(n->arena, sizeof(*m));
	armada__reservation__init(m);
	m->job = v->job;
	m->is_array = is_array(txn, v->job);
	m->element = v->element;
	m->expected_us = v->start_us;
	m->need = v->need;
	m->idle = v->idle;
	m->recovered = v->recovered;
	m->nodes = arena_alloc(n->arena, (v->node_count + 1) * sizeof(*m->nodes));
	for (size_t i = 0; i < v->node_count && n->node_count < NOTED_NODES; i++, n->node_count++)
		m->nodes[m->n_nodes++] = arena_strdup(n->arena, v->nodes[i].name);
	n->round.reservation = m;
}

struct reserved_room round_report_reserved(const struct txn *txn)
{
	struct reserved_room ret = txn->live->reserved_room;
	double s = (double)(txn->in->steady_us - ret.at_us) / 1e6;

	ret.idle_s += ret.idle * s;
	ret.recovered_s += ret.recovered * s;
	ret.at_us = txn->in->steady_us;
	return ret;
}

/* What the round leaves of the reserved room holds until the next round. */
static void note_reserved_room(struct txn *txn, const struct sched_reservation *v)
{
	struct reserved_room *room = &txn->live->reserved_room;

	*room = round_report_reserved(txn);
	room->idle = v ? v->idle : 0;
	room->recovered = v ? v->recovered : 0;
}

void round_report_begin(struct txn *txn, const struct input *in)
{
	const struct sched_result *r = in->decisions;
	struct noted_round *n = xcalloc(1, sizeof(*n)), *old = txn->live->last_round;

	if (old && (old->round.started || old->round.preempted)) {
		noted_free(txn->live->acted_round);
		txn->live->acted_round = old;
	} else {
		noted_free(old);
	}
	txn->live->last_round = n;
	n->arena = arena_new(0);
	armada__round__init(&n->round);
	n->round.number = in->round;
	n->round.start_us = in->round_start_us;
	n->round.took_us = in->round_took_us;
	n->round.end = (char *)round_end_name(round_end_of(r));
	n->round.fault = arena_strdup(n->arena, r->fault ? r->fault : "");
	n->round.reasons = r->reason_count;
	n->round.decisions = n->decisions;
	note_shares(n, r);
	note_reservation(txn, n, r->reservation);
	if (!r->fault)
		note_reserved_room(txn, r->reservation);
}

static void note_nodes(struct noted_round *n, const struct sched_decision *d,
		       Armada__RoundDecision *m)
{
	m->nodes = arena_alloc(n->arena, (d->node_count + 1) * sizeof(*m->nodes));
	for (size_t i = 0; i < d->node_count && n->node_count < NOTED_NODES; i++) {
		if (!d->nodes[i])
			continue;
		m->nodes[m->n_nodes++] = arena_strdup(n->arena, d->nodes[i]);
		n->node_count++;
	}
}

static void note_preemption(const struct txn *txn, struct noted_round *n,
			    const struct sched_decision *d, Armada__RoundDecision *m)
{
	m->preempted = true;
	m->why = arena_strdup(n->arena, d->why ? d->why : "");
	m->text = arena_strdup(n->arena, d->text ? d->text : "");
	m->for_job = d->for_job;
	m->for_element = d->for_element;
	m->for_is_array = is_array(txn, d->for_job);
}

/* What an element of the job uses; of one without tasks, what it requests. */
static void request_of(const struct job *j, uint32_t element, struct resources *ret)
{
	const struct element *e = element_find(j, element);

	*ret = (struct resources){0};
	for (uint32_t i = 0; e && i < e->task_count; i++)
		resources_add(ret, task_request(&e->tasks[i]), 1);
	if (e && e->task_count)
		return;
	for (uint32_t g = 0; g < j->spec->group_count; g++)
		resources_add(ret, spec_request(j->spec, g),
			      j->spec->groups ? j->spec->groups[g].replicas : j->spec->tasks);
}

static int by_queue(const void *name, const void *share)
{
	return strcmp(name, ((const struct sched_share *)share)->queue);
}

bool round_report_task(const struct txn *txn, const struct sched_decision *d,
		       struct decided_task *ret_task)
{
	const struct task_replacement *v =
		d->job & REPLACEMENT_ID_BIT ? task_replacement_find(txn->state, d->job) : NULL;
	uint32_t extra = 0;
	const struct element *e = v ? NULL : extra_find(txn->state, d->job, &extra);
	const struct task *t = v ? v->task : e ? extra_task(e, extra) : NULL;

	if (t)
		*ret_task = (struct decided_task){*task_request(t),
						  t->state == TASK_ENDED ? 0 : t->start_us};
	else if (e)
		*ret_task = (struct decided_task){
			.request = *spec_request(e->job->spec, extra_group(e, extra))};
	return t || e;
}

/* The work of what the round preempts. A pending lease has done none. */
static void count_work(struct txn *txn, const struct job *j, int64_t start_us,
		       const struct resources *request)
{
	const struct sched_result *r = txn->in->decisions;

	if (r->cost && start_us)
		preempted_work_add(&txn->live->preempted_work, j->queue->name,
				   r->cost(r->cost_of, request->amount) *
					   (double)(txn->now_us - start_us) / 1e6);
}

/* The allocation of the queue after the decision, and the count of its rule. */
static void count_decision(struct txn *txn, struct noted_round *n, const struct job *j,
			   const struct sched_decision *d, const struct decided_task *task)
{
	const struct sched_share *s =
		bsearch(j->queue->name, n->shares, n->share_count, sizeof(*n->shares), by_queue);
	bool start = d->kind == SCHED_START, urgency = d->why && strcmp(d->why, "urgency") == 0,
	     scavenging = d->why && strcmp(d->why, "scavenging") == 0;
	const struct element *e = element_find(j, d->element);
	struct resources request;

	n->properties = NULL;
	if (task)
		request = task->request;
	else
		request_of(j, d->element, &request);
	if (s)
		resources_add(&n->after[s - n->shares], &request, start ? 1 : -1);
	if (start)
		return;
	count_work(txn, j, task ? task->start_us : e ? e->start_us : 0, &request);
	n->scavengers += scavenging;
	n->for_urgency += urgency;
	n->for_shares += !urgency && !scavenging;
	txn->live->scavengers += scavenging;
	txn->live->for_urgency += urgency;
	txn->live->for_shares += !urgency && !scavenging;
}

void round_report_decided(struct txn *txn, const struct sched_decision *d,
			  const struct decided_task *task, bool accepted)
{
	struct noted_round *n = txn->live->last_round;
	const struct job *j = accepted ? job_find(txn->state, d->job) : NULL;
	Armada__RoundDecision *m;
	uint64_t *count = d->kind == SCHED_START ? &n->round.started : &n->round.preempted;

	if (!j) {
		n->round.refused++;
		return;
	}
	count_decision(txn, n, j, d, task);
	if (++*count > NOTED_DECISIONS)
		return;
	m = arena_alloc(n->arena, sizeof(*m));
	armada__round_decision__init(m);
	m->job = j->id;
	m->is_array = j->spec->array;
	m->element = d->element;
	m->user = arena_strdup(n->arena, j->user->name);
	m->queue = arena_strdup(n->arena, j->queue->name);
	m->name = arena_strdup(n->arena, spec_open(txn, j->spec, txn->arena)->name);
	if (d->kind == SCHED_START)
		note_nodes(n, d, m);
	else
		note_preemption(txn, n, d, m);
	n->decisions[n->round.n_decisions++] = m;
}

void round_report_decided_gang(struct txn *txn, const struct gang *g,
			       const struct sched_decision *d)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct element *e = gang_element(g->members[i]);
		uint32_t count = e ? e->task_count : 0, each = g->members[i]->spec->per_member;
		const char **nodes = arena_alloc(txn->arena, (count + 1) * sizeof(*nodes));
		struct sched_decision one = *d;

		if (d->kind == SCHED_START && !count)
			continue;
		one.job = g->members[i]->id;
		one.nodes = nodes;
		one.node_count = 0;
		for (uint32_t t = 0; t < count; t += each)
			nodes[one.node_count++] = e->tasks[t].node->name;
		round_report_decided(txn, &one, NULL, true);
	}
}

void round_report_end(struct txn *txn)
{
	struct noted_round *n = txn->live->last_round;

	/*
	 * this round started or preempted something, so the older round of that kind is not needed
	 */
	if (n->round.started || n->round.preempted) {
		noted_free(txn->live->acted_round);
		txn->live->acted_round = NULL;
	}
	round_rooms_note(txn, n);
}

Armada__QueueShare *round_report_share(const struct sched_share *s, struct arena *a)
{
	Armada__QueueShare *m = arena_alloc(a, sizeof(*m));

	armada__queue_share__init(m);
	m->queue = (char *)s->queue;
	m->weight = s->weight;
	m->fair = s->fair;
	m->capped = s->capped;
	m->cost = s->cost;
	m->cost_after = s->cost_after;
	m->demand = resources_message(s->demand, a, &m->n_demand);
	m->allocated = resources_message(s->allocated, a, &m->n_allocated);
	m->started = s->started;
	m->preempted = s->preempted;
	m->factor = s->factor;
	m->remembers = s->remembers;
	m->memory = s->memory;
	return m;
}
