/*
 * The next gang of each queue.
 *
 * Input: the subqueues of a queue, each of which stands at a job. Output: the head, that is the
 * gang that is tried next, and its cost. The evicted gangs of the queue come first. The subqueues
 * come from the queue's sorted list (model/head_list.h), one after the other: each is moved to a heap
 * when its first job is before all jobs in the heap. So the heap has the subqueues that stand at a
 * later job than their first one, those whose first job is new, and the head. A subqueue has a
 * position only once it is in the heap.
 *
 * A subqueue is skipped without a look at its other jobs if its shape is blocked, delayed, limited
 * or passed over; its first job gets the reason. With a look-back, each job is passed on its own.
 */
#include "sched/round/queue_head.h"
#include "sched/round/backfill.h"
#include "sched/round/explain_probe.h"
#include "sched/round/pass.h"
#include "sched/round/queue_rows.h"
#include "util/heap.h"
#include "util/mem.h"
#include "util/plural.h"

enum { NEAR = 4, FAR = 8 }; /* entries: how far ahead memory is prefetched */

static void sink(struct queue *q, size_t at)
{
	HEAP_SINK(q->heap, q->heap_count, at, head_entry_before(x, y));
}

static void pop(struct queue *q)
{
	q->heap[0] = q->heap[--q->heap_count];
	if (q->heap_count)
		sink(q, 0);
}

/* The first subqueue of the heap moved to another job. */
static void moved(struct model *m, struct queue *q)
{
	uint32_t subqueue = q->heap[0].subqueue;

	if (m->subqueues.list[subqueue].cursor == NIL) {
		pop(q);
		return;
	}
	q->heap[0] = head_entry_of(m, subqueue, m->subqueues.list[subqueue].cursor);
	sink(q, 0);
}

/* Move the subqueue to the first element of this job. */
static void stand_at(struct model *m, struct subqueue *l, uint32_t job)
{
	struct range first = {0};

	l->cursor = job;
	l->taken = 0;
	l->range = 0;
	if (job != NIL && jobs_range(&m->jobs.list[job], 0, &first))
		l->next = first.lo;
}

void queue_head_closed(struct round *r, const struct queue *q)
{
	for (size_t i = 0; i < q->subqueue_count; i++)
		reason_emit_job(r, r->m->subqueues.list[q->subqueues[i]].head, reason_closed(q),
				false);
}

/* The subqueue takes part from now on, at its first job. */
static void enter(struct model *m, uint32_t subqueue)
{
	struct subqueue *l = &m->subqueues.list[subqueue];

	m->work.subqueues++;
	l->passed = 0;
	stand_at(m, l, l->head);
}

static void add(struct queue *q, struct head_entry e)
{
	GROW(q->heap, q->heap_cap, q->heap_count + 1);
	q->heap[q->heap_count++] = e;
}

static void make_heap(struct queue *q)
{
	for (size_t i = q->heap_count / 2; i-- > 0;)
		sink(q, i);
}

static void begin_queue(struct round *r, struct queue *q)
{
	struct model *m = r->m;

	q->heap_count = q->heads_at = 0;
	if (q->cordoned || !q->present) {
		q->heads_at = q->heads.count;
		queue_head_closed(r, q);
		return;
	}
	head_list_merge(m, q);
	for (size_t i = 0; i < q->heads.loose_count; i++) {
		uint32_t subqueue = q->heads.loose[i];
		const struct subqueue *l = &m->subqueues.list[subqueue];

		enter(m, subqueue);
		if (l->elements)
			add(q, head_entry_of(m, subqueue, l->head));
	}
	make_heap(q);
}

void queue_head_begin(struct round *r)
{
	for (size_t i = 0; i < r->view.count; i++)
		begin_queue(r, &r->m->queues.list[r->queue[i]]);
}

/* Memory that the entries behind this one need: their subqueues, then the jobs and shapes of these. */
static void prefetch_entries(const struct model *m, const struct queue *q, size_t at)
{
	const struct head_entry *far = &q->heads.sorted[at + FAR], *near = far - (FAR - NEAR);
	const struct subqueue *l;

	if (at + FAR < q->heads.count && far->subqueue != NIL)
		__builtin_prefetch(&m->subqueues.list[far->subqueue], 1);
	if (at + NEAR >= q->heads.count || near->subqueue == NIL)
		return;
	l = &m->subqueues.list[near->subqueue];
	__builtin_prefetch(&m->jobs.list[l->head]);
	__builtin_prefetch(&m->shapes.list[l->shape], 1);
	__builtin_prefetch(job_shape_request(m, l->shape));
}

/* Moves the next sorted subqueue to the heap if it stands before all others. Is there any subqueue? */
static bool fill_top(struct model *m, struct queue *q)
{
	struct head_list *h = &q->heads;

	while (q->heads_at < h->count && h->sorted[q->heads_at].subqueue == NIL)
		q->heads_at++;
	if (q->heads_at < h->count &&
	    (!q->heap_count || head_entry_before(&h->sorted[q->heads_at], &q->heap[0]))) {
		prefetch_entries(m, q, q->heads_at);
		enter(m, h->sorted[q->heads_at].subqueue);
		add(q, h->sorted[q->heads_at++]);
		HEAP_RISE(q->heap, q->heap_count - 1, head_entry_before(x, y));
	}
	return q->heap_count > 0;
}

bool queue_head_any(struct round *r, uint32_t row)
{
	return fill_top(r->m, &r->m->queues.list[r->queue[row]]);
}

static void explain_blocked(struct round *r, uint32_t job, uint32_t shape)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct reason why;

	bool passed = m->subqueues.list[m->jobs.list[job].subqueue].passed;

	if (r->probe && !explain_probe_concerns(r, job))
		return;
	if (!reason_emit_kept(s, shape)->text) {
		if (!r->probe && m->jobs.list[job].reason & REASON_OF_SHAPE &&
		    !backfill_is_unreported(r, job) &&
		    !(passed && s->reasons.recomputed < RECOMPUTE))
			return;
		s->reasons.recomputed += passed;
		s->select.current_row =
			m->queues.list[m->subqueues.list[m->jobs.list[job].subqueue].queue].row;
		reason_emit_keep(s, shape, reason_blocked(s, r->arena, shape, NIL));
	}
	why = *reason_emit_kept(s, shape);
	if (passed)
		why = pass_reason(r, job, why);
	backfill_append_start(r, job, &why);
	reason_emit_job(r, job, why, true);
}

uint32_t queue_head_subqueue(const struct round *r, uint32_t row)
{
	return r->m->queues.list[r->queue[row]].heap[0].subqueue;
}

uint32_t queue_head_gang(const struct round *r, uint32_t row)
{
	return r->heads[row].evicted ? r->evicted[r->evicted_at[row]] : NIL;
}

/*
 * The costs of the queue's allocation without and with the gang, each divided by the queue's
 * weight.
 */
static void price(struct round *r, uint32_t row, uint32_t shape, const int64_t *sum)
{
	struct model *m = r->m;
	struct armada_order_head *h = &r->heads[row];
	int64_t with[SCHED_RESOURCES];

	h->queue = row;
	h->members = m->shapes.list[shape].members;
	h->class_priority = m->levels.classes[m->shapes.list[shape].class].priority;
	h->request = job_shape_request(m, shape);
	h->sum = sum;
	h->allocated = r->allocated + (size_t)row * m->dims;
	h->weight = r->weights[row];
	h->budget = r->capped[row] / h->weight;
	for (size_t d = 0; d < m->dims; d++)
		with[d] = amounts_add(h->allocated[d], sum[d]);
	h->cost = queue_rows_cost(r, h->allocated) / h->weight;
	h->cost_with = queue_rows_cost(r, with) / h->weight;
}

/*
 * Other rows are served before this one. Memory that this row needs then, and next, is prefetched
 * now.
 */
static void prefetch(const struct round *r, uint32_t row, const struct running_gang *a)
{
	size_t next = r->evicted_at[row] + 1;

	if (a->count == 1 && a->one != NIL)
		__builtin_prefetch(priority_level_row(r->m, a->one, 1));
	if (next < r->evicted_end[row])
		__builtin_prefetch(&r->s->gangs.list[r->evicted[next]]);
}

/* Evicted gangs come first. A gang that lost its nodes meanwhile is skipped. */
static bool find_evicted(struct round *r, uint32_t row)
{
	for (; r->evicted && r->evicted_at[row] < r->evicted_end[row]; r->evicted_at[row]++) {
		const struct running_gang *a = &r->s->gangs.list[r->evicted[r->evicted_at[row]]];
		int64_t sum[SCHED_RESOURCES];

		if (a->state != GANG_EVICTED)
			continue;
		prefetch(r, row, a);
		running_gang_sum(r->m, a, sum);
		price(r, row, a->shape, sum);
		r->heads[row].sum = NULL;
		r->heads[row].evicted = true;
		return true;
	}
	r->heads[row].evicted = false;
	return false;
}

/* If one more element of the job may be started, move the subqueue to it. */
static bool next_element(struct model *m, struct subqueue *l)
{
	const struct job *j = &m->jobs.list[l->cursor];
	struct range at;

	l->taken++;
	if (j->throttle && j->running + l->taken >= j->throttle)
		return false;
	if (!jobs_range(j, l->range, &at))
		return false;
	if (l->next < at.hi) {
		l->next++;
		return true;
	}
	if (!jobs_range(j, ++l->range, &at))
		return false;
	l->next = at.lo;
	return true;
}

/* Move to the next element, or to the next job. */
static void advance(struct model *m, struct queue *q)
{
	struct subqueue *l = &m->subqueues.list[q->heap[0].subqueue];

	if (next_element(m, l))
		return;
	stand_at(m, l, subqueue_after(m, l->cursor));
	moved(m, q);
}

/* Skip the jobs that would still run when the reservation begins. */
static void pass_long(struct round *r, struct queue *q)
{
	struct model *m = r->m;
	struct subqueue *l = &m->subqueues.list[q->heap[0].subqueue];

	if (m->limits.queue_lookback) {
		advance(m, q);
		return;
	}
	stand_at(m, l,
		 subqueue_after_within(m, l->cursor, r->s->reservation.start_us - r->in->now_us));
	moved(m, q);
}

/* With a look-back, skip this job; without, skip the subqueue. */
static void leave(struct round *r, struct queue *q)
{
	if (r->m->limits.queue_lookback)
		advance(r->m, q);
	else
		pop(q);
}

/*
 * Was the element counted before, in this stage or an earlier one? All elements up to the last
 * counted one were.
 */
static bool was_seen(const struct round *r, uint32_t row, const struct subqueue *l)
{
	if (r->seen_job[row] == l->cursor)
		return l->next <= r->seen_element[row];
	return r->stage && r->seen_job[row] != NIL &&
	       subqueue_job_before(r->m, l->cursor, r->seen_job[row]);
}

/* Is the element at which the row stands within the look-back? */
static bool is_within_lookback(struct round *r, uint32_t row)
{
	struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[queue_head_subqueue(r, row)];
	uint32_t members = m->shapes.list[l->shape].members;
	struct reason why;

	if (!m->limits.queue_lookback || was_seen(r, row, l))
		return true;
	/*
	 * The first gang is always looked at; otherwise a gang larger than the look-back would
	 * block its queue for ever.
	 */
	if (!r->seen[row] || r->seen[row] + members <= m->limits.queue_lookback) {
		r->seen[row] += members;
		r->seen_job[row] = l->cursor;
		r->seen_element[row] = l->next;
		return true;
	}
	why = reason_printf(r->arena, WHY_LOOKBACK, "a round looks at the first %llu %s of a queue",
			    (unsigned long long)m->limits.queue_lookback,
			    plural(m->limits.queue_lookback, "task", "tasks"));
	if (!l->taken) /* else earlier elements gave the job a reason */
		reason_emit_job(r, l->cursor, why, false);
	explain_probe_limit(r, row, LIMIT_QUEUE, why);
	limit_check_go_on(r);
	return false;
}

bool queue_head_find(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct queue *q = &m->queues.list[r->queue[row]];

	if (find_evicted(r, row))
		return true;
	while (!r->evicted_only && !r->closed[row] && fill_top(m, q)) {
		const struct subqueue *l = &m->subqueues.list[q->heap[0].subqueue];

		if (!is_within_lookback(r, row)) {
			r->closed[row] |= CLOSED_LOOKBACK;
			break;
		}
		if (m->shapes.list[l->shape].blocked_round == s->rounds) {
			explain_blocked(r, l->cursor, l->shape);
			leave(r, q);
		} else if (l->limited_round == s->rounds) {
			explain_probe_passed(r, l->cursor);
			leave(r, q);
		} else if (pass_is_over(r, l)) {
			leave(r, q);
		} else if (backfill_delays(r, q->heap[0].subqueue)) {
			backfill_report_delayed(r, l->cursor);
			pass_long(r, q);
		} else {
			price(r, row, l->shape, job_shape_sum(m, l->shape));
			return true;
		}
	}
	return false;
}

void queue_head_taken(struct round *r, uint32_t row)
{
	if (queue_head_gang(r, row) != NIL)
		r->evicted_at[row]++;
	else
		advance(r->m, &r->m->queues.list[r->queue[row]]);
}

void queue_head_skip(struct round *r, uint32_t row)
{
	r->m->subqueues.list[queue_head_subqueue(r, row)].limited_round = r->s->rounds;
	leave(r, &r->m->queues.list[r->queue[row]]);
}

void queue_head_leave(struct round *r, uint32_t row)
{
	leave(r, &r->m->queues.list[r->queue[row]]);
}

/* Adds the subqueue if it has not come to its end. */
static void add_again(struct model *m, struct queue *q, uint32_t subqueue)
{
	uint32_t cursor = m->subqueues.list[subqueue].cursor;

	if (cursor != NIL)
		add(q, head_entry_of(m, subqueue, cursor));
}

/* The subqueues of extra tasks, or the others. Sorted subqueues that did not take part yet stay. */
static void fill_heap(struct round *r, struct queue *q)
{
	struct model *m = r->m;
	const struct head_list *h = &q->heads;

	q->heap_count = 0;
	if (q->cordoned || !q->present)
		return;
	for (size_t i = 0; i < q->heads_at && !r->extras; i++)
		if (h->sorted[i].subqueue != NIL)
			add_again(m, q, h->sorted[i].subqueue);
	if (r->extras)
		q->heads_at = h->count;
	for (size_t i = 0; i < h->loose_count; i++)
		if (!m->subqueues.list[h->loose[i]].elements == r->extras)
			add_again(m, q, h->loose[i]);
	make_heap(q);
}

void queue_head_again(struct round *r)
{
	for (size_t row = 0; row < r->view.count; row++)
		fill_heap(r, &r->m->queues.list[r->queue[row]]);
}
