/*
 * The queues that take part in a round: their demand, weights, costs and shares.
 *
 * Input: the queues of the model and the fairness plugin. Output: the rows of the round, in the
 * order of the queues' names, and the shares in the result. A weight or cost that is not a valid
 * number is a fault: the round then decides nothing.
 */
#include "sched/round/queue_rows.h"
#include "sched/round/absolute_limit.h"
#include "sched/round/fair_share.h"
#include "sched/round/queue_head.h"
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
	const struct model *m = arg;

	return strcmp(m->queues.list[*(const uint32_t *)a].name,
		      m->queues.list[*(const uint32_t *)b].name);
}

/* All queues by name; sorted again only when a queue is added or removed. */
static void rank_queues(struct model *m)
{
	if (!m->queues.changed)
		return;
	GROW(m->queues.ranked, m->queues.ranked_cap, m->queues.count + 1);
	m->queues.ranked_count = 0;
	for (size_t i = 0; i < m->queues.count; i++)
		if (m->queues.list[i].name)
			m->queues.ranked[m->queues.ranked_count++] = (uint32_t)i;
	qsort_r(m->queues.ranked, m->queues.ranked_count, sizeof(*m->queues.ranked), compare_names,
		m);
	m->queues.changed = false;
}

/*
 * Queues with running tasks or ready jobs take part. A queue that starts nothing and runs nothing
 * gets no row, so it takes no share from the others.
 */
static void choose_queues(struct round *r)
{
	struct model *m = r->m;
	size_t n = 0;

	rank_queues(m);
	r->queue = arena_zalloc(r->arena, m->queues.ranked_count + 1, sizeof(*r->queue));
	for (size_t i = 0; i < m->queues.ranked_count; i++) {
		const struct queue *q = &m->queues.list[m->queues.ranked[i]];

		if (!q->tasks && (q->cordoned || !q->present))
			queue_head_closed(r, q);
		if (!q->tasks && (!q->subqueue_count || q->cordoned || !q->present))
			continue;
		m->queues.list[m->queues.ranked[i]].row = (uint32_t)n;
		r->queue[n++] = m->queues.ranked[i];
	}
	r->view.count = n;
}

/*
 * The demand for a resource: each class up to its limit, and the sum up to the queue's limit. Jobs that
 * scavenge demand nothing: they have no right to a share.
 */
static double row_demand(const struct round *r, const struct queue *q, size_t d)
{
	const struct model *m = r->m;
	double all = 0;

	for (size_t c = 0; c < m->levels.class_count; c++) {
		bool own;
		double limit = queues_class_part(m, q, c, d, &own);
		double want = (double)q->used[c * m->dims + d];

		if (!q->cordoned && q->present)
			want += (double)q->demand[c * m->dims + d];
		if (m->levels.scavenging && c == m->levels.scavenge_class)
			continue;
		if (isfinite(limit) && want > limit * (double)r->totals[d])
			want = limit * (double)r->totals[d];
		all += want;
	}
	if (q->limit.limited >> d & 1 && all > q->limit.of[d] * (double)r->totals[d])
		all = q->limit.of[d] * (double)r->totals[d];
	if (all > (double)absolute_limit_of(m, q, d))
		all = (double)absolute_limit_of(m, q, d);
	return all;
}

static void fill_view(struct round *r)
{
	struct model *m = r->m;
	size_t n = r->view.count, dims = m->dims;
	const char **names = arena_zalloc(r->arena, n + 1, sizeof(*names));
	double *factors = arena_zalloc(r->arena, n + 1, sizeof(*factors));
	double *demand = arena_zalloc(r->arena, n * dims + 1, sizeof(*demand));

	r->totals = arena_zalloc(r->arena, dims, sizeof(*r->totals));
	r->allocated = arena_zalloc(r->arena, n * dims + 1, sizeof(*r->allocated));
	r->used = arena_zalloc(r->arena, n * m->levels.class_count * dims + 1, sizeof(*r->used));
	r->started = arena_zalloc(r->arena, dims, sizeof(*r->started));
	for (size_t d = 0; d < dims; d++)
		r->totals[d] = clamp(m->nodes.capacity[d]);
	for (size_t i = 0; i < n; i++) {
		const struct queue *q = &m->queues.list[r->queue[i]];

		names[i] = q->name;
		factors[i] = q->factor;
		for (size_t d = 0; d < dims; d++) {
			r->allocated[i * dims + d] = q->allocated[d];
			demand[i * dims + d] = row_demand(r, q, d);
		}
		memcpy(r->used + i * m->levels.class_count * dims, q->used,
		       m->levels.class_count * dims * sizeof(*r->used));
	}
	r->view.names = names;
	r->view.factors = factors;
	r->view.demand = demand;
	r->view.allocated =
		arena_memdup(r->arena, r->allocated, (n * dims + 1) * sizeof(*r->allocated));
}

static void ask_weights(struct round *r)
{
	struct model *m = r->m;
	double *memory = arena_zalloc(r->arena, r->view.count + 1, sizeof(*memory));
	struct armada_fairness_round in = {
		.now_us = r->in->now_us, .totals = r->totals, .queues = &r->view, .memory = memory};

	r->weights = arena_zalloc(r->arena, r->view.count + 1, sizeof(*r->weights));
	for (size_t i = 0; i < r->view.count; i++)
		memory[i] = usage_history_at(m, &m->queues.list[r->queue[i]], r->in->now_us);
	m->policies.fairness->begin(m->policies.fairness_handle, &in, r->weights);
	for (size_t i = 0; i < r->view.count; i++) {
		if (!m->policies.fairness->lapse)
			m->queues.list[r->queue[i]].memory = memory[i];
		if (r->weights[i] > 0 && r->weights[i] <= DBL_MAX)
			continue;
		r->fault = arena_printf(r->arena, "plugin fairness/%s: weight of queue %s is %g",
					m->policies.fairness_plugin->desc->name, r->view.names[i],
					r->weights[i]);
	}
	r->view.weights = r->weights;
}

double queue_rows_cost(struct round *r, const int64_t *allocated)
{
	double cost = r->m->policies.fairness->cost(r->m->policies.fairness_handle, allocated);

	if (cost >= 0 && cost <= DBL_MAX)
		return cost;
	if (!r->fault)
		r->fault = arena_printf(r->arena, "plugin fairness/%s: a cost is %g",
					r->m->policies.fairness_plugin->desc->name, cost);
	return 0;
}

static int64_t whole(double amount)
{
	return amount < 9e18 ? (int64_t)amount : INT64_MAX;
}

static void compute_shares(struct round *r)
{
	size_t n = r->view.count, dims = r->m->dims;
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
		demand[i] = empty ? 1 : queue_rows_cost(r, row);
		cost[i] = queue_rows_cost(r, r->allocated + i * dims);
	}
	r->capped = arena_zalloc(r->arena, n + 1, sizeof(*r->capped));
	fair_share_compute(&r->view, demand, done, fair, r->capped);
	r->view.cost = cost;
	r->view.fair_share = fair;
	r->view.capped_share = r->capped;
}

static void begin_order(struct round *r)
{
	struct model *m = r->m;
	__int128 left[SCHED_RESOURCES] = {0};
	int64_t room[SCHED_RESOURCES];
	bool *waiting = arena_zalloc(r->arena, r->view.count + 1, sizeof(*waiting));
	struct armada_order_round in = {.seed = r->in->seed,
					.totals = r->totals,
					.free = room,
					.queues = &r->view,
					.waiting = waiting};

	if (!m->policies.order->begin)
		return;
	/*
	 * A cordoned node with running tasks counts in the totals, but its free room is not usable.
	 */
	for (uint32_t n = 0; n < m->nodes.count; n++)
		for (size_t d = 0;
		     m->nodes.list[n].present && m->nodes.list[n].schedulable && d < m->dims; d++)
			left[d] += nodes_free(m, n)[d] > 0 ? nodes_free(m, n)[d] : 0;
	for (size_t d = 0; d < m->dims; d++)
		room[d] = clamp(left[d] + m->floating.total[d] - m->floating.outside[d] -
				m->floating.used[d]);
	for (size_t i = 0; i < r->view.count; i++) {
		const struct queue *q = &m->queues.list[r->queue[i]];

		waiting[i] = q->subqueue_count && !q->cordoned && q->present;
	}
	m->policies.order->begin(m->policies.order_handle, &in);
}

static void show_shares(struct round *r)
{
	struct sched_result *out = r->result;
	size_t dims = r->m->dims;

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
			.memory = usage_history_at(r->m, &r->m->queues.list[r->queue[i]],
						   r->in->now_us),
			.remembers = r->m->policies.fairness->lapse != NULL,
			.unnoted = usage_history_unnoted(r->m, &r->m->queues.list[r->queue[i]],
							 r->in->now_us),
		};
	for (size_t i = 0; i < out->share_count; i++)
		for (size_t d = 0; d < dims; d++) {
			out->shares[i].demand[d] = whole(r->view.demand[i * dims + d]);
			out->shares[i].allocated[d] = r->allocated[i * dims + d];
		}
}

/* Queues without a row whose usage the fairness plugin remembers. */
static void show_remembered(struct round *r)
{
	struct model *m = r->m;
	struct sched_result *out = r->result;
	uint32_t row = 0;

	out->fairness = arena_strdup(r->arena, m->policies.fairness_plugin->desc->name);
	out->cost = m->policies.fairness->cost;
	out->cost_of = m->policies.fairness_handle;
	if (!m->policies.fairness->lapse)
		return;
	/* Weights change with time: waiting jobs are looked at again even if nothing happens. */
	for (size_t i = 0; i < r->view.count; i++)
		if (m->queues.list[r->queue[i]].subqueue_count)
			out->again_us = r->in->now_us + LAPSE_AGAIN_US;
	out->remembered =
		arena_alloc(r->arena, (m->queues.ranked_count + 1) * sizeof(*out->remembered));
	for (size_t i = 0; i < m->queues.ranked_count; i++) {
		const struct queue *q = &m->queues.list[m->queues.ranked[i]];
		double memory;

		if (row < r->view.count && r->queue[row] == m->queues.ranked[i]) {
			row++;
			continue;
		}
		memory = usage_history_at(m, q, r->in->now_us);
		if (memory == 0 && !q->has_note)
			continue;
		out->remembered[out->remembered_count++] = (struct sched_remembered){
			.queue = arena_strdup(r->arena, q->name),
			.factor = q->factor,
			.memory = memory,
			.unnoted = usage_history_unnoted(m, q, r->in->now_us),
		};
	}
}

void queue_rows_cost_after(struct round *r)
{
	for (size_t i = 0; i < r->result->share_count; i++)
		r->result->shares[i].cost_after = queue_rows_cost(r, r->allocated + i * r->m->dims);
}

void queue_rows_undecided(struct round *r)
{
	for (size_t i = 0; i < r->result->share_count; i++) {
		struct sched_share *share = &r->result->shares[i];

		share->started = share->preempted = 0;
		share->cost_after = share->cost;
	}
}

void queue_rows_make(struct round *r)
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

double sched_queue_cost(const struct sched *s, const char *name)
{
	const struct model *m = &s->model;
	uint32_t queue = queues_find(m, name);

	if (queue == NIL || !s->buckets.filled)
		return 0;
	return m->policies.fairness->cost(m->policies.fairness_handle,
					  m->queues.list[queue].allocated);
}
