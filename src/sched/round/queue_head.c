/*
 * The next gang of each queue.
 *
 * Input: the subqueues of a queue, each of which stands at a job. Output: the head, that is the
 * gang that is tried next, and its cost. The evicted gangs of the queue come first. The subqueues
 * are a heap over the jobs at which they stand.
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
#include "util/plural.h"

/* The order of subqueue_job_before, without reading the jobs. */
static bool stands_before(const struct head_entry *a, const struct head_entry *b)
{
	if (a->class_priority != b->class_priority)
		return a->class_priority > b->class_priority;
	if (a->turn != b->turn)
		return a->turn < b->turn;
	if (a->priority != b->priority)
		return a->priority < b->priority;
	if (a->submit_us != b->submit_us)
		return a->submit_us < b->submit_us;
	return a->id < b->id;
}

static void sink(struct queue *q, size_t at)
{
	HEAP_SINK(q->heap, q->heap_count, at, stands_before(x, y));
}

static void pop(struct queue *q)
{
	q->heap[0] = q->heap[--q->heap_count];
	if (q->heap_count)
		sink(q, 0);
}

static struct head_entry stand_of(const struct model *m, uint32_t subqueue)
{
	const struct job *j = &m->jobs.list[m->subqueues.list[subqueue].cursor];

	return (struct head_entry){
		.class_priority =
			m->levels.classes[m->shapes.list[m->subqueues.list[subqueue].shape].class]
				.priority,
		.priority = j->priority,
		.submit_us = j->submit_us,
		.id = j->id,
		.turn = j->turn,
		.subqueue = subqueue};
}

/* The first subqueue of the heap moved to another job. */
static void moved(struct model *m, struct queue *q)
{
	uint32_t subqueue = q->heap[0].subqueue;

	if (m->subqueues.list[subqueue].cursor == NIL) {
		pop(q);
		return;
	}
	q->heap[0] = stand_of(m, subqueue);
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

static void begin_queue(struct round *r, struct queue *q)
{
	struct model *m = r->m;

	for (size_t i = 0; i < q->subqueue_count; i++) {
		struct subqueue *l = &m->subqueues.list[q->subqueues[i]];

		m->work.subqueues++;
		l->passed = 0;
		stand_at(m, l, l->head);
		if (!q->cordoned && q->present && l->elements)
			q->heap[q->heap_count++] = stand_of(m, q->subqueues[i]);
	}
	if (q->cordoned || !q->present)
		queue_head_closed(r, q);
	for (size_t i = q->heap_count / 2; i-- > 0;)
		sink(q, i);
}

void queue_head_begin(struct round *r)
{
	struct model *m = r->m;
	struct head_entry *heap; /* of all queues, one after the other */
	size_t subqueues = 0;

	for (size_t i = 0; i < r->view.count; i++)
		subqueues += m->queues.list[r->queue[i]].subqueue_count;
	heap = arena_alloc(r->arena, (subqueues + 1) * sizeof(*heap));
	subqueues = 0;
	for (size_t i = 0; i < r->view.count; i++) {
		struct queue *q = &m->queues.list[r->queue[i]];

		q->heap = heap + subqueues;
		q->heap_count = 0;
		subqueues += q->subqueue_count;
		begin_queue(r, q);
	}
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
	while (q->heap_count && !r->evicted_only && !r->closed[row]) {
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

/* The subqueues that have not come to their end: those of extra tasks, or the others. */
static void fill_heap(struct round *r, struct queue *q)
{
	struct model *m = r->m;

	q->heap_count = 0;
	for (size_t i = 0; i < q->subqueue_count && !q->cordoned && q->present; i++) {
		const struct subqueue *l = &m->subqueues.list[q->subqueues[i]];

		if (l->cursor != NIL && !l->elements == r->extras)
			q->heap[q->heap_count++] = stand_of(m, q->subqueues[i]);
	}
	for (size_t i = q->heap_count / 2; i-- > 0;)
		sink(q, i);
}

void queue_head_again(struct round *r)
{
	for (size_t row = 0; row < r->view.count; row++)
		fill_heap(r, &r->m->queues.list[r->queue[row]]);
}
