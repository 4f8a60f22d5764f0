/*
 * The recent job events in memory, one copy of each whatever the number of readers.
 *
 * A stream has the events of one job set, in their order and without a gap in their numbers. All events
 * together have a bound of bytes: the oldest of all go first. A stream exists while it has events or
 * watchers (watchers.c).
 */
#pragma once

#include "core/core.h"
#include "util/buf.h"

#include <sys/queue.h>
#include <uthash.h>

struct stream;
struct watcher;

/* One event, encoded once: framed as a member of JobEvents. */
struct ring_event {
	TAILQ_ENTRY(ring_event) by_age;
	struct stream *stream;
	uint64_t job;
	uint32_t uid;
	size_t len;
	uint8_t bytes[];
};

struct stream {
	UT_hash_handle hh;
	char *key; /* queue, NUL, job set */
	size_t key_len;
	const char *queue, *job_set; /* in key */
	uint64_t first, next;        /* of the events in memory, and the number after the last */
	struct ring_event **events;
	size_t begin, count, cap; /* events[begin] has the number first */
	TAILQ_HEAD(, watcher) watchers;
	/* of watchers.c: watchers have not got all events; the next of them in this pass */
	TAILQ_ENTRY(stream) dirty_entry;
	struct watcher *cursor;
	bool dirty, grown;
};

struct event_ring {
	struct stream *streams;
	TAILQ_HEAD(, ring_event) by_age;
	size_t bytes;
};

void event_ring_init(struct event_ring *r);
void event_ring_done(struct event_ring *r);
/* NULL: neither events nor watchers. */
struct stream *event_ring_find(struct event_ring *r, const char *queue, const char *job_set);
/* next: the number of the next event of the set, if the stream is new. */
struct stream *event_ring_obtain(struct event_ring *r, const char *queue, const char *job_set,
				 uint64_t next);
/* Add an event, and drop the oldest until all take at most `most` bytes. Returns its stream. */
struct stream *event_ring_add(struct event_ring *r, const struct armada_history_event *ev,
			      size_t most);
/* The event with this number; NULL: it is not in memory. O(1). */
const struct ring_event *event_ring_at(const struct stream *s, uint64_t number);
/* The last watcher has left: free the stream if it has no events. */
void event_ring_release(struct event_ring *r, struct stream *s);
