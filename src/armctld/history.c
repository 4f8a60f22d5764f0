/*
 * Writes finished jobs to the history, and answers queries about them (history.h). Input: rows of
 * durable records, and queries. Output: rows in the state plugin; answers on the loop.
 *
 * The writer thread collects rows for a second, or less if a query waits. The reader thread has
 * each query wait until all rows that were added before it are written. If the history cannot be
 * written, the writer retries, and the rows wait in memory: history_backlog() says how many bytes, so
 * that the caller refuses what makes more of them. Rows that are not written at the end of the process
 * are still in the log, and the next start writes them. Queries are limited in number and bytes.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/history.h"
#include "armctld/history_events.h"
#include "armctld/shares_query.h"
#include "armctld/accounting_queue.h"
#include "armctld/batch.h"
#include "armctld/history_lookup.h"
#include "armctld/history_page.h"
#include "armctld/history_tidy.h"
#include "util/clock.h"
#include "util/units.h"
#include "wire/worker.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/shared.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <uthash.h>

enum {
	ROWS_SOON = 4096,
	EVENTS_OF_ROW = 8, /* to write an event costs as much less */
	PAUSE_S = 1,
	RETRY_S = 5,
	QUESTION_BYTES_MAX = 16 << 20,
	EXIT_TRY_AGAIN = 75,
};

/* Of one script or environment: many jobs may share it. */
struct held_blob {
	const struct shared *shared;
	UT_hash_handle hh;
};

/* Rows waiting to be written. */
struct unwritten {
	struct arena *arena;
	struct held_blob *blobs; /* in the arena */
	uint64_t blob_bytes;
	struct armada_history_row *rows, *attempts;
	struct armada_history_job *jobs;
	struct armada_history_share *shares;
	struct armada_history_event *events;
	size_t event_count, event_cap;
	size_t row_count, row_cap, attempt_count, attempt_cap;
	size_t job_count, job_cap, share_count, share_cap;
	uint64_t seq;
	int64_t since_us; /* when the first of them was given; 0: there is none */
};

struct question {
	struct worker_task task; /* first member, so that a task can be cast to its question */
	struct history *history;
	struct arena *arena; /* of what the effect points to */
	struct effect effect;
	struct core_finished_job
		*finished; /* of EFFECT_FINISHED_JOBS; NULL: answer has the error */
	struct history_answer answer;
};

struct history {
	const struct armada_state_ops *state;
	void *handle;
	history_reply_fn *reply;
	history_finished_fn *finished;
	void *arg;
	struct accounting_queue *accounting;
	struct history_tidy tidy; /* of the writer */
	struct workers *reader;   /* one thread: answers keep the order of the questions */
	pthread_t writer;

	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t more, written_cond;
	struct unwritten *open;
	uint64_t given,
		written; /* the number of calls of add and mark; how many of them are written */
	unsigned waiting_queries; /* the number of queries that wait for the writer */
	uint64_t writing_bytes;   /* of the rows that the writer has taken */
	int64_t writing_since_us; /* since_us of these rows; 0: it has none */
	uint64_t marked;          /* the rows of all records up to this one are written ... */
	bool lacks;               /* ... but for those after lacks_after, which are missing */
	uint64_t lacks_after;
	bool broken;   /* the last write failed */
	char why[256]; /* the error of the last write that failed */
	bool pausing;  /* the writer waits for more rows */
	bool stopping;
	size_t question_count, question_bytes;
};

static struct unwritten *unwritten_new(void)
{
	struct unwritten *l = xcalloc(1, sizeof(*l));

	l->arena = arena_new(0);
	return l;
}

static void unwritten_free(struct unwritten *l)
{
	free(l->rows);
	free(l->attempts);
	free(l->jobs);
	free(l->shares);
	free(l->events);
	HASH_CLEAR(hh, l->blobs);
	arena_free(l->arena);
	free(l);
}

/* Locked, or of rows that nobody else has. */
static uint64_t unwritten_bytes(const struct unwritten *l)
{
	return l->blob_bytes + arena_used(l->arena) +
	       (l->row_cap + l->attempt_cap) * sizeof(*l->rows) + l->job_cap * sizeof(*l->jobs) +
	       l->share_cap * sizeof(*l->shares) + l->event_cap * sizeof(*l->events);
}

static void count_blob(struct unwritten *l, struct shared *s)
{
	struct held_blob *b;

	if (!s)
		return;
	HASH_FIND_PTR(l->blobs, &s, b);
	if (b)
		return;
	b = arena_zalloc(l->arena, 1, sizeof(*b));
	b->shared = s;
	HASH_ADD_PTR(l->blobs, shared, b);
	l->blob_bytes += s->len;
}

/* So many rows that they are written without a pause. */
static bool are_many(const struct unwritten *l)
{
	return l->row_count + l->attempt_count + l->event_count / EVENTS_OF_ROW >= ROWS_SOON;
}

static void wait_s(struct history *h, int seconds)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	h->pausing = true;
	while (!h->stopping && !h->waiting_queries && !are_many(h->open))
		if (pthread_cond_clockwait(&h->more, &h->lock, CLOCK_MONOTONIC, &end) == ETIMEDOUT)
			break;
	h->pausing = false;
}

/*
 * The ends last: they move the mark up to which the history is complete, and what is before it is not
 * written again.
 */
static int put_rows(struct history *h, const struct unwritten *l, struct armada_error *err)
{
	int rc = 0;

	if (l->share_count && h->state->shares_put)
		rc = h->state->shares_put(h->handle, l->shares, l->share_count, err);
	if (rc >= 0)
		rc = history_tidy_attempts(&h->tidy, l->attempts, l->attempt_count, err);
	if (rc >= 0)
		rc = history_tidy_attempts(&h->tidy, l->rows, l->row_count, err);
	if (rc >= 0 && l->attempt_count && h->state->attempts_put)
		rc = h->state->attempts_put(h->handle, l->attempts, l->attempt_count, err);
	if (rc >= 0 && l->event_count && h->state->events_put)
		rc = h->state->events_put(h->handle, l->events, l->event_count, err);
	return rc < 0 ? rc
		      : h->state->history_put(h->handle, l->seq, l->rows, l->row_count, l->jobs,
					      l->job_count, err);
}

/* Retry until it succeeds or the process ends; unwritten rows are still in the log. */
static void write_rows(struct history *h, struct unwritten *l)
{
	struct armada_error err = {""};
	struct timespec pause = {.tv_sec = RETRY_S};
	bool stopping;

	while (put_rows(h, l, &err) < 0) {
		log_error("the history cannot be written, trying again every %s: %s",
			  duration_words(RETRY_S * INT64_C(1000000)).text, err.text);
		pthread_mutex_lock(&h->lock);
		h->broken = true;
		snprintf(h->why, sizeof(h->why), "%.200s", err.text);
		stopping = h->stopping;
		pthread_cond_broadcast(&h->written_cond);
		pthread_mutex_unlock(&h->lock);
		if (stopping)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Called with the lock. Deletes and imports old rows until there are rows to write. */
static void wait_for_rows(struct history *h)
{
	int64_t due_us;
	struct timespec due;

	while (!h->stopping && h->given == h->written) {
		pthread_mutex_unlock(&h->lock);
		due_us = history_tidy_run(&h->tidy);
		pthread_mutex_lock(&h->lock);
		if (h->stopping || h->given != h->written)
			break;
		due = (struct timespec){.tv_sec = due_us / 1000000,
					.tv_nsec = due_us % 1000000 * 1000};
		pthread_cond_clockwait(&h->more, &h->lock, CLOCK_MONOTONIC, &due);
	}
}

static void *writer(void *arg)
{
	struct history *h = arg;
	struct unwritten *l;
	uint64_t upto, marked;

	pthread_mutex_lock(&h->lock);
	for (;;) {
		wait_for_rows(h);
		if (h->given == h->written)
			break;
		wait_s(h, PAUSE_S);
		l = h->open;
		h->open = unwritten_new();
		h->open->seq = l->seq;
		upto = h->given;
		h->writing_bytes = unwritten_bytes(l);
		h->writing_since_us = l->since_us;
		pthread_mutex_unlock(&h->lock);
		write_rows(h, l);
		marked = l->seq;
		unwritten_free(l);
		history_tidy_run(&h->tidy);
		pthread_mutex_lock(&h->lock);
		h->written = upto;
		h->marked = marked;
		h->writing_bytes = 0;
		h->writing_since_us = 0;
		h->broken = false;
		pthread_cond_broadcast(&h->written_cond);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* Called with the lock. On return all rows added so far are written, unless writing fails. */
static void wait_written(struct history *h)
{
	uint64_t want = h->given;

	h->waiting_queries++;
	pthread_cond_signal(&h->more);
	while (h->written < want && !h->broken)
		pthread_cond_wait(&h->written_cond, &h->lock);
	h->waiting_queries--;
}

bool history_settle(struct history *h)
{
	bool whole;

	pthread_mutex_lock(&h->lock);
	wait_written(h);
	whole = !h->broken;
	pthread_mutex_unlock(&h->lock);
	return whole;
}

static bool settle(void *arg)
{
	return history_settle(arg);
}

void history_lacks(struct history *h, bool lacks, uint64_t after)
{
	pthread_mutex_lock(&h->lock);
	h->lacks = lacks;
	h->lacks_after = after;
	pthread_mutex_unlock(&h->lock);
}

static void find_page(struct history *h, struct question *q)
{
	struct history_extent extent;

	pthread_mutex_lock(&h->lock);
	extent.lacks = h->lacks;
	extent.complete = h->lacks ? h->lacks_after : h->marked;
	pthread_mutex_unlock(&h->lock);
	history_page(h->state, h->handle, q->effect.body, q->effect.len, &extent, &q->answer);
}

/* Without the unwritten rows, a job that has ended cannot be distinguished from an unknown one. */
static void find_finished(struct history *h, struct question *q, bool whole)
{
	size_t count = q->effect.finished_count;
	struct err err;

	if (!whole) {
		history_answer_error(
			&q->answer, EXIT_TRY_AGAIN,
			"the history cannot be written now, so it cannot be queried: try again later");
		return;
	}
	q->finished = xcalloc(count, sizeof(*q->finished));
	if (history_lookup_find(h->state, h->handle, q->effect.viewer, q->effect.finished_jobs,
				count, q->effect.by_element ? &q->effect.element : NULL,
				q->finished, &err) == 0)
		return;
	history_lookup_free(q->finished, count);
	q->finished = NULL;
	history_answer_error(&q->answer, 1, err.text);
}

/* Without the unwritten events a page would have a gap. */
static void find_events(struct history *h, struct question *q, bool whole)
{
	if (whole)
		history_events_find(h->state, h->handle, &q->effect.watch, &q->answer);
	else
		history_answer_error(&q->answer, EXIT_TRY_AGAIN,
				     "the history cannot be written now: try again later");
}

static void find_answer(struct history *h, struct question *q, bool whole)
{
	const struct effect *e = &q->effect;
	const struct history_viewer viewer = {.uid = e->viewer_uid,
					      .admin = e->viewer_admin,
					      .with_script = e->with_script,
					      .with_env = e->with_env,
					      .sight = e->viewer};

	if (e->kind == EFFECT_FINISHED_JOBS)
		find_finished(h, q, whole);
	else if (e->kind == EFFECT_WATCH)
		find_events(h, q, whole);
	else if (e->kind == EFFECT_COPY_HISTORY)
		find_page(h, q);
	else if (e->kind == EFFECT_SHARES)
		shares_query(h->state, h->handle, e->body, e->len, &q->answer);
	else if (e->kind == EFFECT_FIND)
		history_query_find(h->state, h->handle, e->body, e->len, &viewer, &q->answer);
	else if (e->ask.job)
		history_query_explain(h->state, h->handle, &e->ask, &viewer, &q->answer);
	else if (e->wait)
		history_query_wait(h->state, h->handle, e->job, &viewer, &q->answer);
	else
		history_query_show(h->state, h->handle, e->job, &viewer, &q->answer);
}

static void on_reader(struct worker_task *t)
{
	struct question *q = (struct question *)t;
	struct history *h = q->history;
	bool whole;

	pthread_mutex_lock(&h->lock);
	h->question_count--;
	h->question_bytes -= q->effect.len;
	wait_written(h);
	whole = !h->broken;
	pthread_mutex_unlock(&h->lock);
	find_answer(h, q, whole);
}

static void question_free(struct worker_task *t)
{
	struct question *q = (struct question *)t;

	buf_done(&q->answer.body);
	history_lookup_free(q->finished, q->effect.finished_count);
	arena_free(q->arena);
	free(q);
}

static void on_answered(struct worker_task *t)
{
	struct question *q = (struct question *)t;
	struct history *h = q->history;

	if (q->finished)
		h->finished(h->arg, &q->effect, q->finished, q->effect.finished_count);
	else
		h->reply(h->arg, &q->effect, &q->answer);
	question_free(t);
}

struct history *history_new(struct event_base *base, const struct armada_state_ops *state,
			    void *handle, uint64_t seq, history_reply_fn *reply,
			    history_finished_fn *finished, void *arg)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->state = state;
	h->handle = handle;
	h->reply = reply;
	h->finished = finished;
	h->arg = arg;
	h->open = unwritten_new();
	h->open->seq = h->marked = seq;
	h->tidy = (struct history_tidy){.state = state, .handle = handle};
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->more, NULL);
	pthread_cond_init(&h->written_cond, NULL);
	if (pthread_create(&h->writer, NULL, writer, h))
		abort();
	h->reader = workers_new(base, 1);
	h->accounting = accounting_queue_new(base, &(struct accounting_owner){
							   .state = state,
							   .handle = handle,
							   .reply = reply,
							   .reply_arg = arg,
							   .settle = settle,
							   .settle_arg = h,
						   });
	return h;
}

void history_free(struct history *h)
{
	if (!h)
		return;
	accounting_queue_free(h->accounting);
	workers_free(h->reader);
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	pthread_cond_signal(&h->more);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->writer, NULL);
	unwritten_free(h->open);
	pthread_cond_destroy(&h->more);
	pthread_cond_destroy(&h->written_cond);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Called with the lock. */
static void note_given(struct history *h)
{
	h->given++;
	if (!h->open->since_us)
		h->open->since_us = clock_us(CLOCK_MONOTONIC);
}

void history_add(struct history *h, const struct effect *e)
{
	struct unwritten *l;

	pthread_mutex_lock(&h->lock);
	l = h->open;
	if (e->row) {
		GROW(l->rows, l->row_cap, l->row_count + 1);
		history_row_copy(l->arena, e->row, &l->rows[l->row_count++]);
	}
	if (e->attempt) {
		GROW(l->attempts, l->attempt_cap, l->attempt_count + 1);
		history_row_copy(l->arena, e->attempt, &l->attempts[l->attempt_count++]);
	}
	if (e->history_job) {
		GROW(l->jobs, l->job_cap, l->job_count + 1);
		history_job_copy(l->arena, e, &l->jobs[l->job_count++]);
		count_blob(l, e->script);
		count_blob(l, e->env);
	}
	for (size_t i = 0; i < e->share_count; i++) {
		GROW(l->shares, l->share_cap, l->share_count + 1);
		history_share_copy(l->arena, &e->shares[i], &l->shares[l->share_count++]);
	}
	for (size_t i = 0; i < e->event_count; i++) {
		GROW(l->events, l->event_cap, l->event_count + 1);
		history_event_copy(l->arena, &e->events[i],
				   l->event_count ? &l->events[l->event_count - 1] : NULL,
				   &l->events[l->event_count]);
		l->event_count++;
	}
	note_given(h);
	pthread_mutex_unlock(&h->lock);
}

void history_mark(struct history *h, uint64_t seq)
{
	bool wake;

	pthread_mutex_lock(&h->lock);
	h->open->seq = seq;
	note_given(h);
	/* Called once for every commit: do not interrupt the pause without need. */
	wake = !h->pausing || are_many(h->open);
	pthread_mutex_unlock(&h->lock);
	if (wake)
		pthread_cond_signal(&h->more);
}

void history_backlog(struct history *h, struct history_backlog *ret)
{
	pthread_mutex_lock(&h->lock);
	ret->bytes = h->writing_bytes + unwritten_bytes(h->open);
	snprintf(ret->why, sizeof(ret->why), "%s", h->broken ? h->why : "");
	pthread_mutex_unlock(&h->lock);
}

void history_lag(struct history *h, struct history_lag *ret)
{
	uint64_t complete;
	int64_t since_us;

	pthread_mutex_lock(&h->lock);
	complete = h->lacks && h->lacks_after < h->marked ? h->lacks_after : h->marked;
	since_us = h->writing_since_us ? h->writing_since_us : h->open->since_us;
	ret->records = h->open->seq - complete;
	pthread_mutex_unlock(&h->lock);
	ret->us = since_us ? clock_us(CLOCK_MONOTONIC) - since_us : 0;
}

size_t history_waiting(struct history *h)
{
	size_t count;

	pthread_mutex_lock(&h->lock);
	count = h->question_count;
	pthread_mutex_unlock(&h->lock);
	return count;
}

/* Clients can send queries without waiting for answers, so their number is limited. */
static bool reserve_slot(struct history *h, struct question *q)
{
	bool room;

	pthread_mutex_lock(&h->lock);
	room = h->question_count < HISTORY_QUESTIONS &&
	       h->question_bytes + q->effect.len <= QUESTION_BYTES_MAX;
	if (room) {
		h->question_count++;
		h->question_bytes += q->effect.len;
	}
	pthread_mutex_unlock(&h->lock);
	return room;
}

size_t history_accounting(const struct history *h)
{
	return accounting_queue_count(h->accounting);
}

void history_gone(struct history *h, uint64_t conn)
{
	accounting_queue_gone(h->accounting, conn);
}

void history_ask(struct history *h, const struct effect *e)
{
	struct question *q;

	if (e->kind == EFFECT_ACCOUNTING) {
		accounting_queue_ask(h->accounting, e);
		return;
	}
	q = xcalloc(1, sizeof(*q));

	q->task =
		(struct worker_task){.run = on_reader, .done = on_answered, .drop = question_free};
	q->history = h;
	q->arena = arena_new(0);
	effect_copy(q->arena, e, &q->effect);
	if (reserve_slot(h, q)) {
		workers_give(h->reader, &q->task);
		return;
	}
	history_answer_error(&q->answer, EXIT_TRY_AGAIN,
			     "too many queries about finished jobs are waiting: try again");
	on_answered(&q->task);
}
