/*
 * Job events of each job set.
 *
 * In: events in their order, or a job set and a number. Out: one transaction, or the events from that number
 * on. A set has a short number of its own, so that a row needs no names. An event that exists is kept, so a
 * batch may be written again after a crash.
 */
#include "events.h"
#include "db.h"
#include "error.h"
#include "history.h"
#include "history_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "cannot be written";

/* A step of retention looks at so many sets, and deletes so many events of one. */
enum { PRUNE_SETS = 50, PRUNE_EVENTS = 500 };

/* The arguments of events_put. */
struct events {
	const struct armada_history_event *list;
	size_t count;
};

static int find_set(struct db *db, const struct armada_history_event *e, uint64_t *ret_id,
		    struct armada_error *err)
{
	int rc;

	db_bind_text(db, PUT_EVENT_SET_ID, 1, e->queue);
	db_bind_text(db, PUT_EVENT_SET_ID, 2, e->job_set);
	rc = db_step(db, PUT_EVENT_SET_ID, doing, err);
	if (rc > 0) {
		*ret_id = (uint64_t)sqlite3_column_int64(db->stmt[PUT_EVENT_SET_ID], 0);
		db_reset(db, PUT_EVENT_SET_ID);
	}
	return rc;
}

static int obtain_set(struct db *db, const struct armada_history_event *e, uint64_t *ret_id,
		      struct armada_error *err)
{
	int rc = find_set(db, e, ret_id, err);

	if (rc)
		return rc < 0 ? rc : 0;
	db_bind_text(db, PUT_EVENT_SET, 1, e->queue);
	db_bind_text(db, PUT_EVENT_SET, 2, e->job_set);
	rc = db_run(db, PUT_EVENT_SET, doing, err);
	if (!rc)
		rc = find_set(db, e, ret_id, err);
	return rc < 0 ? rc : 0;
}

static int put_event(struct db *db, const struct armada_history_event *e, uint64_t set,
		     struct armada_error *err)
{
	const uint64_t numbers[] = {set,
				    e->number,
				    (uint64_t)e->time_us,
				    e->job,
				    e->first_element,
				    e->last_element,
				    e->uid,
				    (uint64_t)(int64_t)e->kind};

	if (e->number > INT64_MAX || e->job > INT64_MAX)
		return fail(err, -EINVAL, "event %" PRIu64 " of job %" PRIu64 " is too large",
			    e->number, e->job);
	for (int i = 0; i < 8; i++)
		db_bind_u64(db, PUT_EVENT, 1 + i, numbers[i]);
	db_bind_blob(db, PUT_EVENT, 9, e->body, e->body_len);
	return db_run(db, PUT_EVENT, doing, err);
}

static int put_events(struct store *s, const void *arg, struct armada_error *err)
{
	const struct armada_history_event *last = NULL;
	const struct events *events = arg;
	uint64_t set = 0;
	int rc = 0;

	for (size_t i = 0; i < events->count && !rc; i++) {
		const struct armada_history_event *e = &events->list[i];

		if (!last || strcmp(last->queue, e->queue) != 0 ||
		    strcmp(last->job_set, e->job_set) != 0)
			rc = obtain_set(&s->history, e, &set, err);
		last = e;
		if (!rc)
			rc = put_event(&s->history, e, set, err);
	}
	return rc;
}

int events_put(void *handle, const struct armada_history_event *events, size_t count,
	       struct armada_error *err)
{
	const struct events all = {events, count};
	struct store *s = handle;
	int rc = store_check(s, err);

	if (rc)
		return rc;
	rc = history_write(s, put_events, &all, err);
	if (rc)
		return fail_in(err, rc, s->dir);
	history_checkpoint(s);
	return 0;
}

/* The last of the first events of a set that are before the time; 0: none. full: there may be more. */
static int find_old(struct db *db, uint64_t set, int64_t before_us, uint64_t *ret_last,
		    bool *ret_full, struct armada_error *err)
{
	sqlite3_stmt *st = db->stmt[PUT_EVENTS_FIRST];
	int count = 0, rc;

	*ret_last = 0;
	db_bind_u64(db, PUT_EVENTS_FIRST, 1, set);
	db_bind_u64(db, PUT_EVENTS_FIRST, 2, PRUNE_EVENTS);
	while ((rc = db_step(db, PUT_EVENTS_FIRST, doing, err)) > 0) {
		if (sqlite3_column_int64(st, 1) >= before_us)
			break;
		*ret_last = (uint64_t)sqlite3_column_int64(st, 0);
		count++;
	}
	db_reset(db, PUT_EVENTS_FIRST);
	*ret_full = count == PRUNE_EVENTS;
	return rc < 0 ? rc : 0;
}

static int prune_set(struct db *db, uint64_t set, int64_t before_us, bool *ret_full,
		     struct armada_error *err)
{
	uint64_t last;
	int rc = find_old(db, set, before_us, &last, ret_full, err);

	if (rc || !last)
		return rc;
	db_bind_u64(db, PUT_EVENTS_CUT, 1, set);
	db_bind_u64(db, PUT_EVENTS_CUT, 2, last);
	rc = db_run(db, PUT_EVENTS_CUT, doing, err);
	if (rc)
		return rc;
	db_bind_u64(db, PUT_EVENT_SET_CUT, 1, set);
	return db_run(db, PUT_EVENT_SET_CUT, doing, err);
}

int events_prune(struct store *s, int64_t before_us, bool *ret_more, struct armada_error *err)
{
	struct db *db = &s->history;
	bool full = false;

	for (int i = 0; i < PRUNE_SETS && !full; i++) {
		uint64_t set = 0;
		int rc;

		db_bind_u64(db, PUT_EVENT_SETS_AFTER, 1, s->pruned_set);
		rc = db_step(db, PUT_EVENT_SETS_AFTER, doing, err);
		if (rc > 0)
			set = (uint64_t)sqlite3_column_int64(db->stmt[PUT_EVENT_SETS_AFTER], 0);
		db_reset(db, PUT_EVENT_SETS_AFTER);
		if (rc <= 0) { /* all sets have had their turn */
			s->pruned_set = 0;
			return rc;
		}
		rc = prune_set(db, set, before_us, &full, err);
		if (rc)
			return rc;
		if (!full)
			s->pruned_set = set;
	}
	*ret_more = true;
	return 0;
}

static int find_kept(struct db *db, const char *queue, const char *job_set, uint64_t *ret_first,
		     uint64_t *ret_last, struct armada_error *err)
{
	int rc;

	db_bind_text(db, FIND_EVENT_RANGE, 1, queue);
	db_bind_text(db, FIND_EVENT_RANGE, 2, job_set);
	rc = db_step(db, FIND_EVENT_RANGE, "cannot be read", err);
	if (rc <= 0)
		return rc;
	*ret_first = (uint64_t)sqlite3_column_int64(db->stmt[FIND_EVENT_RANGE], 0);
	*ret_last = (uint64_t)sqlite3_column_int64(db->stmt[FIND_EVENT_RANGE], 1);
	db_reset(db, FIND_EVENT_RANGE);
	return 0;
}

/* The events of a statement whose columns begin with the number. */
static int read_events(struct db *db, int stmt, const char *queue, const char *job_set,
		       armada_state_event_fn *on_event, void *arg, struct armada_error *err)
{
	sqlite3_stmt *st = db->stmt[stmt];
	int rc;

	while ((rc = db_step(db, stmt, "cannot be read", err)) > 0) {
		const struct armada_history_event e = {
			.queue = queue,
			.job_set = job_set,
			.number = (uint64_t)sqlite3_column_int64(st, 0),
			.time_us = sqlite3_column_int64(st, 1),
			.job = (uint64_t)sqlite3_column_int64(st, 2),
			.first_element = (uint32_t)sqlite3_column_int64(st, 3),
			.last_element = (uint32_t)sqlite3_column_int64(st, 4),
			.uid = (uint32_t)sqlite3_column_int64(st, 5),
			.kind = sqlite3_column_int(st, 6),
			.body = sqlite3_column_blob(st, 7),
			.body_len = (size_t)sqlite3_column_bytes(st, 7),
		};

		rc = on_event(arg, &e);
		if (rc)
			break;
	}
	db_reset(db, stmt);
	return rc;
}

int events_find(void *handle, const char *queue, const char *job_set, uint64_t from, uint32_t limit,
		armada_state_event_fn *on_event, void *arg, uint64_t *ret_first, uint64_t *ret_last,
		struct armada_error *err)
{
	struct store *s = handle;
	struct db *db = &s->reader;
	int rc = store_check(s, err);

	*ret_first = *ret_last = 0;
	if (rc)
		return rc;
	pthread_mutex_lock(&s->reader_lock);
	rc = history_ready(db, err);
	if (!rc)
		rc = find_kept(db, queue, job_set, ret_first, ret_last, err);
	if (!rc && *ret_last && from <= INT64_MAX) {
		db_bind_text(db, FIND_EVENTS, 1, queue);
		db_bind_text(db, FIND_EVENTS, 2, job_set);
		db_bind_u64(db, FIND_EVENTS, 3, from);
		db_bind_u64(db, FIND_EVENTS, 4, limit);
		rc = read_events(db, FIND_EVENTS, NULL, NULL, on_event, arg, err);
	}
	history_report(s, rc, err);
	pthread_mutex_unlock(&s->reader_lock);
	return rc;
}

/* 1: the names are replaced by those of the next set. */
static int next_set(struct db *db, char *names[2], struct armada_error *err)
{
	sqlite3_stmt *st = db->stmt[FIND_EVENT_SET];
	char *old[] = {names[0], names[1]};
	int rc;

	for (int i = 0; i < 2; i++)
		db_bind_text(db, FIND_EVENT_SET, 1 + i, old[i]);
	rc = db_step(db, FIND_EVENT_SET, "cannot be read", err);
	for (int i = 0; i < 2 && rc > 0; i++)
		names[i] = strdup((const char *)sqlite3_column_text(st, i));
	db_reset(db, FIND_EVENT_SET);
	for (int i = 0; i < 2 && rc > 0; i++)
		free(old[i]);
	return rc;
}

/* Of each set its events, those of the first one after the number. */
static int walk_sets(struct db *db, char *names[2], uint64_t number,
		     armada_state_event_fn *on_event, void *arg, struct armada_error *err)
{
	uint64_t from = number + 1;
	int rc = 1;

	while (rc > 0) {
		if (!names[0] || !names[1])
			return fail(err, -ENOMEM, "history.db: out of memory");
		db_bind_text(db, FIND_EVENTS, 1, names[0]);
		db_bind_text(db, FIND_EVENTS, 2, names[1]);
		db_bind_u64(db, FIND_EVENTS, 3, from);
		db_bind_u64(db, FIND_EVENTS, 4, INT64_MAX);
		rc = read_events(db, FIND_EVENTS, names[0], names[1], on_event, arg, err);
		if (rc)
			return rc;
		from = 0;
		rc = next_set(db, names, err);
	}
	return rc;
}

int events_after(void *handle, const char *queue, const char *job_set, uint64_t number,
		 armada_state_event_fn *on_event, void *arg, struct armada_error *err)
{
	struct store *s = handle;
	char *names[] = {strdup(queue), strdup(job_set)};
	int rc = store_check(s, err);

	if (!rc) {
		pthread_mutex_lock(&s->reader_lock);
		rc = history_ready(&s->reader, err);
		if (!rc)
			rc = walk_sets(&s->reader, names,
				       number < INT64_MAX ? number : INT64_MAX - 1, on_event, arg,
				       err);
		history_report(s, rc, err);
		pthread_mutex_unlock(&s->reader_lock);
	}
	free(names[0]);
	free(names[1]);
	return rc;
}
