#include "sched/allowance.h"
#include "sched/memory.h"
#include "sched/round.h"
#include "sched/share.h"
#include "util/mem.h"

#include <math.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { LAPSE_AGAIN_US = 60000000 };

static int64_t clamp(__int128 n)
{
	return n > INT64_MAX ? INT64_MAX : n < 0 ? 0 : (int64_t)n;
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct sched *s = arg;

	return strcmp(s->queues[*(const uint32_t *)a].name, s->queues[*(const uint32_t *)b].name);
}

/* All queues by name, kept until one comes or goes. */
static void rank_queues(struct sched *s)
{
	if (!s->queues_changed)
		return;
	GROW(s->ranked, s->ranked_cap, s->queue_count + 1);
	s->ranked_count = 0;
	for (size_t i = 0; i < s->queue_count; i++)
		if (s->queues[i].name)
			s->ranked[s->ranked_count++] = (uint32_t)i;
	qsort_r(s->ranked, s->ranked_count, sizeof(*s->ranked), compare_names, s);
	s->queues_changed = false;
}

/*
 * Queues with something that runs or is ready take part. One that starts nothing has no use for a
 * share: with nothing that runs it takes none from the others.
 */
static void choose_queues(struct round *r)
{
	struct sched *s = r->s;
	size_t n = 0;

	rank_queues(s);
	r->queue = arena_zalloc(r->arena, s->ranked_count + 1, sizeof(*r->queue));
	for (size_t i = 0; i < s->ranked_count; i++) {
		const struct queue *q = &s->queues[s->ranked[i]];

		if (!q->tasks && (q->cordoned || !q->present))
			head_closed(r, q);
		if (!q->tasks && (!q->lane_count || q->cordoned || !q->present))
			continue;
		s->queues[s->ranked[i]].row = (uint32_t)n;
		r->queue[n++] = s->ranked[i];
	}
	r->view.count = n;
}

/* What the queue could use of a resource: each class up to its limit, and all up to the queue's. */
static double row_demand(const struct round *r, const struct queue *q, size_t d)
{
	const struct sched *s = r->s;
	double all = 0;

	for (size_t c = 0; c < s->class_count; c++) {
		bool own;
		double limit = queue_class_part(s, q, c, d, &own);
		double want = (double)q->used[c * s->dims + d];

		if (!q->cordoned && q->present)
			want += (double)q->demand[c * s->dims + d];
		if (isfinite(limit) && want > limit * (double)r->totals[d])
			want = limit * (double)r->totals[d];
		all += want;
	}
	if (q->limit.limited >> d & 1 && all > q->limit.of[d] * (double)r->totals[d])
		all = q->limit.of[d] * (double)r->totals[d];
	if (all > (double)allowance_of(s, q, d))
		all = (double)allowance_of(s, q, d);
	return all;
}

static void fill_view(struct round *r)
{
	struct sched *s = r->s;
	size_t n = r->view.count, dims = s->dims;
	const char **names = arena_zalloc(r->arena, n + 1, sizeof(*names));
	double *factors = arena_zalloc(r->arena, n + 1, sizeof(*factors));
	double *demand = arena_zalloc(r->arena, n * dims + 1, sizeof(*demand));

	r->totals = arena_zalloc(r->arena, dims, sizeof(*r->totals));
	r->allocated = arena_zalloc(r->arena, n * dims + 1, sizeof(*r->allocated));
	r->used = arena_zalloc(r->arena, n * s->class_count * dims + 1, sizeof(*r->used));
	r->started = arena_zalloc(r->arena, dims, sizeof(*r->started));
	for (size_t d = 0; d < dims; d++)
		r->totals[d] = clamp(s->capacity[d]);
	for (size_t i = 0; i < n; i++) {
		const struct queue *q = &s->queues[r->queue[i]];

		names[i] = q->name;
		factors[i] = q->factor;
		for (size_t d = 0; d < dims; d++) {
			r->allocated[i * dims + d] = q->allocated[d];
			demand[i * dims + d] = row_demand(r, q, d);
		}
		memcpy(r->used + i * s->class_count * dims, q->used,
		       s->class_count * dims * sizeof(*r->used));
	}
	r->view.names = names;
	r->view.factors = factors;
	r->view.demand = demand;
	r->view.allocated =
		arena_memdup(r->arena, r->allocated, (n * dims + 1) * sizeof(*r->allocated));
}

static void ask_weights(struct round *r)
{
	struct sched *s = r->s;
	double *memory = arena_zalloc(r->arena, r->view.count + 1, sizeof(*memory));
	struct armada_fairness_round in = {
		.now_us = r->in->now_us, .totals = r->totals, .queues = &r->view, .memory = memory};

	r->weights = arena_zalloc(r->arena, r->view.count + 1, sizeof(*r->weights));
	for (size_t i = 0; i < r->view.count; i++)
		memory[i] = memory_at(s, &s->queues[r->queue[i]], r->in->now_us);
	s->fairness->begin(s->fairness_handle, &in, r->weights);
	for (size_t i = 0; i < r->view.count; i++) {
		if (!s->fairness->lapse)
			s->queues[r->queue[i]].memory = memory[i];
		if (r->weights[i] > 0 && r->weights[i] <= DBL_MAX)
			continue;
		r->fault = arena_printf(r->arena, "plugin fairness/%s: weight of queue %s is %g",
					s->fairness_plugin->desc->name, r->view.names[i],
					r->weights[i]);
	}
	r->view.weights = r->weights;
}

double round_cost(struct round *r, const int64_t *allocated)
{
	double cost = r->s->fairness->cost(r->s->fairness_handle, allocated);

	if (cost >= 0 && cost <= DBL_MAX)
		return cost;
	if (!r->fault)
		r->fault = arena_printf(r->arena, "plugin fairness/%s: a cost is %g",
					r->s->fairness_plugin->desc->name, cost);
	return 0;
}

static int64_t whole(double amount)
{
	return amount < 9e18 ? (int64_t)amount : INT64_MAX;
}

static void compute_shares(struct round *r)
{
	size_t n = r->view.count, dims = r->s->dims;
	double *cost = arena_zalloc(r->arena, n + 1, sizeof(*cost));
	double *fair = arena_zalloc(r->arena, n + 1, sizeof(*fair));
	double *demand = arena_zalloc(r->arena, n + 1, sizeof(*demand));
	bool *done = arena_zalloc(r->arena, n + 1, sizeof(*done)), empty = true;
	int64_t row[SCHED_RESOURCES];

	for (size_t d = 0; d < dims; d++)
		empty = empty && !r->totals[d];
	for (size_t i = 0; i < n; i++) {
		for (size_t d = 0; d < dims; d++)
			row[d] = whole(r->view.demand[i * dims + d]);
		demand[i] = empty ? 1 : round_cost(r, row);
		cost[i] = round_cost(r, r->allocated + i * dims);
	}
	r->capped = arena_zalloc(r->arena, n + 1, sizeof(*r->capped));
	share_compute(&r->view, demand, done, fair, r->capped);
	r->view.cost = cost;
	r->view.fair_share = fair;
	r->view.capped_share = r->capped;
}

static void begin_order(struct round *r)
{
	struct sched *s = r->s;
	__int128 left[SCHED_RESOURCES] = {0};
	int64_t room[SCHED_RESOURCES];
	bool *waiting = arena_zalloc(r->arena, r->view.count + 1, sizeof(*waiting));
	struct armada_order_round in = {.seed = r->in->seed,
					.totals = r->totals,
					.free = room,
					.queues = &r->view,
					.waiting = waiting};

	if (!s->order->begin)
		return;
	/* A cordoned node that runs something counts as part of the whole: its room is nobody's. */
	for (uint32_t n = 0; n < s->node_count; n++)
		for (size_t d = 0; s->nodes[n].present && s->nodes[n].schedulable && d < s->dims;
		     d++)
			left[d] += node_free(s, n)[d] > 0 ? node_free(s, n)[d] : 0;
	for (size_t d = 0; d < s->dims; d++)
		room[d] = clamp(left[d]);
	for (size_t i = 0; i < r->view.count; i++) {
		const struct queue *q = &s->queues[r->queue[i]];

		waiting[i] = q->lane_count && !q->cordoned && q->present;
	}
	s->order->begin(s->order_handle, &in);
}

static void show_shares(struct round *r)
{
	struct sched_result *out = r->result;
	size_t dims = r->s->dims;

	out->share_count = r->view.count;
	out->shares = arena_zalloc(r->arena, out->share_count + 1, sizeof(*out->shares));
	for (size_t i = 0; i < out->share_count; i++)
		out->shares[i] = (struct sched_share){
			.queue = arena_strdup(r->arena, r->view.names[i]),
			.weight = r->weights[i],
			.fair = r->view.fair_share[i],
			.capped = r->capped[i],
			.cost = r->view.cost[i],
			.cost_after = r->view.cost[i],
			.factor = r->view.factors[i],
			.memory = memory_at(r->s, &r->s->queues[r->queue[i]], r->in->now_us),
			.remembers = r->s->fairness->lapse != NULL,
			.unnoted = memory_unnoted(r->s, &r->s->queues[r->queue[i]], r->in->now_us),
		};
	for (size_t i = 0; i < out->share_count; i++)
		for (size_t d = 0; d < dims; d++) {
			out->shares[i].demand[d] = whole(r->view.demand[i * dims + d]);
			out->shares[i].allocated[d] = r->allocated[i * dims + d];
		}
}

/* Of those who take no part the fairness plugin may remember something all the same. */
static void show_remembered(struct round *r)
{
	struct sched *s = r->s;
	struct sched_result *out = r->result;
	uint32_t row = 0;

	out->fairness = arena_strdup(r->arena, s->fairness_plugin->desc->name);
	if (!s->fairness->lapse)
		return;
	/* weights move with time: those who wait are looked at again, though nothing happens */
	for (size_t i = 0; i < r->view.count; i++)
		if (s->queues[r->queue[i]].lane_count)
			out->again_us = r->in->now_us + LAPSE_AGAIN_US;
	out->remembered = arena_alloc(r->arena, (s->ranked_count + 1) * sizeof(*out->remembered));
	for (size_t i = 0; i < s->ranked_count; i++) {
		const struct queue *q = &s->queues[s->ranked[i]];
		double memory;

		if (row < r->view.count && r->queue[row] == s->ranked[i]) {
			row++;
			continue;
		}
		memory = memory_at(s, q, r->in->now_us);
		if (memory == 0 && !q->has_note)
			continue;
		out->remembered[out->remembered_count++] = (struct sched_remembered){
			.queue = arena_strdup(r->arena, q->name),
			.factor = q->factor,
			.memory = memory,
			.unnoted = memory_unnoted(s, q, r->in->now_us),
		};
	}
}

void shares_after(struct round *r)
{
	for (size_t i = 0; i < r->result->share_count; i++)
		r->result->shares[i].cost_after = round_cost(r, r->allocated + i * r->s->dims);
}

void shares_unchanged(struct round *r)
{
	for (size_t i = 0; i < r->result->share_count; i++) {
		struct sched_share *share = &r->result->shares[i];

		share->started = share->preempted = 0;
		share->cost_after = share->cost;
	}
}

void round_view(struct round *r)
{
	choose_queues(r);
	fill_view(r);
	ask_weights(r);
	if (r->fault)
		return;
	compute_shares(r);
	if (r->fault)
		return;
	show_shares(r);
	show_remembered(r);
	begin_order(r);
}
