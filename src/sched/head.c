#include "sched/round.h"
#include "sched/stage.h"
#include "sched/watch.h"
#include "util/mem.h"

#include <string.h>

/* Lanes of one queue as a heap over the jobs at which they stand. */

/* As job_before does, without a look at the jobs. */
static bool stands_before(const struct stand *a, const struct stand *b)
{
	if (a->class_priority != b->class_priority)
		return a->class_priority > b->class_priority;
	if (a->priority != b->priority)
		return a->priority < b->priority;
	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us;
	return a->id < b->id;
}

static void sink(struct queue *q, size_t at)
{
	struct stand stand = q->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= q->heap_count)
			break;
		if (child + 1 < q->heap_count &&
		    stands_before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!stands_before(&q->heap[child], &stand))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	q->heap[at] = stand;
}

static void pop(struct queue *q)
{
	q->heap[0] = q->heap[--q->heap_count];
	if (q->heap_count)
		sink(q, 0);
}

static struct stand stand_of(const struct sched *s, uint32_t lane)
{
	const struct job *j = &s->jobs[s->lanes[lane].cursor];

	return (struct stand){.class_priority =
				      s->classes[s->keys[s->lanes[lane].key].class].priority,
			      .priority = j->priority,
			      .submit_us = j->submit_us,
			      .id = j->id,
			      .lane = lane};
}

/* The first lane moved on. */
static void moved(struct sched *s, struct queue *q)
{
	uint32_t lane = q->heap[0].lane;

	if (s->lanes[lane].cursor == NIL) {
		pop(q);
		return;
	}
	q->heap[0] = stand_of(s, lane);
	sink(q, 0);
}

/* The lane stands at the first element of this job. */
static void stand_at(struct sched *s, struct lane *l, uint32_t job)
{
	struct range first = {0};

	l->cursor = job;
	l->taken = 0;
	l->range = 0;
	if (job != NIL && job_range(&s->jobs[job], 0, &first))
		l->next = first.lo;
}

void head_closed(struct round *r, const struct queue *q)
{
	for (size_t i = 0; i < q->lane_count; i++)
		round_reason(r, r->s->lanes[q->lanes[i]].head, reason_closed(q), false);
}

static void begin_queue(struct round *r, struct queue *q)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < q->lane_count; i++) {
		struct lane *l = &s->lanes[q->lanes[i]];

		s->work.lanes++;
		l->passed = 0;
		stand_at(s, l, l->head);
		if (!q->cordoned && q->present)
			q->heap[q->heap_count++] = stand_of(s, q->lanes[i]);
	}
	if (q->cordoned || !q->present)
		head_closed(r, q);
	for (size_t i = q->heap_count / 2; i-- > 0;)
		sink(q, i);
}

void head_begin(struct round *r)
{
	struct sched *s = r->s;
	struct stand *heap; /* of all queues, one after the other */
	size_t lanes = 0;

	for (size_t i = 0; i < r->view.count; i++)
		lanes += s->queues[r->queue[i]].lane_count;
	heap = arena_alloc(r->arena, (lanes + 1) * sizeof(*heap));
	lanes = 0;
	for (size_t i = 0; i < r->view.count; i++) {
		struct queue *q = &s->queues[r->queue[i]];

		q->heap = heap + lanes;
		q->heap_count = 0;
		lanes += q->lane_count;
		begin_queue(r, q);
	}
}

static void explain_blocked(struct round *r, uint32_t job, uint32_t key)
{
	struct sched *s = r->s;
	struct reason why;

	bool passed = s->lanes[s->jobs[job].lane].passed;

	if (r->watch && !watch_concerns(r, job))
		return;
	if (!key_reason(s, key)->text) {
		if (!r->watch && s->jobs[job].reason & REASON_OF_KEY && !backfill_news(r, job) &&
		    !(passed && s->retold < RETELL))
			return;
		s->retold += passed;
		s->row_in_hand = s->queues[s->lanes[s->jobs[job].lane].queue].row;
		key_tell(s, key, reason_blocked(s, r->arena, key, NIL));
	}
	why = *key_reason(s, key);
	if (passed)
		why = stage_reason(r, job, why);
	backfill_foretell(r, job, &why);
	round_reason(r, job, why, true);
}

uint32_t head_lane(const struct round *r, uint32_t row)
{
	return r->s->queues[r->queue[row]].heap[0].lane;
}

uint32_t head_actor(const struct round *r, uint32_t row)
{
	return r->heads[row].evicted ? r->evicted[r->evicted_at[row]] : NIL;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* The queue's allocation, and the same with the gang, divided by its weight. */
static void price(struct round *r, uint32_t row, uint32_t key, const int64_t *sum)
{
	struct sched *s = r->s;
	struct armada_order_head *h = &r->heads[row];
	int64_t with[SCHED_RESOURCES];

	h->queue = row;
	h->members = s->keys[key].members;
	h->class_priority = s->classes[s->keys[key].class].priority;
	h->request = key_request(s, key);
	h->sum = sum;
	h->allocated = r->allocated + (size_t)row * s->dims;
	h->weight = r->weights[row];
	h->budget = r->capped[row] / h->weight;
	for (size_t d = 0; d < s->dims; d++)
		with[d] = add(h->allocated[d], sum[d]);
	h->cost = round_cost(r, h->allocated) / h->weight;
	h->cost_with = round_cost(r, with) / h->weight;
}

/* Until the row is served others are: what will be wanted then, and after it, is asked for now. */
static void fetch(const struct round *r, uint32_t row, const struct actor *a)
{
	const struct sched *s = r->s;
	size_t next = r->evicted_at[row] + 1;

	if (a->count == 1 && a->one != NIL)
		__builtin_prefetch(node_level(s, a->one, 1));
	if (next < r->evicted_end[row])
		__builtin_prefetch(&s->actors[r->evicted[next]]);
}

/* Those who were evicted come first. One that lost its nodes meanwhile is passed over. */
static bool find_evicted(struct round *r, uint32_t row)
{
	struct sched *s = r->s;

	for (; r->evicted && r->evicted_at[row] < r->evicted_end[row]; r->evicted_at[row]++) {
		const struct actor *a = &s->actors[r->evicted[r->evicted_at[row]]];
		int64_t sum[SCHED_RESOURCES];

		if (a->state != ACTOR_EVICTED && !r->numbers)
			continue;
		fetch(r, row, a);
		actor_sum(s, a, sum);
		price(r, row, a->key, sum);
		r->heads[row].sum = NULL;
		r->heads[row].evicted = true;
		return true;
	}
	r->heads[row].evicted = false;
	return false;
}

/* May one more element of the job where the lane stands be started? Then the lane stands at it. */
static bool next_element(struct sched *s, struct lane *l)
{
	const struct job *j = &s->jobs[l->cursor];
	struct range at;

	l->taken++;
	if (j->throttle && j->running + l->taken >= j->throttle)
		return false;
	if (!job_range(j, l->range, &at))
		return false;
	if (l->next < at.hi) {
		l->next++;
		return true;
	}
	if (!job_range(j, ++l->range, &at))
		return false;
	l->next = at.lo;
	return true;
}

/* On to the next element, or the next job. */
static void advance(struct sched *s, struct queue *q)
{
	struct lane *l = &s->lanes[q->heap[0].lane];

	if (next_element(s, l))
		return;
	stand_at(s, l, lane_after(s, l->cursor));
	moved(s, q);
}

/* Those that would still run when the reservation begins are passed over. */
static void pass_long(struct round *r, struct queue *q)
{
	struct sched *s = r->s;
	struct lane *l = &s->lanes[q->heap[0].lane];

	if (s->limits.queue_lookback) {
		advance(s, q);
		return;
	}
	stand_at(s, l, lane_after_within(s, l->cursor, s->reserve.start_us - r->in->now_us));
	moved(s, q);
}

/* With a limit on how many are looked at, each is passed on its own; otherwise the lane at once. */
static void leave(struct round *r, struct queue *q)
{
	if (r->s->limits.queue_lookback)
		advance(r->s, q);
	else
		pop(q);
}

/* Was the element looked at before, in this stage or one before it? All up to the last were. */
static bool was_seen(const struct round *r, uint32_t row, const struct lane *l)
{
	if (r->seen_job[row] == l->cursor)
		return l->next <= r->seen_element[row];
	return r->stage && r->seen_job[row] != NIL && job_before(r->s, l->cursor, r->seen_job[row]);
}

/* Is the element where the row stands within what may be looked at? */
static bool look(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[head_lane(r, row)];
	uint32_t members = s->keys[l->key].members;
	struct reason why;

	if (!s->limits.queue_lookback || was_seen(r, row, l))
		return true;
	/* The first is looked at whatever it counts, or a large gang would close its queue for ever. */
	if (!r->seen[row] || r->seen[row] + members <= s->limits.queue_lookback) {
		r->seen[row] += members;
		r->seen_job[row] = l->cursor;
		r->seen_element[row] = l->next;
		return true;
	}
	why = (struct reason){WHY_LOOKBACK,
			      arena_printf(r->arena, "a round looks at the first %llu of a queue",
					   (unsigned long long)s->limits.queue_lookback)};
	if (!l->taken) /* else it has a reason from elements before this one */
		round_reason(r, l->cursor, why, false);
	watch_limit(r, row, LIMIT_QUEUE, why);
	limits_go_on(r);
	return false;
}

bool head_find(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	struct queue *q = &s->queues[r->queue[row]];

	if (find_evicted(r, row))
		return true;
	while (q->heap_count && !r->evicted_only && !r->closed[row]) {
		const struct lane *l = &s->lanes[q->heap[0].lane];

		if (!look(r, row)) {
			r->closed[row] |= CLOSED_LOOKBACK;
			break;
		}
		if (s->keys[l->key].blocked_round == s->rounds) {
			explain_blocked(r, l->cursor, l->key);
			leave(r, q);
		} else if (l->limited_round == s->rounds) {
			watch_passed(r, l->cursor);
			leave(r, q);
		} else if (stage_passed(r, l)) {
			leave(r, q);
		} else if (backfill_holds(r, q->heap[0].lane)) {
			backfill_tell(r, l->cursor);
			pass_long(r, q);
		} else {
			price(r, row, l->key, key_sum(s, l->key));
			return true;
		}
	}
	return false;
}

void head_taken(struct round *r, uint32_t row)
{
	if (head_actor(r, row) != NIL)
		r->evicted_at[row]++;
	else
		advance(r->s, &r->s->queues[r->queue[row]]);
}

void head_skip(struct round *r, uint32_t row)
{
	r->s->lanes[head_lane(r, row)].limited_round = r->s->rounds;
	leave(r, &r->s->queues[r->queue[row]]);
}

void head_pass(struct round *r, uint32_t row)
{
	leave(r, &r->s->queues[r->queue[row]]);
}

void head_again(struct round *r)
{
	struct sched *s = r->s;

	for (size_t row = 0; row < r->view.count; row++) {
		struct queue *q = &s->queues[r->queue[row]];

		q->heap_count = 0;
		for (size_t i = 0; i < q->lane_count && !q->cordoned && q->present; i++)
			if (s->lanes[q->lanes[i]].cursor != NIL)
				q->heap[q->heap_count++] = stand_of(s, q->lanes[i]);
		for (size_t i = q->heap_count / 2; i-- > 0;)
			sink(q, i);
	}
}
