/*
 * Limits on new gangs: of a round, of rates, and of queues and classes as fractions of the cluster.
 *
 * Input: a row and the subqueue where it stands. Output: a verdict for the gang, its queue or the
 * round, and the reason. No limit keeps an evicted gang from being put back. Buckets are filled
 * when a round begins, and charged with the tasks that it starts and preempts.
 */
#include "sched/round/limit_check.h"
#include "sched/round/absolute_limit.h"
#include "sched/round/floating_limit.h"
#include "util/plural.h"

#include <math.h>

/* The bucket gains tokens by time, up to its burst. */
static void fill(double *tokens, const struct sched_rate *rate, int64_t since_us)
{
	*tokens += rate->rate * (double)since_us / 1e6;
	if (*tokens > rate->burst)
		*tokens = rate->burst;
}

void limit_check_begin(struct round *r)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	int64_t since = r->in->now_us - s->buckets.filled_us;
	struct sched_rate preempt = {m->policies.preempt_traits.rate,
				     m->policies.preempt_traits.burst};

	if (since > 0 && s->buckets.filled) {
		fill(&s->buckets.start, &m->limits.rate, since);
		fill(&s->buckets.preempt, &preempt, since);
		for (size_t i = 0; i < m->queues.count && m->limits.queue_rate.burst > 0; i++)
			fill(&m->queues.list[i].tokens, &m->limits.queue_rate, since);
	}
	if (since > 0 || !s->buckets.filled)
		s->buckets.filled_us = r->in->now_us;
	s->buckets.filled = true;
}

/* Note that a round after this many seconds may start more. */
static void again(struct round *r, double seconds)
{
	double us = (double)r->in->now_us + ceil(seconds * 1e6);

	if (us < 9e18 && (!r->result->again_us || us < (double)r->result->again_us))
		r->result->again_us = us > 1 ? (int64_t)us : 1;
}

/*
 * A round is due when the bucket holds the wanted tokens. A bucket that cannot hold them is
 * ignored.
 */
static void await_tokens(struct round *r, const struct sched_rate *rate, double tokens, double want)
{
	if (rate->rate > 0 && want <= rate->burst)
		again(r, (want - tokens) / rate->rate);
}

void limit_check_await_preempt(struct round *r)
{
	struct sched_rate rate = {r->m->policies.preempt_traits.rate,
				  r->m->policies.preempt_traits.burst};

	await_tokens(r, &rate, r->s->buckets.preempt, 1);
}

void limit_check_go_on(struct round *r)
{
	if (r->started_tasks)
		again(r, 0);
}

bool limit_check_preempt_spent(const struct round *r)
{
	return r->m->policies.preempt_traits.burst > 0 && r->s->buckets.preempt < 1;
}

void limit_check_charge_preempted(struct round *r, uint32_t tasks)
{
	if (r->m->policies.preempt_traits.burst > 0)
		r->s->buckets.preempt -= tasks;
}

/* The resource of which new gangs have got more than the limit of a round; dims: none. */
static size_t spent(const struct round *r)
{
	const struct sched_fraction *f = &r->m->limits.per_round;

	for (size_t d = 0; f->limited && d < r->m->dims; d++)
		if (f->limited >> d & 1 && (double)r->started[d] > f->of[d] * (double)r->totals[d])
			return d;
	return r->m->dims;
}

/* The text of a limit: the resource, the use with the gang, and the limit. */
static const char *over_text(struct round *r, const char *whose, size_t d, double want, double of,
			     const char *where)
{
	double most = of * (double)r->totals[d];
	char would[32], may[32];

	amounts_format(d, want < 9e18 ? (int64_t)want : INT64_MAX, would, sizeof(would));
	amounts_format(d, most < 9e18 ? (int64_t)most : INT64_MAX, may, sizeof(may));
	return arena_printf(r->arena,
			    "queue %s would use %s of at most %s %s%s (%g %% of the cluster)",
			    whose, would, may, r->m->resources[d], where, 100 * of);
}

static enum limit_verdict check_tokens(struct round *r, const struct sched_rate *rate,
				       double tokens, uint32_t members, const char *whose,
				       enum limit_verdict verdict, struct reason *ret_why)
{
	if (!(rate->burst > 0) || tokens >= members)
		return LIMIT_NONE;
	await_tokens(r, rate, tokens, tokens < 1 ? 1 : members);
	*ret_why = reason_printf(r->arena, WHY_RATE_LIMIT,
				 "%s may start %g %s a second and %g at once: it asks for %u, "
				 "and %g may start now",
				 whose, rate->rate, rate->rate > 1 ? "tasks" : "task", rate->burst,
				 members, tokens < 1 ? 0 : floor(tokens));
	return tokens < 1 ? verdict : LIMIT_GANG;
}

/* Would the gang take its queue over the queue's limit? */
static enum limit_verdict check_queue(struct round *r, uint32_t row, uint32_t shape,
				      struct reason *ret_why)
{
	struct model *m = r->m;
	const struct queue *q = &m->queues.list[r->queue[row]];
	const int64_t *allocated = r->allocated + (size_t)row * m->dims;

	for (size_t d = 0; q->limit.limited && d < m->dims; d++) {
		double want = (double)allocated[d] + (double)job_shape_sum(m, shape)[d];

		if (!(q->limit.limited >> d & 1) || !job_shape_sum(m, shape)[d] ||
		    want <= q->limit.of[d] * (double)r->totals[d])
			continue;
		*ret_why = (struct reason){WHY_QUEUE_LIMIT,
					   over_text(r, q->name, d, want, q->limit.of[d], "")};
		return LIMIT_GANG;
	}
	return LIMIT_NONE;
}

/* The use of a resource by the queue in the class, with the gang. */
static double class_want(struct round *r, uint32_t row, uint32_t shape, uint32_t class, size_t d)
{
	struct model *m = r->m;
	double want = (double)r->used[(row * m->levels.class_count + class) * m->dims + d];
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &shape, &n);

	if (m->shapes.list[shape].licenses && m->shapes.list[shape].class == class)
		want += (double)m->shapes.list[shape].licenses[d];
	for (uint32_t k = 0; k < n; k++)
		if (m->shapes.list[parts[k]].class == class)
			want += (double)job_shape_request(m, parts[k])[d] *
				m->shapes.list[parts[k]].members;
	return want;
}

/* Would the gang take its queue over the limit of a class? */
static enum limit_verdict check_class(struct round *r, uint32_t row, uint32_t shape, uint32_t class,
				      struct reason *ret_why)
{
	struct model *m = r->m;
	const struct queue *q = &m->queues.list[r->queue[row]];

	for (size_t d = 0; (q->own_of || m->levels.classes[class].limit.limited) && d < m->dims;
	     d++) {
		bool own;
		double limit = queues_class_part(m, q, class, d, &own), want;

		if (isinf(limit) || !job_shape_sum(m, shape)[d])
			continue;
		want = class_want(r, row, shape, class, d);
		if (want <= limit * (double)r->totals[d])
			continue;
		*ret_why = (struct reason){WHY_CLASS_LIMIT,
					   over_text(r, q->name, d, want, limit,
						     arena_printf(r->arena, " in class %s%s",
								  m->levels.classes[class].name,
								  own ? " by its own limit" : ""))};
		return LIMIT_GANG;
	}
	return LIMIT_NONE;
}

static enum limit_verdict check_share(struct round *r, uint32_t row, uint32_t shape,
				      struct reason *ret_why)
{
	enum limit_verdict verdict = check_queue(r, row, shape, ret_why);
	uint32_t n;
	const uint32_t *parts = job_shape_parts(r->m, &shape, &n);

	for (uint32_t i = 0; i < n && verdict == LIMIT_NONE; i++)
		verdict = check_class(r, row, shape, r->m->shapes.list[parts[i]].class, ret_why);
	return verdict;
}

/* Has the round reached a limit on what it may start? */
static enum limit_verdict check_round(struct round *r, uint32_t shape, struct reason *ret_why)
{
	struct model *m = r->m;
	uint32_t members = m->shapes.list[shape].members;
	size_t d = spent(r);

	if (d < m->dims) {
		limit_check_go_on(r);
		*ret_why = reason_printf(r->arena, WHY_ROUND_LIMIT,
					 "a round starts up to %g %% of all %s",
					 100 * m->limits.per_round.of[d], m->resources[d]);
		return LIMIT_ROUND;
	}
	if (!m->limits.jobs_per_round || r->started_tasks + members <= m->limits.jobs_per_round)
		return LIMIT_NONE;
	limit_check_go_on(r);
	*ret_why = reason_printf(
		r->arena, WHY_ROUND_LIMIT,
		"a round starts up to %llu %s: it asks for %u, and %llu %s started already",
		(unsigned long long)m->limits.jobs_per_round,
		plural(m->limits.jobs_per_round, "task", "tasks"), members,
		(unsigned long long)r->started_tasks, plural(r->started_tasks, "is", "are"));
	return r->started_tasks >= m->limits.jobs_per_round ? LIMIT_ROUND : LIMIT_GANG;
}

enum limit_verdict limit_check_gang(struct round *r, uint32_t row, uint32_t subqueue,
				    struct reason *ret_why)
{
	struct model *m = r->m;
	uint32_t shape = m->subqueues.list[subqueue].shape, members = m->shapes.list[shape].members;
	enum limit_verdict verdict = check_round(r, shape, ret_why);

	if (verdict == LIMIT_NONE)
		verdict = absolute_limit_check(r, subqueue, ret_why);
	if (verdict == LIMIT_NONE)
		verdict = floating_limit_check(r, subqueue, ret_why);
	if (verdict == LIMIT_NONE)
		verdict = check_tokens(r, &m->limits.rate, r->s->buckets.start, members,
				       "the cluster", LIMIT_ROUND, ret_why);
	if (verdict == LIMIT_NONE)
		verdict =
			check_tokens(r, &m->limits.queue_rate, m->queues.list[r->queue[row]].tokens,
				     members, "its queue", LIMIT_QUEUE, ret_why);
	return verdict == LIMIT_NONE ? check_share(r, row, shape, ret_why) : verdict;
}

void limit_check_charge(struct round *r, uint32_t row, const struct running_gang *a)
{
	struct model *m = r->m;
	int64_t sum[SCHED_RESOURCES];
	uint32_t tasks = 0;

	for (uint32_t i = 0; i < a->count; i++)
		tasks += running_gang_node(a, i) != NIL;
	r->started_tasks += tasks;
	r->s->buckets.start -= tasks;
	m->queues.list[r->queue[row]].tokens -= tasks;
	running_gang_sum(m, a, sum);
	absolute_limit_charge(r, a->job, sum);
	amounts_change(r->started, sum, 1, m->dims);
}
