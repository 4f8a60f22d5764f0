/*
 * A stream for each job set.
 *
 * The thread of the history writes them, later than the records, so a reader of the streams sees only what is
 * durable. The id of an entry is the number that awatch shows. A failure is logged once and does not fail the
 * history; the events that a stream lacks come from the history with the next event of the set.
 */
#include "publish.h"
#include "../sqlite/error.h"
#include "../sqlite/events.h"
#include "lead.h"
#include "link.h"
#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 64, EVENT_NUMBERS = 6 };

struct publish {
	struct engine *e;
	struct command *c;
	char numbers[EVENTS_MAX][EVENT_NUMBERS][24];
	char *bodies[EVENTS_MAX]; /* copies: the history lends an event for the call only */
	char keys[KEYS_BYTES];
	int count, rc;
	struct armada_error err;
};

static void begin(struct publish *p, const char *queue, const char *job_set)
{
	char name[KEY_BYTES];

	snprintf(name, sizeof(name), "set:%.80s:%.150s", queue, job_set);
	script_begin(&p->e->feed, p->c, SCRIPT_EVENTS, p->keys, "head", name);
	command_u64(p->c, atomic_load(&p->e->epoch));
	p->count = 0;
}

static void add(struct publish *p, const struct armada_history_event *e)
{
	const uint64_t values[EVENT_NUMBERS] = {e->number,       (uint64_t)e->time_us,
						e->job,          e->first_element,
						e->last_element, (uint64_t)(int64_t)e->kind};

	for (int i = 0; i < EVENT_NUMBERS; i++) {
		char *text = p->numbers[p->count][i];

		snprintf(text, sizeof(p->numbers[0][0]), "%" PRIu64, values[i]);
		command_text(p->c, text);
	}
	p->bodies[p->count] = malloc(e->body_len + 1);
	if (!p->bodies[p->count])
		abort();
	if (e->body_len)
		memcpy(p->bodies[p->count], e->body, e->body_len);
	command_blob(p->c, p->bodies[p->count++], e->body_len);
}

static void flush(struct publish *p)
{
	if (p->count && !p->rc) {
		p->rc = conn_send(p->e, p->e->feed.conn, p->c, &p->err);
		if (!p->rc)
			p->rc = script_read(&p->e->feed, &p->err);
	}
	while (p->count)
		free(p->bodies[--p->count]);
}

/* The number of the last event in the stream; 0: none. */
static uint64_t last_number(struct publish *p, const char *queue, const char *job_set)
{
	char key[KEY_BYTES * 2];
	uint64_t last = 0;
	redisReply *r;

	snprintf(key, sizeof(key), "%sset:%.80s:%.150s", p->e->prefix, queue, job_set);
	r = ASK(p->e, p->e->feed.conn, &p->rc, &p->err, "XREVRANGE", key, "+", "-", "COUNT", "1");
	if (r && r->type == REDIS_REPLY_ARRAY && r->elements)
		last = read_u64(r->element[0]->element[0]->str);
	if (r)
		freeReplyObject(r);
	return last;
}

static int on_event(void *arg, const struct armada_history_event *e)
{
	struct publish *p = arg;

	if (p->count == EVENTS_MAX) {
		flush(p);
		begin(p, e->queue, e->job_set);
	}
	add(p, e);
	return p->rc;
}

/* All events of a set that its stream lacks, at most some thousand. */
static void publish_set(struct publish *p, const char *queue, const char *job_set)
{
	enum { GAP_MAX = 10000 };
	uint64_t first, last, from = last_number(p, queue, job_set) + 1;

	if (p->rc)
		return;
	begin(p, queue, job_set);
	events_find(p->e, queue, job_set, from, GAP_MAX, on_event, p, &first, &last, NULL);
	flush(p);
}

static bool same_set(const struct armada_history_event *a, const struct armada_history_event *b)
{
	return strcmp(a->queue, b->queue) == 0 && strcmp(a->job_set, b->job_set) == 0;
}

static void publish_all(struct engine *e, const struct armada_history_event *events, size_t count)
{
	struct publish *p = calloc(1, sizeof(*p));

	if (!p || !(p->c = calloc(1, sizeof(*p->c))))
		abort();
	p->e = e;
	p->rc = link_ready(&e->feed, NULL, &p->err);
	for (size_t i = 0; i < count && !p->rc; i++)
		if (i == 0 || !same_set(&events[i - 1], &events[i]))
			publish_set(p, events[i].queue, events[i].job_set);
	if (p->rc == -ENOEXEC)
		link_close(&e->feed);
	if (p->rc && !e->feed_failed)
		store_log(&e->local, 4, "streams of job sets lack events until a later one: %s",
			  p->err.text);
	e->feed_failed = p->rc != 0;
	free(p->c);
	free(p);
}

int publish_events(void *handle, const struct armada_history_event *events, size_t count,
		   struct armada_error *err)
{
	struct engine *e = handle;
	int rc = events_put(handle, events, count, err);

	if (!rc && count && atomic_load(&e->lease_until) > now_us())
		publish_all(e, events, count);
	return rc;
}
