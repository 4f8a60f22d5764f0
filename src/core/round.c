/*
 * ROUND: what the last scheduling round did.
 *
 * Noted as its decisions are carried out, so that what no longer held is not shown as done. Two
 * rounds are kept: the last, and the last that started or preempted anything; on a quiet cluster the
 * last one seldom did.
 */
#include "core/gang.h"
#include "util/mem.h"

#include <string.h>

enum {
	NOTED_DECISIONS = 100, /* of each kind */
	NOTED_QUEUES = 10000,  /* the others are counted in no row */
	NOTED_NODES = 20000,   /* of all gangs together, so that the answer has an end */
};

struct noted_round {
	struct arena *arena;
	Armada__Round round; /* without queues and decisions */
	Armada__RoundDecision *decisions[2 * NOTED_DECISIONS];
	struct sched_share *shares;
	size_t share_count;
	size_t node_count; /* named so far */
};

static void noted_free(struct noted_round *n)
{
	if (!n)
		return;
	arena_free(n->arena);
	free(n);
}

void round_free(struct core *c)
{
	noted_free(c->last_round);
	noted_free(c->acted_round);
	c->last_round = c->acted_round = NULL;
}

static const char *end_of(const struct sched_result *r)
{
	if (r->fault)
		return "fault";
	if (r->cut)
		return "cut";
	return r->work.gangs || r->decision_count || r->share_count ? "done" : "idle";
}

static void note_shares(struct noted_round *n, const struct sched_result *r)
{
	n->share_count = r->share_count < NOTED_QUEUES ? r->share_count : NOTED_QUEUES;
	n->shares = arena_memdup(n->arena, r->shares, n->share_count * sizeof(*n->shares));
	for (size_t i = 0; i < n->share_count; i++)
		n->shares[i].queue = arena_strdup(n->arena, n->shares[i].queue);
}

static bool is_array(const struct core *c, uint64_t job)
{
	const struct job *j = job ? job_find(c, job) : NULL;

	return j && j->spec->array;
}

static void note_reservation(const struct core *c, struct noted_round *n,
			     const struct sched_reservation *v)
{
	Armada__Reservation *m;

	if (!v)
		return;
	m = arena_alloc(n->arena, sizeof(*m));
	armada__reservation__init(m);
	m->job = v->job;
	m->is_array = is_array(c, v->job);
	m->element = v->element;
	m->expected_us = v->start_us;
	m->nodes = arena_alloc(n->arena, (v->node_count + 1) * sizeof(*m->nodes));
	for (size_t i = 0; i < v->node_count && n->node_count < NOTED_NODES; i++, n->node_count++)
		m->nodes[m->n_nodes++] = arena_strdup(n->arena, v->nodes[i].name);
	n->round.reservation = m;
}

void round_begin(struct core *c, const struct input *in)
{
	const struct sched_result *r = in->decisions;
	struct noted_round *n = xcalloc(1, sizeof(*n)), *old = c->last_round;

	if (old && (old->round.started || old->round.preempted)) {
		noted_free(c->acted_round);
		c->acted_round = old;
	} else {
		noted_free(old);
	}
	c->last_round = n;
	n->arena = arena_new(0);
	armada__round__init(&n->round);
	n->round.number = in->round;
	n->round.start_us = in->round_start_us;
	n->round.took_us = in->round_took_us;
	n->round.end = (char *)end_of(r);
	n->round.fault = arena_strdup(n->arena, r->fault ? r->fault : "");
	n->round.reasons = r->reason_count;
	n->round.decisions = n->decisions;
	note_shares(n, r);
	note_reservation(c, n, r->reservation);
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

static void note_preemption(const struct core *c, struct noted_round *n,
			    const struct sched_decision *d, Armada__RoundDecision *m)
{
	m->preempted = true;
	m->why = arena_strdup(n->arena, d->why ? d->why : "");
	m->text = arena_strdup(n->arena, d->text ? d->text : "");
	m->for_job = d->for_job;
	m->for_element = d->for_element;
	m->for_is_array = is_array(c, d->for_job);
}

void round_decided(struct core *c, const struct sched_decision *d, bool accepted)
{
	struct noted_round *n = c->last_round;
	const struct job *j = accepted ? job_find(c, d->job) : NULL;
	Armada__RoundDecision *m;
	uint64_t *count = d->kind == SCHED_START ? &n->round.started : &n->round.preempted;

	if (!j) {
		n->round.refused++;
		return;
	}
	if (++*count > NOTED_DECISIONS)
		return;
	m = arena_alloc(n->arena, sizeof(*m));
	armada__round_decision__init(m);
	m->job = j->id;
	m->is_array = j->spec->array;
	m->element = d->element;
	m->user = arena_strdup(n->arena, j->user->name);
	m->queue = arena_strdup(n->arena, j->queue->name);
	m->name = arena_strdup(n->arena, spec_open(c, j->spec, c->arena)->name);
	if (d->kind == SCHED_START)
		note_nodes(n, d, m);
	else
		note_preemption(c, n, d, m);
	n->decisions[n->round.n_decisions++] = m;
}

void round_decided_gang(struct core *c, const struct gang *g, const struct sched_decision *d)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct element *e = gang_element(g->members[i]);
		uint32_t count = e ? e->task_count : 0, each = g->members[i]->spec->per_member;
		const char **nodes = arena_alloc(c->arena, (count + 1) * sizeof(*nodes));
		struct sched_decision one = *d;

		if (d->kind == SCHED_START && !count)
			continue;
		one.job = g->members[i]->id;
		one.nodes = nodes;
		one.node_count = 0;
		for (uint32_t t = 0; t < count; t += each)
			nodes[one.node_count++] = e->tasks[t].node->name;
		round_decided(c, &one, true);
	}
}

void round_end(struct core *c)
{
	struct noted_round *n = c->last_round;

	/* a round that acts is also the last that did */
	if (n->round.started || n->round.preempted) {
		noted_free(c->acted_round);
		c->acted_round = NULL;
	}
}

static Armada__Resource **amounts(const struct core *c, const int64_t *list, struct arena *a,
				  size_t *ret_count)
{
	Armada__Resource **message = arena_alloc(a, c->resource_count * sizeof(*message));

	for (size_t i = 0; i < c->resource_count; i++) {
		message[i] = arena_alloc(a, sizeof(**message));
		armada__resource__init(message[i]);
		message[i]->name = c->resource_names[i];
		message[i]->amount = list[i];
	}
	*ret_count = c->resource_count;
	return message;
}

Armada__QueueShare *share_message(const struct core *c, const struct sched_share *s,
				  struct arena *a)
{
	Armada__QueueShare *m = arena_alloc(a, sizeof(*m));

	armada__queue_share__init(m);
	m->queue = (char *)s->queue;
	m->weight = s->weight;
	m->fair = s->fair;
	m->capped = s->capped;
	m->cost = s->cost;
	m->cost_after = s->cost_after;
	m->demand = amounts(c, s->demand, a, &m->n_demand);
	m->allocated = amounts(c, s->allocated, a, &m->n_allocated);
	m->started = s->started;
	m->preempted = s->preempted;
	m->factor = s->factor;
	m->remembers = s->remembers;
	m->memory = s->memory;
	return m;
}

/* Only what the caller sees; what was done to how many is told to everybody. */
static void show_decisions(struct core *c, Armada__Round *m)
{
	Armada__RoundDecision **all = m->decisions;
	size_t count = m->n_decisions;

	m->n_decisions = 0;
	m->decisions = arena_alloc(c->arena, (count + 1) * sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		const struct job *j = job_find(c, all[i]->for_job);
		Armada__RoundDecision *one;

		if (!sees_named(c, all[i]->user, all[i]->queue))
			continue;
		one = arena_memdup(c->arena, all[i], sizeof(*one));
		one->text = sight_text(c, one->text);
		if (one->for_job && (!j || !sees(c, j))) {
			one->for_job = one->for_element = 0;
			one->for_is_array = false;
		}
		m->decisions[m->n_decisions++] = one;
	}
}

static bool sees_reservation(struct core *c, const Armada__Reservation *v)
{
	const struct job *j = v ? job_find(c, v->job) : NULL;

	return j && sees(c, j);
}

static Armada__Round *round_message(struct core *c, const struct noted_round *n, bool shares)
{
	Armada__Round *m;

	if (!n)
		return NULL;
	m = arena_memdup(c->arena, &n->round, sizeof(*m));
	m->queues = arena_alloc(c->arena, (n->share_count + 1) * sizeof(*m->queues));
	for (size_t i = 0; shares && i < n->share_count; i++)
		m->queues[m->n_queues++] = share_message(c, &n->shares[i], c->arena);
	if (sees_all(c))
		return m;
	show_decisions(c, m);
	if (!sees_reservation(c, m->reservation))
		m->reservation = NULL;
	return m;
}

void req_round(struct core *c, const void *message)
{
	Armada__RoundReply r = ARMADA__ROUND_REPLY__INIT;

	(void)message;
	r.last = round_message(c, c->last_round, true);
	r.acted = round_message(c, c->acted_round, false);
	r.time_us = c->now_us;
	reply(c, MSG_ROUND_REPLY, &r);
}
