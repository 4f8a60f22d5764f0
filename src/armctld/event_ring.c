/*
 * Recent job events by stream and by age (event_ring.h). Input: events in their order. Output: the event
 * with a number. Caveat: numbers of a set jump if the set was forgotten and came back; its older events then
 * leave memory, because a stream has no gap.
 */
#include "armctld/event_ring.h"

#include "core/txn/job_events.h"
#include "util/mem.h"

#include <string.h>

void event_ring_init(struct event_ring *r)
{
	*r = (struct event_ring){.streams = NULL};
	TAILQ_INIT(&r->by_age);
}

static void make_key(struct buf *key, const char *queue, const char *job_set)
{
	buf_addstr(key, queue);
	buf_addc(key, 0);
	buf_addstr(key, job_set);
}

struct stream *event_ring_find(struct event_ring *r, const char *queue, const char *job_set)
{
	CLEANUP_BUF struct buf key = {0};
	struct stream *s;

	make_key(&key, queue, job_set);
	HASH_FIND(hh, r->streams, key.data, key.len, s);
	return s;
}

struct stream *event_ring_obtain(struct event_ring *r, const char *queue, const char *job_set,
				 uint64_t next)
{
	struct stream *s = event_ring_find(r, queue, job_set);
	struct buf key = {0};

	if (s)
		return s;
	s = xcalloc(1, sizeof(*s));
	make_key(&key, queue, job_set);
	s->key = (char *)buf_take(&key, &s->key_len);
	s->queue = s->key;
	s->job_set = s->key + strlen(s->key) + 1;
	s->first = s->next = next;
	TAILQ_INIT(&s->watchers);
	HASH_ADD_KEYPTR(hh, r->streams, s->key, s->key_len, s);
	return s;
}

void event_ring_release(struct event_ring *r, struct stream *s)
{
	if (s->count || !TAILQ_EMPTY(&s->watchers))
		return;
	HASH_DEL(r->streams, s);
	free(s->events);
	free(s->key);
	free(s);
}

/* The first event of its stream leaves memory; so may the stream. */
static void drop_first(struct event_ring *r, struct stream *s)
{
	struct ring_event *e = s->events[s->begin];

	TAILQ_REMOVE(&r->by_age, e, by_age);
	r->bytes -= sizeof(*e) + e->len;
	free(e);
	s->begin++;
	s->first++;
	s->count--;
	if (s->begin > s->count) { /* O(1) for each event on average */
		memmove(s->events, s->events + s->begin, s->count * sizeof(s->events[0]));
		s->begin = 0;
	}
}

static struct ring_event *make_event(const struct armada_history_event *ev)
{
	CLEANUP_BUF struct buf framed = {0};
	struct ring_event *e;

	job_event_frame(ev, &framed);
	e = xmalloc(sizeof(*e) + framed.len);
	e->job = ev->job;
	e->uid = ev->uid;
	e->len = framed.len;
	memcpy(e->bytes, framed.data, framed.len);
	return e;
}

struct stream *event_ring_add(struct event_ring *r, const struct armada_history_event *ev,
			      size_t most)
{
	struct stream *s = event_ring_obtain(r, ev->queue, ev->job_set, ev->number);
	struct ring_event *e = make_event(ev);

	while (s->count && s->next != ev->number)
		drop_first(r, s);
	if (!s->count)
		s->first = ev->number;
	s->next = ev->number + 1;
	e->stream = s;
	GROW(s->events, s->cap, s->begin + s->count + 1);
	s->events[s->begin + s->count++] = e;
	TAILQ_INSERT_TAIL(&r->by_age, e, by_age);
	r->bytes += sizeof(*e) + e->len;
	while (r->bytes > most && TAILQ_FIRST(&r->by_age) != e) {
		struct stream *old = TAILQ_FIRST(&r->by_age)->stream;

		drop_first(r, old);
		if (old != s)
			event_ring_release(r, old);
	}
	return s;
}

const struct ring_event *event_ring_at(const struct stream *s, uint64_t number)
{
	return number >= s->first && number - s->first < s->count
		       ? s->events[s->begin + (number - s->first)]
		       : NULL;
}

void event_ring_done(struct event_ring *r)
{
	struct stream *s, *next;

	HASH_ITER (hh, r->streams, s, next) {
		while (s->count)
			drop_first(r, s);
		event_ring_release(r, s);
	}
}
