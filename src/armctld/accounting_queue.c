/*
 * Accounting queries on a thread of their own (accounting_queue.h).
 *
 * Input: effects from the loop, and closed connections. Output: answers on the loop. The list of queries
 * belongs to the loop; of a query the thread reads what it was made with, and the flag `gone`, which the
 * loop sets.
 */
#include "armctld/accounting_queue.h"

#include "armctld/batch.h"
#include "util/clock.h"
#include "util/mem.h"
#include "wire/worker.h"

#include <stdatomic.h>
#include <sys/queue.h>

enum { EXIT_TRY_AGAIN = 75 };

struct query {
	struct worker_task task; /* first member, so that a task can be cast to its query */
	struct accounting_queue *queue;
	struct arena *arena; /* of what the effect points to */
	struct effect effect;
	struct history_answer answer;
	atomic_bool gone;
	bool late;        /* its time is over */
	int64_t until_us; /* steady clock */
	LIST_ENTRY(query) entry;
};

struct accounting_queue {
	struct accounting_owner owner;
	struct workers *thread;
	LIST_HEAD(, query) queries;
	size_t count;
	atomic_bool ending;
};

static bool must_stop(void *arg)
{
	struct query *q = arg;

	q->late = clock_us(CLOCK_MONOTONIC) > q->until_us;
	return q->late || atomic_load(&q->gone) || atomic_load(&q->queue->ending);
}

static void on_thread(struct worker_task *t)
{
	struct query *q = (struct query *)t;
	const struct accounting_owner *o = &q->queue->owner;
	const struct accounting_ask ask = {
		.state = o->state,
		.handle = o->handle,
		.type = q->effect.type,
		.body = q->effect.body,
		.len = q->effect.len,
		.sight = q->effect.viewer,
		.stop = must_stop,
		.stop_arg = q,
	};

	q->until_us = clock_us(CLOCK_MONOTONIC) + ACCOUNTING_SECONDS * INT64_C(1000000);
	if (atomic_load(&q->gone))
		return;
	if (!o->settle(o->settle_arg)) {
		history_answer_error(
			&q->answer, EXIT_TRY_AGAIN,
			"the history cannot be written now, so it cannot be queried: try again later");
		return;
	}
	accounting_query(&ask, &q->answer);
	if (q->late)
		history_answer_error(
			&q->answer, 1,
			"the query took longer than a minute: select a shorter period");
}

static void query_free(struct worker_task *t)
{
	struct query *q = (struct query *)t;

	LIST_REMOVE(q, entry);
	q->queue->count--;
	buf_done(&q->answer.body);
	arena_free(q->arena);
	free(q);
}

static void on_answered(struct worker_task *t)
{
	struct query *q = (struct query *)t;
	const struct accounting_owner *o = &q->queue->owner;

	if (!atomic_load(&q->gone))
		o->reply(o->reply_arg, &q->effect, &q->answer);
	query_free(t);
}

struct accounting_queue *accounting_queue_new(struct event_base *base,
					      const struct accounting_owner *owner)
{
	struct accounting_queue *q = xcalloc(1, sizeof(*q));

	q->owner = *owner;
	LIST_INIT(&q->queries);
	q->thread = workers_new(base, 1);
	return q;
}

void accounting_queue_free(struct accounting_queue *q)
{
	if (!q)
		return;
	atomic_store(&q->ending, true);
	workers_free(q->thread);
	free(q);
}

static bool has_room(const struct accounting_queue *q, uint32_t uid)
{
	const struct query *other;
	size_t of_user = 0;

	LIST_FOREACH (other, &q->queries, entry)
		of_user += other->effect.viewer_uid == uid;
	return q->count < ACCOUNTING_QUERIES && of_user < ACCOUNTING_QUERIES_OF_USER;
}

void accounting_queue_ask(struct accounting_queue *queue, const struct effect *e)
{
	bool room = has_room(queue, e->viewer_uid);
	struct query *q = xcalloc(1, sizeof(*q));

	q->task = (struct worker_task){.run = on_thread, .done = on_answered, .drop = query_free};
	q->queue = queue;
	q->arena = arena_new(0);
	effect_copy(q->arena, e, &q->effect);
	LIST_INSERT_HEAD(&queue->queries, q, entry);
	queue->count++;
	if (room) {
		workers_give(queue->thread, &q->task);
		return;
	}
	history_answer_error(&q->answer, EXIT_TRY_AGAIN,
			     "too many accounting queries are waiting: try again");
	on_answered(&q->task);
}

void accounting_queue_gone(struct accounting_queue *q, uint64_t conn)
{
	struct query *each;

	LIST_FOREACH (each, &q->queries, entry)
		if (each->effect.conn == conn)
			atomic_store(&each->gone, true);
}

size_t accounting_queue_count(const struct accounting_queue *q)
{
	return q->count;
}
