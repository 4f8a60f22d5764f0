/*
 * The event stream of a job set: server-sent events, or a line of JSON for each event.
 *
 * A stream has a thread and a connection of its own. The library calls for the next bytes in that
 * thread; it waits there for the next event, for the end of the client or of the gateway, and
 * every few seconds for the time to send a comment, which finds a client whose machine is gone.
 *
 * Labels select jobs as in awatch --label: only the event "submitted" names the labels of a job, so
 * all events are read from the first on, and those before the wanted number are not sent.
 */
#include "armrestd/routes.h"

#include "armrestd/event_text.h"
#include "armrestd/rest.h"
#include "client/events.h"
#include "client/filter.h"
#include "cmd/awatch/label_jobs.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
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
	struct filter filter; /* its labels */
	struct label_jobs labelled;
	uint64_t first; /* the number of the first event that is sent */
	struct buf out;
	size_t sent;
	int client; /* the descriptor of its connection */
	enum event_text form;
	bool follow, over;
	int64_t said_us;
};

static void stream_free(void *arg)
{
	struct stream *s = arg;

	events_free(s->events);
	label_jobs_done(&s->labelled);
	filter_done(&s->filter);
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

	if (s->filter.message.n_labels && !label_jobs_take(&s->labelled, ev))
		return;
	if (ev->number >= s->first)
		event_text_add(&s->out, s->form, &v);
}

static int64_t quiet_us(const struct stream *s)
{
	return clock_us(CLOCK_MONOTONIC) - s->said_us;
}

/* Waits until there may be an event, until a comment is due, or for the end. */
static void await(struct stream *s)
{
	int64_t due_ms;
	struct pollfd fds[] = {
		{events_socket(s->events, &due_ms), POLLIN, 0},
		{s->rest->stop_fd, POLLIN, 0},
		{s->client, POLLRDHUP, 0},
	};
	int64_t left_ms = s->follow ? (QUIET_US - quiet_us(s)) / 1000 + 1 : OLD_MS;

	if (left_ms > due_ms)
		left_ms = due_ms;
	poll(fds, ARRAY_SIZE(fds), left_ms > 0 ? (int)left_ms : 0);
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
	if (rc < 0 && rc != -ETIMEDOUT && rc != -ESHUTDOWN)
		event_text_error(&s->out, s->form, err.text);
	/* also beside events of other jobs, which are not sent */
	if (!s->over && !s->out.len && quiet_us(s) > QUIET_US)
		event_text_idle(&s->out, s->form);
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

	*ret_from = (uint64_t)from;
	return rc == 0 && last ? event_text_after(last, ret_from, err) : rc;
}

static int read_labels(const struct exchange *x, struct filter *f, struct err *err)
{
	const char *text = exchange_query(x, "label");
	int rc = text ? filter_add(f, FILTER_LABELS, text, err) : 0;

	return rc < 0 ? err_prefix(err, -EINVAL, "label") : 0;
}

static struct stream *stream_new(struct exchange *x, struct connection *c, struct filter *labels)
{
	struct stream *s = xcalloc(1, sizeof(*s));

	s->rest = x->rest;
	s->token = x->caller.token ? xstrdup(x->caller.token) : NULL;
	s->who = (struct rest_caller){s->token, x->caller.uid};
	s->queue = xstrdup(x->ids[0]);
	s->set = xstrdup(x->ids[1]);
	s->c = c;
	s->client = MHD_get_connection_info(x->http, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	s->events = events_new(c);
	s->filter = *labels;
	filter_init(labels);
	s->labelled.filter = &s->filter.message;
	s->form = event_text_of(exchange_header(x, "Accept"));
	s->follow = true;
	s->said_us = clock_us(CLOCK_MONOTONIC);
	return s;
}

/* The request of a stream, from the path and the query. */
static int read_request(struct exchange *x, struct filter *labels, uint64_t *ret_first,
			bool *ret_follow, struct err *err)
{
	int64_t follow = 1;
	int rc = first_number(x, ret_first, err);

	if (rc == 0)
		rc = exchange_number(x, "follow", 0, 1, &follow, err);
	*ret_follow = follow;
	return rc == 0 ? read_labels(x, labels, err) : rc;
}

int job_set_events(struct exchange *x, struct err *err)
{
	struct events_set set = {.queue = x->ids[0], .job_set = x->ids[1]};
	struct connection *c;
	struct filter labels;
	struct stream *s;
	uint64_t first;
	bool follow;
	int rc;

	filter_init(&labels);
	rc = read_request(x, &labels, &first, &follow, err);
	if (rc == 0)
		rc = users_stream(x->rest->users, &x->caller, &c, err);
	if (rc < 0) {
		filter_done(&labels);
		return rc;
	}
	s = stream_new(x, c, &labels);
	s->first = first;
	s->follow = follow;
	set.from = s->filter.message.n_labels ? 0 : first;
	events_add(s->events, &set);
	rc = events_open(s->events, err);
	if (rc < 0) {
		stream_free(s);
		return rc;
	}
	x->stream =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_more, s, stream_free);
	MHD_add_response_header(x->stream, "Content-Type", event_text_type(s->form));
	return 0;
}
