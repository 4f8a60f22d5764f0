/*
 * The job events of one or more sets, in the order in which the controller sends them.
 *
 * A set is followed over restarts and changes of the controller: the connection is opened again, and the
 * events go on at the next number, without gap or repeat. A controller that sends nothing for a minute counts
 * as dead.
 */
#pragma once

#include "client/connection.h"

#include <stdbool.h>

struct events;

struct events_set {
	const char *queue; /* "": the queue that a submission without one gets */
	const char *job_set;
	uint64_t from; /* the first number; 0: the first that is kept */
	bool new_only; /* instead: what happens from now on */
	const uint64_t *jobs;
	size_t job_count; /* 0: all jobs */
	bool has_uid;
	uint32_t uid;
};

/* c is borrowed, and used for nothing else meanwhile. */
struct events *events_new(struct connection *c);
void events_free(struct events *e);
/* Follow this set, too; copied. Returns its index. Call it before events_open. */
size_t events_add(struct events *e, const struct events_set *set);
/*
 * Follow the sets in which these jobs are, with their events only, from the first event. A job that is moved
 * to another queue is followed there. -ENOENT: no such job.
 */
int events_add_jobs(struct events *e, const uint64_t *jobs, size_t count, struct err *err);
/* Connect. The errors of connection.h; -ENOENT: a set does not exist, or the caller may not watch it. */
int events_open(struct events *e, struct err *err);
/*
 * The next event; valid until the next call. ret_set: the index of its set. timeout_ms: at most this long,
 * -1: no limit. -ETIMEDOUT: none yet. Errors that pass are not returned: it tries again.
 */
int events_next(struct events *e, int timeout_ms, const Armada__JobEvent **ret_event,
		size_t *ret_set, struct err *err);
/*
 * Readable when events_next may have something, after it has returned -ETIMEDOUT. The descriptor stays the
 * same. It costs two descriptors more, from the first call on.
 */
int events_fd(struct events *e);
/*
 * The same for callers with a poll of their own: events_next may have something when the socket is readable,
 * or after wait_ms. -1: there is no socket now. Valid until the next call of events_next.
 */
int events_socket(const struct events *e, int64_t *ret_wait_ms);
/* True if the connection is lost, and why. */
bool events_is_lost(const struct events *e, const char **ret_why);
/*
 * Of a set: the number at which to go on; what it is; its elements that waited and ran when it was opened, or
 * false: the caller sees or follows only a part of them.
 */
uint64_t events_position(const struct events *e, size_t set);
const struct events_set *events_set_of(const struct events *e, size_t set);
bool events_counts(const struct events *e, size_t set, uint64_t *ret_waiting, uint64_t *ret_active);
/* True once the events that there were when the set was opened have been returned. */
bool events_are_old(const struct events *e, size_t set);
size_t events_set_count(const struct events *e);
