/*
 * The shares of the referee: demand, cost, fair and capped share of each queue, and the limits
 * of queues, classes, rounds and rates.
 */
#include "unit/sched/referee_parts.h"

#include <math.h>
#include <string.h>

int ref_compare(const struct bout *b, double x, double y)
{
	if (x != y && fabs(x - y) < 1e-12 * fmax(1, fabs(x)))
		b->result->near = true;
	return (x > y) - (x < y);
}

/* The largest share of a resource; or its value, as a part of the value of all resources. */
double ref_cost(const struct bout *b, const double *amounts)
{
	const struct ref_policy *p = &b->w->policy;
	const double *total = b->result->shares.total;
	static const double units[REF_DIMS] = {1e-3, 1.0 / (1 << 30), 1, 1};
	double most = 0, worth = 0, all = 0;

	for (int d = 0; d < REF_DIMS; d++) {
		double share = total[d] > 0 ? p->counts[d] * amounts[d] / total[d] : 0;

		worth += p->counts[d] * units[d] * amounts[d];
		all += p->counts[d] * units[d] * total[d];
		most = share > most ? share : most;
	}
	if (p->asset)
		return all > 0 ? worth / all : 0;
	return most;
}

void ref_add_unit(const struct bout *b, int unit, bool waits, int sign, double *row)
{
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		for (int d = 0; (waits || b->now.nodes[unit][m] >= 0) && d < REF_DIMS; d++)
			row[d] += (double)(sign * ref_part(b->w, unit, m)->request[d]);
}

static int queue_of(const struct ref *w, int unit)
{
	return w->jobs[unit / REF_ELEMENTS].queue;
}

void ref_amounts(const struct bout *b, int queue, int unit, double *ret)
{
	memset(ret, 0, REF_DIMS * sizeof(*ret));
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
		if (queue_of(b->w, u) == queue && b->now.phase[u] == PHASE_BOUND)
			ref_add_unit(b, u, false, 1, ret);
	if (unit >= 0)
		ref_add_unit(b, unit, b->now.phase[unit] == PHASE_IDLE, 1, ret);
}

void ref_all_amounts(const struct bout *b, int queue, double *ret)
{
	memset(ret, 0, REF_DIMS * sizeof(*ret));
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
		if (queue_of(b->w, u) == queue &&
		    (b->now.phase[u] == PHASE_BOUND || b->now.phase[u] == PHASE_EVICTED))
			ref_add_unit(b, u, false, 1, ret);
}

static bool held(const struct ref *w, int unit)
{
	const struct ref_job *j = &w->jobs[unit / REF_ELEMENTS];

	return j->held || w->queues[j->queue].cordoned;
}

/* How many elements of the job run. */
static int elements_up(const struct ref *w, int unit)
{
	int first = unit / REF_ELEMENTS * REF_ELEMENTS, n = 0;

	for (int e = 0; e < REF_ELEMENTS; e++)
		n += w->units[first + e].state == REF_RUNS;
	return n;
}

/* The possible use of the queue in one class. */
static double wanted(const struct bout *b, int queue, int class, int d)
{
	const struct ref *w = b->w;
	double sum = 0;

	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		bool waits = w->units[u].state == REF_WAITS && !held(w, u);

		if (queue_of(w, u) != queue || (!waits && w->units[u].state != REF_RUNS))
			continue;
		for (int m = 0; m < ref_shape(w, u)->members; m++)
			if (ref_part(w, u, m)->class == class && (waits || b->now.nodes[u][m] >= 0))
				sum += (double)ref_part(w, u, m)->request[d];
	}
	return sum;
}

static double at_most(double want, double limit, double total)
{
	return limit >= 0 && want > limit * total ? limit * total : want;
}

/*
 * The demand of a queue: each class up to its limit, all classes up to the limit of the queue;
 * whole numbers.
 */
static double demand(const struct bout *b, int queue)
{
	const struct ref *w = b->w;
	const double *total = b->result->shares.total;
	double row[REF_DIMS];
	bool empty = true;

	for (int d = 0; d < REF_DIMS; d++) {
		double sum = 0;

		for (int c = 0; c < REF_CLASSES; c++) {
			const struct ref_own *own = &w->queues[queue].own[c];
			double want =
				at_most(wanted(b, queue, c, d), w->classes[c].limit[d], total[d]);

			sum += own->said ? at_most(want, own->of[d], total[d]) : want;
		}
		row[d] = floor(at_most(sum, w->queues[queue].limit[d], total[d]));
		if (d < REF_COUNTED && w->queues[queue].quota.amounts[d] >= 0)
			row[d] = fmin(row[d], (double)w->queues[queue].quota.amounts[d]);
		empty = empty && !(total[d] > 0);
	}
	return empty ? 1 : ref_cost(b, row);
}

static double pour(const struct ref *w, struct ref_shares *s, const double *want, bool *done,
		   double left)
{
	double total = 0, over = 0;

	for (int q = 0; q < REF_QUEUES; q++)
		total += s->active[q] && !done[q] ? 1 / w->queues[q].factor : 0;
	for (int q = 0; total > 0 && q < REF_QUEUES; q++) {
		if (!s->active[q] || done[q])
			continue;
		s->capped[q] += 1 / w->queues[q].factor / total * left;
		if (s->capped[q] <= want[q])
			continue;
		over += s->capped[q] - want[q];
		s->capped[q] = want[q];
		done[q] = true;
	}
	return over;
}

/* A queue is active if it has a running job, or a job that could start if it were alone. */
static void find_active(const struct ref *w, struct ref_shares *s)
{
	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		const struct ref_job *j = &w->jobs[u / REF_ELEMENTS];
		bool ready = w->units[u].state == REF_WAITS && !held(w, u) &&
			     (!j->throttle || elements_up(w, u) < j->throttle);

		if (ready || w->units[u].state == REF_RUNS)
			s->active[j->queue] = true;
	}
}

/* The resources of the nodes that are usable or in use. */
static void find_total(const struct bout *b, double *ret)
{
	const struct ref *w = b->w;

	for (int n = 0; n < w->node_count; n++) {
		bool used = w->nodes[n].up;

		for (int u = 0; u < w->job_count * REF_ELEMENTS && !used; u++)
			for (int m = 0; m < REF_MEMBERS; m++)
				used = used ||
				       (b->now.phase[u] == PHASE_BOUND &&
					m < ref_shape(w, u)->members && b->now.nodes[u][m] == n);
		for (int d = 0; used && w->nodes[n].present && d < REF_DIMS; d++)
			ret[d] += (double)w->nodes[n].total[d];
	}
}

void ref_find_shares(struct bout *b)
{
	struct ref_shares *s = &b->result->shares;
	double want[REF_QUEUES] = {0}, sum = 0, left = 1, row[REF_DIMS];
	bool done[REF_QUEUES] = {false};

	*s = (struct ref_shares){0};
	find_total(b, s->total);
	find_active(b->w, s);
	for (int q = 0; q < REF_QUEUES; q++) {
		want[q] = demand(b, q);
		ref_amounts(b, q, -1, row);
		s->cost[q] = ref_cost(b, row);
		sum += s->active[q] ? 1 / b->w->queues[q].factor : 0;
	}
	for (int q = 0; q < REF_QUEUES; q++)
		s->fair[q] = s->active[q] ? 1 / b->w->queues[q].factor / sum : 0;
	for (int pass = 0; pass < 10 && left > 0.01; pass++)
		left = pour(b->w, s, want, done, left);
}

/* Limits. */

static double refill(double tokens, const struct ref_rate *r, double seconds)
{
	return fmin(r->burst, tokens + r->rate * seconds);
}

void ref_fill_purse(struct bout *b)
{
	struct ref_purse *p = b->purse;
	const struct ref_policy *policy = &b->w->policy;
	double seconds = (double)(b->in->now_us - p->filled_us) / 1e6;

	if (!p->filled) {
		p->all = policy->rate.burst;
		p->preempt = policy->preempt_rate.burst;
		for (int q = 0; q < REF_QUEUES; q++)
			p->queues[q] = policy->queue_rate.burst;
	} else {
		p->all = refill(p->all, &policy->rate, seconds);
		p->preempt = refill(p->preempt, &policy->preempt_rate, seconds);
		for (int q = 0; q < REF_QUEUES; q++)
			p->queues[q] = refill(p->queues[q], &policy->queue_rate, seconds);
	}
	p->filled_us = b->in->now_us;
	p->filled = true;
}

/* The use of the queue, with and without the unit, in one class, or (-1) in all. */
static void in_class(const struct bout *b, int unit, int class, double *has, double *more)
{
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++) {
		bool counts = u == unit || (b->now.phase[u] == PHASE_BOUND &&
					    queue_of(b->w, u) == queue_of(b->w, unit));

		for (int m = 0; counts && m < ref_shape(b->w, u)->members; m++) {
			const struct ref_part *p = ref_part(b->w, u, m);

			if ((class >= 0 && p->class != class) ||
			    (u != unit && b->now.nodes[u][m] < 0))
				continue;
			for (int d = 0; d < REF_DIMS; d++)
				*(u == unit ? &more[d] : &has[d]) += (double)p->request[d];
		}
	}
}

static bool exceeds(const struct bout *b, int unit, int class, const double *limit)
{
	double has[REF_DIMS] = {0}, more[REF_DIMS] = {0};

	in_class(b, unit, class, has, more);
	for (int d = 0; d < REF_DIMS; d++)
		if (limit[d] >= 0 && more[d] > 0 &&
		    has[d] + more[d] > limit[d] * b->result->shares.total[d])
			return true;
	return false;
}

static enum ref_verdict tokens(const struct ref_rate *r, double left, int members,
			       enum ref_verdict spent)
{
	if (!(r->burst > 0) || left >= members)
		return REF_MAY;
	return left < 1 ? spent : REF_NOT_THIS;
}

enum ref_verdict ref_limits(const struct bout *b, int unit)
{
	const struct ref_policy *p = &b->w->policy;
	int members = ref_shape(b->w, unit)->members, queue = queue_of(b->w, unit);
	enum ref_verdict v;

	for (int d = 0; d < REF_DIMS; d++)
		if (p->per_round[d] >= 0 &&
		    b->new_amounts[d] > p->per_round[d] * b->result->shares.total[d])
			return REF_NOT_NOW;
	if (p->jobs_per_round && b->new_tasks + members > p->jobs_per_round)
		return b->new_tasks >= p->jobs_per_round ? REF_NOT_NOW : REF_NOT_THIS;
	v = ref_check_quota(b, unit);
	if (v == REF_MAY)
		v = tokens(&p->rate, b->purse->all, members, REF_NOT_NOW);
	if (v == REF_MAY)
		v = tokens(&p->queue_rate, b->purse->queues[queue], members, REF_NOT_QUEUE);
	if (v != REF_MAY)
		return v;
	if (exceeds(b, unit, -1, b->w->queues[queue].limit))
		return REF_NOT_THIS;
	for (int c = 0; c < REF_CLASSES; c++) {
		const struct ref_own *own = &b->w->queues[queue].own[c];

		if (exceeds(b, unit, c, b->w->classes[c].limit) ||
		    (own->said && exceeds(b, unit, c, own->of)))
			return REF_NOT_THIS;
	}
	return REF_MAY;
}

void ref_charge(struct bout *b, int unit)
{
	int n = ref_running(b, unit);

	b->new_tasks += n;
	b->purse->all -= n;
	b->purse->queues[queue_of(b->w, unit)] -= n;
	ref_add_unit(b, unit, false, 1, b->new_amounts);
	ref_begin_unit(b, unit);
}
