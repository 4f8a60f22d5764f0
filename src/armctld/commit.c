/*
 * The commit thread (commit.h). Input: outputs of the core, in order, from the loop. Output:
 * effects, on the loop, when their records are durable.
 *
 * Two batches exist: `open` is filled by the loop, and `appending` is being appended. An output
 * without a record joins `appending` if no later record waits. A snapshot is written in parts between
 * the appends, so that no record waits for all of it. Caveat: after a failed append the thread returns
 * and the process ends; the batch is not released.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/commit.h"
#include "wire/loop_notify.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { SPACE_PAUSE_S = 1, COPY_PAUSE_MS = 100, PART_BYTES = 4 << 20 };

struct commit {
	const struct armada_state_ops *state;
	void *handle;
	const struct commit_ops *ops;
	void *arg;

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct batch *open;        /* under lock: being filled */
	struct batch *appending;   /* under lock: being appended, or NULL */
	struct batch_list durable; /* under lock: effects may be sent */
	bool stopping;             /* under lock */
	bool waiting_for_space;    /* of the thread */
	int64_t stalled_us; /* under lock: since when an append waits for the store; 0: none does */
	struct armada_error stall; /* under lock: why */
	struct histogram
		times; /* under lock: of appends, with their waits for space or for a copy */
	bool untidy;   /* of the thread: the state plugin may have work that can wait */
	struct snapshot *writing; /* of the thread: a snapshot, or NULL */
	size_t parts_done;        /* of the thread: its chunks that are written */
	size_t snapshots_done;    /* under lock: to be subtracted from snapshots */
	struct loop_notify *notify;
	size_t pending;       /* of the loop: outputs not released */
	size_t snapshots;     /* of the loop: snapshots not written */
	uint64_t durable_seq; /* of the loop: the last durable record */
};

/* False: the process ends meanwhile. */
static bool pause_for(struct commit *c, int64_t ms)
{
	struct timespec until;
	bool go_on;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&c->lock);
	while (!c->stopping &&
	       pthread_cond_clockwait(&c->more, &c->lock, CLOCK_MONOTONIC, &until) == 0)
		;
	go_on = !c->stopping;
	pthread_mutex_unlock(&c->lock);
	return go_on;
}

static bool wait_for_space(struct commit *c, const char *sentence)
{
	if (!c->waiting_for_space)
		log_error(
			"no record can be written, and no request is answered, until there is space: %s",
			sentence);
	c->waiting_for_space = true;
	return pause_for(c, SPACE_PAUSE_S * 1000);
}

/* The store of several controllers, or a copy of it, is away. */
static bool wait_for_store(struct commit *c, const struct armada_error *why)
{
	bool first;

	pthread_mutex_lock(&c->lock);
	first = !c->stalled_us;
	if (first)
		c->stalled_us = clock_us(CLOCK_BOOTTIME);
	c->stall = *why;
	pthread_mutex_unlock(&c->lock);
	if (first)
		log_warn("records wait: %s", why->text);
	return pause_for(c, COPY_PAUSE_MS);
}

static void note_written(struct commit *c)
{
	int64_t stalled_us;

	pthread_mutex_lock(&c->lock);
	stalled_us = c->stalled_us;
	c->stalled_us = 0;
	pthread_mutex_unlock(&c->lock);
	if (stalled_us)
		log_notice("records are written again, after %s",
			   duration_words(clock_us(CLOCK_BOOTTIME) - stalled_us).text);
	if (c->waiting_for_space)
		log_notice("records are written again");
	c->waiting_for_space = false;
}

/* An append that lacked space changed nothing, and is repeated; so is one that waits for a copy. */
static bool append_records(struct commit *c, struct batch *b)
{
	struct armada_error err = {""};
	int rc;

	for (;;) {
		rc = c->state->append(c->handle, b->records, b->record_count, &err);
		if (rc == -ENOSPC ? !wait_for_space(c, err.text)
				  : rc == -EAGAIN && !wait_for_store(c, &err))
			return false;
		if (rc != -ENOSPC && rc != -EAGAIN)
			break;
	}
	if (rc < 0) {
		c->ops->failed(c->arg, rc, err.text);
		return false;
	}
	note_written(c);
	return true;
}

/* 1: there is more to write. */
static int write_part(struct commit *c, const struct armada_state_part *p, struct armada_error *err)
{
	int rc = c->state->snapshot_part
			 ? c->state->snapshot_part(c->handle, p, err)
			 : c->state->snapshot(c->handle, p->seq, p->chunks, p->count, err);

	if (rc == -EAGAIN)
		c->parts_done = 0;
	else if (rc == 0)
		c->parts_done += p->count;
	return rc == -EAGAIN || (rc == 0 && c->parts_done < p->total) ? 1 : rc;
}

/* One part of the snapshot; the lock is not held. */
static void snapshot_work(struct commit *c)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct armada_error err = {""};
	struct armada_state_part part;
	int rc;

	snapshot_part(c->writing, c->parts_done, c->state->snapshot_part ? PART_BYTES : SIZE_MAX,
		      arena, &part);
	rc = write_part(c, &part, &err);
	if (rc > 0)
		return;
	if (rc < 0)
		log_error("no snapshot was written, the log continues: %s", err.text);
	snapshot_free(c->writing);
	c->writing = NULL;
	pthread_mutex_lock(&c->lock);
	c->snapshots_done++;
	pthread_mutex_unlock(&c->lock);
	loop_notify_ring(c->notify);
}

/* Appends the records, and notes the time that it takes. */
static bool append_measured(struct commit *c, struct batch *b)
{
	int64_t begin_us = clock_us(CLOCK_BOOTTIME);

	if (!append_records(c, b))
		return false;
	pthread_mutex_lock(&c->lock);
	histogram_add(&c->times, clock_us(CLOCK_BOOTTIME) - begin_us);
	pthread_mutex_unlock(&c->lock);
	return true;
}

static bool append(struct commit *c, struct batch *b)
{
	if (b->record_count && !append_measured(c, b))
		return false;
	if (b->snapshot) {
		while (c->writing)
			snapshot_work(c);
		c->writing = b->snapshot;
		b->snapshot = NULL;
		c->parts_done = 0;
	}
	return true;
}

/* One step; the lock is not held. */
static void tidy(struct commit *c)
{
	struct armada_error err = {""};
	int rc = c->state->tidy ? c->state->tidy(c->handle, &err) : 0;

	if (rc < 0)
		log_error("space of the log cannot be given back now: %s", err.text);
	c->untidy = rc > 0;
}

/* Locked. Wait for a batch, and let the plugin tidy up meanwhile. False: the end. */
static bool wait_for_batch(struct commit *c)
{
	while (!c->stopping && batch_empty(c->open)) {
		if (!c->untidy && !c->writing) {
			pthread_cond_wait(&c->more, &c->lock);
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		if (c->writing)
			snapshot_work(c);
		else
			tidy(c);
		pthread_mutex_lock(&c->lock);
	}
	return !c->stopping;
}

static void *commit_thread(void *arg)
{
	struct commit *c = arg;
	struct batch *b;

	pthread_mutex_lock(&c->lock);
	while (wait_for_batch(c)) {
		b = c->open;
		c->open = batch_new();
		c->appending = b;
		pthread_mutex_unlock(&c->lock);
		if (!append(c, b))
			return NULL; /* b stays in appending: its effects are not sent */
		c->untidy = true;
		pthread_mutex_lock(&c->lock);
		c->appending = NULL;
		STAILQ_INSERT_TAIL(&c->durable, b, entry);
		loop_notify_ring(c->notify);
		if (c->writing) {
			pthread_mutex_unlock(&c->lock);
			snapshot_work(c);
			pthread_mutex_lock(&c->lock);
		}
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* The bytes of an outcome are counted for the connections that caused it or will get it. */
static void count(struct commit *c, const struct outcome *o, int sign)
{
	if (o->conn && o->record_len)
		c->ops->writing(c->arg, o->conn, sign * (int64_t)o->record_len);
	for (size_t i = 0; i < o->effect_count; i++)
		if (o->effects[i].conn && o->effects[i].len)
			c->ops->waiting(c->arg, o->effects[i].conn,
					sign * (int64_t)o->effects[i].len);
}

static void release_batch(struct commit *c, struct batch *b, bool counted)
{
	const struct outcome *o;

	if (b->seq)
		c->durable_seq = b->seq;
	STAILQ_FOREACH (o, &b->outcomes, entry) {
		if (counted)
			count(c, o, -1);
		c->ops->send_effects(c->arg, o->effects, o->effect_count);
		c->pending--;
	}
	if (b->seq)
		c->ops->durable(c->arg, b->seq);
}

static void on_ring(void *arg)
{
	struct batch_list list = STAILQ_HEAD_INITIALIZER(list);
	struct commit *c = arg;

	pthread_mutex_lock(&c->lock);
	STAILQ_CONCAT(&list, &c->durable);
	c->snapshots -= c->snapshots_done;
	c->snapshots_done = 0;
	pthread_mutex_unlock(&c->lock);
	for (struct batch *b; (b = batch_take(&list));) {
		release_batch(c, b, true);
		batch_free(b);
	}
}

struct commit *commit_new(struct event_base *base, const struct armada_state_ops *state,
			  void *handle, const struct commit_ops *ops, void *arg)
{
	struct commit *c = xcalloc(1, sizeof(*c));

	c->state = state;
	c->handle = handle;
	c->ops = ops;
	c->arg = arg;
	c->open = batch_new();
	STAILQ_INIT(&c->durable);
	c->notify = loop_notify_new(base, on_ring, c);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->more, NULL);
	if (pthread_create(&c->thread, NULL, commit_thread, c))
		abort();
	return c;
}

void commit_free(struct commit *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stopping = true;
	pthread_cond_signal(&c->more);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	for (struct batch *b; (b = batch_take(&c->durable));)
		batch_free(b);
	batch_free(c->appending);
	batch_free(c->open);
	snapshot_free(c->writing);
	loop_notify_free(c->notify);
	pthread_cond_destroy(&c->more);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/*
 * True if all records that the output depends on are durable: it need not wait for the commit
 * thread.
 */
static bool is_durable(const struct commit *c, const struct output *out)
{
	if (out->record)
		return false;
	return c->pending == 0 || (out->needs && out->needs <= c->durable_seq);
}

static void at_once(struct commit *c, const struct output *out)
{
	struct batch *b = batch_new();

	batch_add(b, 0, out);
	c->pending++;
	release_batch(c, b, false);
	batch_free(b);
}

void commit_output(struct commit *c, uint64_t conn, const struct output *out)
{
	const struct outcome *o;
	bool wake = false;

	if (!out->record && !out->effect_count)
		return;
	if (is_durable(c, out)) {
		at_once(c, out);
		return;
	}
	c->pending++;
	pthread_mutex_lock(&c->lock);
	/* An output that waits only for the records of `appending` is released with them. */
	if (!out->record && c->appending && batch_empty(c->open)) {
		o = batch_add(c->appending, conn, out);
	} else {
		o = batch_add(c->open, conn, out);
		wake = !c->appending;
	}
	pthread_mutex_unlock(&c->lock);
	count(c, o, 1);
	/* A running append checks for more work when it ends. */
	if (wake)
		pthread_cond_signal(&c->more);
}

void commit_snapshot(struct commit *c, struct snapshot *s)
{
	pthread_mutex_lock(&c->lock);
	if (c->open->snapshot) {
		snapshot_free(c->open->snapshot);
		c->snapshots--;
	}
	c->open->snapshot = s;
	c->snapshots++;
	pthread_cond_signal(&c->more);
	pthread_mutex_unlock(&c->lock);
}

bool commit_idle(const struct commit *c)
{
	return c->pending == 0 && c->snapshots == 0;
}

int64_t commit_stalled(struct commit *c, char ret_why[512])
{
	int64_t since_us;

	pthread_mutex_lock(&c->lock);
	since_us = c->stalled_us;
	snprintf(ret_why, sizeof(c->stall.text), "%s", since_us ? c->stall.text : "");
	pthread_mutex_unlock(&c->lock);
	return since_us ? clock_us(CLOCK_BOOTTIME) - since_us : 0;
}

void commit_times(struct commit *c, struct histogram *ret)
{
	pthread_mutex_lock(&c->lock);
	*ret = c->times;
	pthread_mutex_unlock(&c->lock);
}

bool commit_writes_snapshot(const struct commit *c)
{
	return c->snapshots > 0;
}
