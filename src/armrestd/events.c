/*
 * The event stream of a job set: server-sent events, or a line of JSON for each event.
 *
 * A stream has a thread and a connection of its own. The library calls for the next bytes in that
 * thread; it waits there for the next event, for the end of the client or of the gateway, and
 * every few seconds for the time to send a comment, which finds a client whose machine is gone.
 */
#include "armrestd/routes.h"

#include "armrestd/rest.h"
#include "client/events.h"
#include "cmd/awatch/event_columns.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>

enum { OLD_MS = 500, QUIET_US = 10000000, BLOCK = 4096 };

struct stream {
	struct rest *rest;
	struct rest_caller who;
	char *token, *queue, *set;
	struct connection *c;
	struct events *events;
	struct buf out;
	size_t sent;
	int client; /* the descriptor of its connection */
	bool sse, follow, over;
	int64_t said_us;
};

static void stream_free(void *arg)
{
	struct stream *s = arg;

	events_free(s->events);
	users_stream_end(s->rest->users, &s->who, s->c);
	if (s->token)
		explicit_bzero(s->token, strlen(s->token));
	free(s->token);
	free(s->queue);
	free(s->set);
	buf_done(&s->out);
	free(s);
}

static void put_event(struct stream *s, const Armada__JobEvent *ev)
{
	const struct event_view v = {ev, s->queue, s->set};
	json_t *json = event_json(&v);
	CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT);

	json_decref(json);
	if (s->sse)
		buf_addf(&s->out, "id: %" PRIu64 "\nevent: job\ndata: %s\n\n", ev->number, text);
	else
		buf_addf(&s->out, "%s\n", text);
}

static int64_t quiet_us(const struct stream *s)
{
	return clock_us(CLOCK_MONOTONIC) - s->said_us;
}

/* Waits until there may be an event, until a comment is due, or for the end. */
static void await(struct stream *s)
{
	struct pollfd fds[] = {
		{events_fd(s->events), POLLIN, 0},
		{s->rest->stop_fd, POLLIN, 0},
		{s->client, POLLRDHUP, 0},
	};
	int64_t left_us = s->follow ? QUIET_US - quiet_us(s) : OLD_MS * INT64_C(1000);

	poll(fds, ARRAY_SIZE(fds), left_us > 0 ? (int)(left_us / 1000 + 1) : 0);
	s->over = s->over || fds[2].revents;
}

/* More bytes in s->out, or the end. */
static void fill(struct stream *s)
{
	const Armada__JobEvent *ev;
	struct err err;
	size_t set;
	int rc = s->rest->stopping ? -ESHUTDOWN : events_next(s->events, 0, &ev, &set, &err);

	if (rc == 0)
		put_event(s, ev);
	else if (rc != -ETIMEDOUT)
		s->over = true;
	else if (!s->follow && events_are_old(s->events, 0))
		s->over = true;
	else if (quiet_us(s) <= QUIET_US)
		await(s);
	else
		buf_addstr(&s->out, s->sse ? ": still here\n\n" : "\n");
	if (rc < 0 && rc != -ETIMEDOUT && rc != -ESHUTDOWN && s->sse)
		buf_addf(&s->out, "event: error\ndata: %s\n\n", err.text);
}

static ssize_t on_more(void *arg, uint64_t pos, char *to, size_t max)
{
	struct stream *s = arg;
	size_t n;

	(void)pos;
	while (s->sent == s->out.len && !s->over) {
		buf_clear(&s->out);
		s->sent = 0;
		fill(s);
	}
	if (s->sent == s->out.len)
		return MHD_CONTENT_READER_END_OF_STREAM;
	n = s->out.len - s->sent < max ? s->out.len - s->sent : max;
	memcpy(to, s->out.data + s->sent, n);
	s->sent += n;
	s->said_us = clock_us(CLOCK_MONOTONIC);
	return (ssize_t)n;
}

/* The number of the first event: Last-Event-ID comes from a client that connects again. */
static int first_number(const struct exchange *x, uint64_t *ret_from, struct err *err)
{
	const char *last = exchange_header(x, "Last-Event-ID");
	int64_t from = 0;
	int rc = exchange_number(x, "from", 0, INT64_MAX, &from, err);

	if (rc == 0 && last) {
		rc = parse_int(last, 0, INT64_MAX - 1, &from, err);
		if (rc < 0)
			return err_prefix(err, -EINVAL, "Last-Event-ID");
		from++;
	}
	*ret_from = (uint64_t)from;
	return rc;
}

static struct stream *stream_new(struct exchange *x, struct connection *c)
{
	const char *accept = exchange_header(x, "Accept");
	struct stream *s = xcalloc(1, sizeof(*s));

	s->rest = x->rest;
	s->token = x->caller.token ? xstrdup(x->caller.token) : NULL;
	s->who = (struct rest_caller){s->token, x->caller.uid};
	s->queue = xstrdup(x->ids[0]);
	s->set = xstrdup(x->ids[1]);
	s->c = c;
	s->client = MHD_get_connection_info(x->http, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	s->events = events_new(c);
	s->sse = !accept || !strstr(accept, "application/x-ndjson");
	s->follow = true;
	s->said_us = clock_us(CLOCK_MONOTONIC);
	return s;
}

int job_set_events(struct exchange *x, struct err *err)
{
	struct events_set set = {.queue = x->ids[0], .job_set = x->ids[1]};
	struct connection *c;
	int64_t follow = 1;
	struct stream *s;
	int rc = first_number(x, &set.from, err);

	if (rc == 0)
		rc = exchange_number(x, "follow", 0, 1, &follow, err);
	if (rc == 0)
		rc = users_stream(x->rest->users, &x->caller, &c, err);
	if (rc < 0)
		return rc;
	s = stream_new(x, c);
	s->follow = follow;
	events_add(s->events, &set);
	rc = events_open(s->events, err);
	if (rc < 0) {
		stream_free(s);
		return rc;
	}
	x->stream =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_more, s, stream_free);
	MHD_add_response_header(x->stream, "Content-Type",
				s->sse ? "text/event-stream" : "application/x-ndjson");
	return 0;
}
