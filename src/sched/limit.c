#include "sched/allowance.h"
#include "sched/reason.h"
#include "sched/round.h"

#include <math.h>

/* A bucket that gains by the second up to its burst. */
static void fill(double *tokens, const struct sched_rate *rate, int64_t since_us)
{
	*tokens += rate->rate * (double)since_us / 1e6;
	if (*tokens > rate->burst)
		*tokens = rate->burst;
}

void limits_begin(struct round *r)
{
	struct sched *s = r->s;
	int64_t since = r->in->now_us - s->filled_us;
	struct sched_rate preempt = {s->preempt_traits.rate, s->preempt_traits.burst};

	if (since > 0 && s->filled) {
		fill(&s->tokens, &s->limits.rate, since);
		fill(&s->preempt_tokens, &preempt, since);
		for (size_t i = 0; i < s->queue_count && s->limits.queue_rate.burst > 0; i++)
			fill(&s->queues[i].tokens, &s->limits.queue_rate, since);
	}
	if (since > 0 || !s->filled)
		s->filled_us = r->in->now_us;
	s->filled = true;
}

/* A round may do more in so many seconds. */
static void again(struct round *r, double seconds)
{
	double us = (double)r->in->now_us + ceil(seconds * 1e6);

	if (us < 9e18 && (!r->result->again_us || us < (double)r->result->again_us))
		r->result->again_us = us > 1 ? (int64_t)us : 1;
}

/* When the bucket holds so many; a bucket that never does is not waited for. */
static void await_tokens(struct round *r, const struct sched_rate *rate, double tokens, double want)
{
	if (rate->rate > 0 && want <= rate->burst)
		again(r, (want - tokens) / rate->rate);
}

void limits_await_preempt(struct round *r)
{
	struct sched_rate rate = {r->s->preempt_traits.rate, r->s->preempt_traits.burst};

	await_tokens(r, &rate, r->s->preempt_tokens, 1);
}

void limits_go_on(struct round *r)
{
	if (r->started_tasks)
		again(r, 0);
}

bool limits_preempt_spent(const struct round *r)
{
	return r->s->preempt_traits.burst > 0 && r->s->preempt_tokens < 1;
}

void limits_charge_preempted(struct round *r, uint32_t tasks)
{
	if (r->s->preempt_traits.burst > 0)
		r->s->preempt_tokens -= tasks;
}

/* The resource of which new gangs have had more than a round gives; dims: none. */
static size_t spent(const struct round *r)
{
	const struct sched_fraction *f = &r->s->limits.per_round;

	for (size_t d = 0; f->limited && d < r->s->dims; d++)
		if (f->limited >> d & 1 && (double)r->started[d] > f->of[d] * (double)r->totals[d])
			return d;
	return r->s->dims;
}

/* A limit: of what, how much it would be with the gang, and how much it may be. */
static const char *over_text(struct round *r, const char *whose, size_t d, double want, double of,
			     const char *where)
{
	double most = of * (double)r->totals[d];
	char would[32], may[32];

	reason_amount(d, want < 9e18 ? (int64_t)want : INT64_MAX, would, sizeof(would));
	reason_amount(d, most < 9e18 ? (int64_t)most : INT64_MAX, may, sizeof(may));
	return arena_printf(r->arena,
			    "queue %s would use %s of at most %s %s%s (%g %% of the cluster)",
			    whose, would, may, r->s->resources[d], where, 100 * of);
}

static enum verdict check_tokens(struct round *r, const struct sched_rate *rate, double tokens,
				 uint32_t members, const char *whose, enum verdict verdict,
				 struct reason *ret_why)
{
	if (!(rate->burst > 0) || tokens >= members)
		return LIMIT_NONE;
	await_tokens(r, rate, tokens, tokens < 1 ? 1 : members);
	*ret_why = (struct reason){
		WHY_RATE_LIMIT,
		arena_printf(r->arena,
			     "%s may start %g tasks a second and %g at once: it asks for %u, "
			     "and %g may start now",
			     whose, rate->rate, rate->burst, members,
			     tokens < 1 ? 0 : floor(tokens))};
	return tokens < 1 ? verdict : LIMIT_GANG;
}

/* Would the gang take its queue as a whole over its limit? */
static enum verdict check_queue(struct round *r, uint32_t row, uint32_t key, struct reason *ret_why)
{
	struct sched *s = r->s;
	const struct queue *q = &s->queues[r->queue[row]];
	const int64_t *allocated = r->allocated + (size_t)row * s->dims;

	for (size_t d = 0; q->limit.limited && d < s->dims; d++) {
		double want = (double)allocated[d] + (double)key_sum(s, key)[d];

		if (!(q->limit.limited >> d & 1) || !key_sum(s, key)[d] ||
		    want <= q->limit.of[d] * (double)r->totals[d])
			continue;
		*ret_why = (struct reason){WHY_QUEUE_LIMIT,
					   over_text(r, q->name, d, want, q->limit.of[d], "")};
		return LIMIT_GANG;
	}
	return LIMIT_NONE;
}

/* What the queue would use in the class of a resource. */
static double class_want(struct round *r, uint32_t row, uint32_t key, uint32_t class, size_t d)
{
	struct sched *s = r->s;
	double want = (double)r->used[(row * s->class_count + class) * s->dims + d];
	uint32_t n;
	const uint32_t *parts = key_parts(s, &key, &n);

	for (uint32_t k = 0; k < n; k++)
		if (s->keys[parts[k]].class == class)
			want += (double)key_request(s, parts[k])[d] * s->keys[parts[k]].members;
	return want;
}

/* Would the gang take its queue over the limit of a class? */
static enum verdict check_class(struct round *r, uint32_t row, uint32_t key, uint32_t class,
				struct reason *ret_why)
{
	struct sched *s = r->s;
	const struct queue *q = &s->queues[r->queue[row]];

	for (size_t d = 0; (q->own_of || s->classes[class].limit.limited) && d < s->dims; d++) {
		bool own;
		double limit = queue_class_part(s, q, class, d, &own), want;

		if (isinf(limit) || !key_sum(s, key)[d])
			continue;
		want = class_want(r, row, key, class, d);
		if (want <= limit * (double)r->totals[d])
			continue;
		*ret_why = (struct reason){WHY_CLASS_LIMIT,
					   over_text(r, q->name, d, want, limit,
						     arena_printf(r->arena, " in class %s%s",
								  s->classes[class].name,
								  own ? " by its own limit" : ""))};
		return LIMIT_GANG;
	}
	return LIMIT_NONE;
}

static enum verdict check_share(struct round *r, uint32_t row, uint32_t key, struct reason *ret_why)
{
	enum verdict verdict = check_queue(r, row, key, ret_why);
	uint32_t n;
	const uint32_t *parts = key_parts(r->s, &key, &n);

	for (uint32_t i = 0; i < n && verdict == LIMIT_NONE; i++)
		verdict = check_class(r, row, key, r->s->keys[parts[i]].class, ret_why);
	return verdict;
}

/* Has the round started all that it may? */
static enum verdict check_round(struct round *r, uint32_t key, struct reason *ret_why)
{
	struct sched *s = r->s;
	uint32_t members = s->keys[key].members;
	size_t d = spent(r);

	if (d < s->dims) {
		limits_go_on(r);
		*ret_why = (struct reason){
			WHY_ROUND_LIMIT,
			arena_printf(r->arena, "a round starts up to %g %% of all %s",
				     100 * s->limits.per_round.of[d], s->resources[d])};
		return LIMIT_ROUND;
	}
	if (!s->limits.jobs_per_round || r->started_tasks + members <= s->limits.jobs_per_round)
		return LIMIT_NONE;
	limits_go_on(r);
	*ret_why = (struct reason){
		WHY_ROUND_LIMIT,
		arena_printf(r->arena, "a round starts up to %llu tasks: it asks for %u after %llu",
			     (unsigned long long)s->limits.jobs_per_round, members,
			     (unsigned long long)r->started_tasks)};
	return r->started_tasks >= s->limits.jobs_per_round ? LIMIT_ROUND : LIMIT_GANG;
}

enum verdict limits_check(struct round *r, uint32_t row, uint32_t lane, struct reason *ret_why)
{
	struct sched *s = r->s;
	uint32_t key = s->lanes[lane].key, members = s->keys[key].members;
	enum verdict verdict = check_round(r, key, ret_why);

	if (verdict == LIMIT_NONE)
		verdict = allowance_check(r, lane, ret_why);
	if (verdict == LIMIT_NONE)
		verdict = check_tokens(r, &s->limits.rate, s->tokens, members, "the cluster",
				       LIMIT_ROUND, ret_why);
	if (verdict == LIMIT_NONE)
		verdict = check_tokens(r, &s->limits.queue_rate, s->queues[r->queue[row]].tokens,
				       members, "its queue", LIMIT_QUEUE, ret_why);
	return verdict == LIMIT_NONE ? check_share(r, row, key, ret_why) : verdict;
}

void limits_charge(struct round *r, uint32_t row, const struct actor *a)
{
	struct sched *s = r->s;
	int64_t sum[SCHED_RESOURCES];
	uint32_t tasks = 0;

	for (uint32_t i = 0; i < a->count; i++)
		tasks += actor_node(a, i) != NIL;
	r->started_tasks += tasks;
	s->tokens -= tasks;
	s->queues[r->queue[row]].tokens -= tasks;
	actor_sum(s, a, sum);
	allowance_charge(r, a->job, sum);
	for (size_t d = 0; d < s->dims; d++)
		r->started[d] += sum[d];
}
