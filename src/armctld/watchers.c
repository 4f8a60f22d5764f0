/*
 * Watchers (watchers.h). Input: published events, requests, pages of the history, closed connections, time.
 * Output: WATCH_REPLY, JOB_EVENTS and ERROR.
 *
 * A watcher is in one of three conditions. FOLLOWS: it is served in the passes over its stream while the
 * stream is dirty. READS: it waits in a queue for a page of the history, or for the answer. WAITS: its
 * connection has much output, and a timer looks at it again. Caveats: a pass has a cursor in the list of the
 * stream's watchers, which a watcher that leaves must move. Numbers of events that a watcher may not see are
 * skipped, but `next` counts them.
 */
#include "armctld/watchers.h"

#include "armctld/event_ring.h"
#include "armctld/loop.h"
#include "core/txn/job_events.h"
#include "util/clock.h"
#include "util/mem.h"

#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	TURN_US = 100,           /* of sending, at a time */
	LATE_US = 4000,          /* a turn waits no longer for a loop that has other work */
	PASS_US = 20000,         /* between the beginnings of two passes */
	TIMER_US = 50000,        /* looks at waiting and at idle watchers */
	IDLE_US = 15000000,      /* then an empty message is sent */
	OUTPUT_MAX = 256 << 10,  /* waiting output of a connection that gets no events */
	MESSAGE_MAX = 256 << 10, /* bytes of events in a message */
	PAGES_AT_ONCE = 8,       /* questions to the history */
	EXIT_REFUSED = 1,
	EXIT_TRY_AGAIN = 75,
};

enum condition { FOLLOWS, READS, WAITS };

/* A user, or a connection, with watches. */
struct counter {
	UT_hash_handle hh;
	uint64_t id; /* of the connection; of a user: the uid */
	uint32_t uid;
	uint64_t count;
	TAILQ_HEAD(, watcher) watchers; /* of a connection */
};

struct watcher {
	TAILQ_ENTRY(watcher) of_stream, of_conn;
	TAILQ_ENTRY(watcher) in_list; /* reading or waiting */
	TAILQ_ENTRY(watcher) by_age;  /* by sent_us */
	struct stream *stream;
	struct counter *conn, *user;
	uint32_t request;
	enum condition condition;
	bool asked; /* a page was asked for, when the next event of the set had this number: */
	uint64_t asked_next;
	bool explicit; /* the client named the number `next`, and has got nothing yet */
	uint64_t next;
	uint64_t told;  /* the `next` of the last message */
	bool caught_up; /* it was told once that it had all events */
	uint64_t *jobs;
	size_t job_count;
	bool own, hides;
	uint32_t uid;
	unsigned looked; /* the last look at it while it waited */
	int64_t sent_us, stalled_us;
};

TAILQ_HEAD(watcher_list, watcher);

struct watchers {
	struct watchers_config config;
	struct event_ring ring;
	TAILQ_HEAD(dirty_list, stream) dirty;
	struct watcher_list reading, waiting, by_age;
	struct counter *conns, *users;
	uint64_t count;
	unsigned pages; /* that were asked for */
	/* a turn runs when the loop has nothing else to do; after a while it is `late` and runs anyway */
	struct event *turn, *late, *timer;
	int64_t pass_us; /* when the present pass began */
	unsigned look;   /* the present look at waiting watchers */
	/* the last message that was made: watchers at one position get the same bytes */
	struct buf message;
	const struct stream *message_of;
	uint64_t message_from, message_next;
};

static int64_t now_us(void)
{
	return clock_us(CLOCK_BOOTTIME);
}

static void schedule(struct watchers *w, int64_t after_us)
{
	struct timeval tv = {.tv_usec = after_us > 0 ? after_us : 0};
	struct timeval late = {.tv_usec = tv.tv_usec + LATE_US};

	if (event_pending(w->turn, EV_TIMEOUT, NULL))
		return;
	event_add(w->turn, &tv);
	event_add(w->late, &late);
}

static void make_dirty(struct watchers *w, struct stream *s)
{
	if (s->dirty) {
		s->grown = true;
		return;
	}
	if (TAILQ_EMPTY(&s->watchers))
		return;
	s->dirty = true;
	s->grown = false;
	s->cursor = TAILQ_FIRST(&s->watchers);
	TAILQ_INSERT_TAIL(&w->dirty, s, dirty_entry);
	schedule(w, w->pass_us + PASS_US - now_us());
}

static void make_clean(struct watchers *w, struct stream *s)
{
	if (s->dirty)
		TAILQ_REMOVE(&w->dirty, s, dirty_entry);
	s->dirty = s->grown = false;
	s->cursor = NULL;
}

/* ---- who watches ---- */

static struct counter *counter_find(struct counter *map, uint64_t id)
{
	struct counter *c;

	HASH_FIND(hh, map, &id, sizeof(id), c);
	return c;
}

static struct counter *counter_obtain(struct counter **map, uint64_t id, uint32_t uid)
{
	struct counter *c = counter_find(*map, id);

	if (!c) {
		c = xcalloc(1, sizeof(*c));
		c->id = id;
		c->uid = uid;
		TAILQ_INIT(&c->watchers);
		HASH_ADD(hh, *map, id, sizeof(c->id), c);
	}
	c->count++;
	return c;
}

static void counter_drop(struct counter **map, struct counter *c)
{
	if (--c->count)
		return;
	HASH_DEL(*map, c);
	free(c);
}

static void set_condition(struct watchers *w, struct watcher *x, enum condition to)
{
	if (x->condition == READS && !x->asked)
		TAILQ_REMOVE(&w->reading, x, in_list);
	else if (x->condition == WAITS)
		TAILQ_REMOVE(&w->waiting, x, in_list);
	x->condition = to;
	x->asked = false;
	if (to == READS)
		TAILQ_INSERT_TAIL(&w->reading, x, in_list);
	else if (to == WAITS)
		TAILQ_INSERT_TAIL(&w->waiting, x, in_list);
	x->looked = w->look;
}

static void drop(struct watchers *w, struct watcher *x)
{
	struct stream *s = x->stream;

	set_condition(w, x, FOLLOWS);
	if (s->cursor == x)
		s->cursor = TAILQ_NEXT(x, of_stream);
	TAILQ_REMOVE(&s->watchers, x, of_stream);
	TAILQ_REMOVE(&w->by_age, x, by_age);
	TAILQ_REMOVE(&x->conn->watchers, x, of_conn);
	counter_drop(&w->conns, x->conn);
	counter_drop(&w->users, x->user);
	if (--w->count == 0)
		event_del(w->timer);
	if (TAILQ_EMPTY(&s->watchers)) {
		make_clean(w, s);
		if (w->message_of == s)
			w->message_of = NULL;
		event_ring_release(&w->ring, s);
	}
	free(x->jobs);
	free(x);
}

static void drop_with(struct watchers *w, struct watcher *x, int code, const char *text)
{
	sessions_error(w->config.sessions, x->conn->id, x->request, code, text);
	drop(w, x);
}

/* ---- messages ---- */

static void send_events(struct watchers *w, struct watcher *x, const struct buf *body)
{
	x->sent_us = now_us();
	x->stalled_us = 0;
	x->told = x->next;
	TAILQ_REMOVE(&w->by_age, x, by_age);
	TAILQ_INSERT_TAIL(&w->by_age, x, by_age);
	sessions_send(w->config.sessions, x->conn->id, MSG_JOB_EVENTS, x->request, body->data,
		      body->len);
}

/* The number to resume at, at the end of a message. */
static void add_next(struct buf *body, uint64_t next)
{
	Armada__JobEvents m = ARMADA__JOB_EVENTS__INIT;

	m.next = next;
	msg_pack(&m, body);
}

static bool wants(const struct watcher *x, uint64_t job, uint32_t uid)
{
	if (x->own && uid != x->uid)
		return false;
	for (size_t i = 0; i < x->job_count; i++)
		if (x->jobs[i] == job)
			return true;
	return !x->job_count;
}

static void add_hidden(const struct ring_event *e, struct buf *body)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	Armada__JobEvents *m = msg_unpack_own(&armada__job_events__descriptor, e->bytes, e->len, a);

	if (!m || m->n_events != 1)
		return;
	job_event_hide(m->events[0], a);
	m->next = 0;
	msg_pack(m, body);
}

/* Events of the ring from x->next on. Returns the number after the last one. */
static uint64_t collect(const struct watcher *x, struct buf *body)
{
	const struct ring_event *e;
	uint64_t next = x->next;

	for (; body->len < MESSAGE_MAX && (e = event_ring_at(x->stream, next)); next++) {
		if (!wants(x, e->job, e->uid))
			continue;
		if (x->hides)
			add_hidden(e, body);
		else
			buf_add(body, e->bytes, e->len);
	}
	return next;
}

static void send_recent(struct watchers *w, struct watcher *x)
{
	bool plain = !x->job_count && !x->own && !x->hides;
	uint64_t next;

	if (plain && w->message_of == x->stream && w->message_from == x->next) {
		x->next = w->message_next;
		send_events(w, x, &w->message);
		return;
	}
	buf_clear(&w->message);
	w->message_of = NULL;
	next = collect(x, &w->message);
	if (!w->message.len) { /* nothing for this one; the idle message says how far it is */
		x->next = next;
		return;
	}
	add_next(&w->message, next);
	if (plain) {
		w->message_of = x->stream;
		w->message_from = x->next;
		w->message_next = next;
	}
	x->next = next;
	send_events(w, x, &w->message);
}

/* True if the connection takes no more now. After a while the watcher is dropped: *ret_gone. */
static bool is_stalled(struct watchers *w, struct watcher *x, bool *ret_gone)
{
	char text[160];

	*ret_gone = false;
	if (sessions_waiting(w->config.sessions, x->conn->id) <= OUTPUT_MAX)
		return false;
	if (!x->stalled_us)
		x->stalled_us = now_us();
	if (now_us() - x->stalled_us > w->config.stall_us) {
		snprintf(text, sizeof(text),
			 "the events were not read in time: the next one is number %" PRIu64,
			 x->next);
		drop_with(w, x, EXIT_TRY_AGAIN, text);
		*ret_gone = true;
	}
	return true;
}

static void ask_pages(struct watchers *w)
{
	while (w->pages < PAGES_AT_ONCE && !TAILQ_EMPTY(&w->reading)) {
		struct watcher *x = TAILQ_FIRST(&w->reading);
		struct effect e = {.kind = EFFECT_WATCH,
				   .conn = x->conn->id,
				   .request = x->request,
				   .watch = {.queue = x->stream->queue,
					     .job_set = x->stream->job_set,
					     .from = x->next,
					     .jobs = x->jobs,
					     .job_count = x->job_count,
					     .own = x->own,
					     .hides = x->hides,
					     .uid = x->uid}};

		TAILQ_REMOVE(&w->reading, x, in_list);
		x->asked = true;
		x->asked_next = x->stream->next;
		w->pages++;
		w->config.ask(w->config.arg, &e); /* may answer at once */
	}
}

static void send_next(struct watchers *w, struct watcher *x)
{
	CLEANUP_BUF struct buf body = {0};

	add_next(&body, x->next);
	send_events(w, x, &body);
}

/* A client that counts wants to know when it has got all events that there were, also if none was for it. */
static void note_caught_up(struct watchers *w, struct watcher *x)
{
	if (x->caught_up)
		return;
	x->caught_up = true;
	if (x->told < x->next)
		send_next(w, x);
}

/* Send what there is, or arrange for it. The watcher may be gone afterwards. */
static void serve(struct watchers *w, struct watcher *x)
{
	struct stream *s = x->stream;
	bool gone;

	if (x->condition == READS)
		return;
	if (x->next >= s->next) {
		note_caught_up(w, x);
		return;
	}
	if (is_stalled(w, x, &gone)) {
		if (!gone && x->condition != WAITS)
			set_condition(w, x, WAITS);
		return;
	}
	if (x->next < s->first || !s->count) {
		set_condition(w, x, READS);
		return;
	}
	if (x->condition != FOLLOWS)
		set_condition(w, x, FOLLOWS);
	x->explicit = false;
	send_recent(w, x);
	if (x->next < s->next)
		make_dirty(w, s);
	else
		note_caught_up(w, x);
}

/* The pass over the first dirty stream has ended. */
static void end_pass(struct watchers *w, struct stream *s)
{
	bool again = s->grown;

	make_clean(w, s);
	if (again)
		make_dirty(w, s);
}

/* Serves dirty streams in turn. False: the time is over. */
static bool serve_dirty(struct watchers *w, int64_t until_us)
{
	struct stream *s, *last = TAILQ_LAST(&w->dirty, dirty_list);

	while ((s = TAILQ_FIRST(&w->dirty))) {
		struct watcher *x = s->cursor;

		if (!x) {
			end_pass(w, s);
			if (s == last)
				break;
			continue;
		}
		s->cursor = TAILQ_NEXT(x, of_stream);
		serve(w, x);
		if (now_us() > until_us)
			return false;
	}
	return true;
}

/* Looks at each waiting watcher once after each tick of the timer. False: the time is over. */
static bool serve_waiting(struct watchers *w, int64_t until_us)
{
	struct watcher *x;

	while ((x = TAILQ_FIRST(&w->waiting)) && x->looked != w->look) {
		if (now_us() > until_us)
			return false;
		x->looked = w->look;
		TAILQ_REMOVE(&w->waiting, x, in_list);
		TAILQ_INSERT_TAIL(&w->waiting, x, in_list);
		serve(w, x);
	}
	return true;
}

static bool send_idle(struct watchers *w, int64_t until_us)
{
	struct watcher *x;

	while ((x = TAILQ_FIRST(&w->by_age)) && x->sent_us + IDLE_US < now_us()) {
		if (now_us() > until_us)
			return false;
		send_next(w, x);
	}
	return true;
}

static void on_turn(evutil_socket_t fd, short what, void *arg)
{
	struct watchers *w = arg;
	int64_t begin_us = now_us(), until_us = begin_us + TURN_US;
	bool all;

	(void)fd, (void)what;
	event_del(w->turn);
	event_del(w->late);
	if (begin_us - w->pass_us >= PASS_US)
		w->pass_us = begin_us;
	all = serve_dirty(w, until_us) && serve_waiting(w, until_us) && send_idle(w, until_us);
	ask_pages(w);
	if (!all)
		schedule(w, 0);
	else if (!TAILQ_EMPTY(&w->dirty))
		schedule(w, w->pass_us + PASS_US - now_us());
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	const struct watcher *oldest;
	struct watchers *w = arg;

	(void)fd, (void)what;
	w->look++;
	oldest = TAILQ_FIRST(&w->by_age);
	if (!TAILQ_EMPTY(&w->waiting) || (oldest && oldest->sent_us + IDLE_US < now_us()))
		schedule(w, 0);
}

/* ---- requests ---- */

static bool is_over(uint64_t count, int64_t bound)
{
	return bound && count >= (uint64_t)bound;
}

/* NULL: there is room for one more. */
static const char *find_bound(struct watchers *w, const struct effect *e)
{
	const struct conf_limits *l = w->config.limits(w->config.arg);
	const struct counter *conn = counter_find(w->conns, e->conn);
	const struct counter *user = counter_find(w->users, e->viewer_uid);
	int64_t kept = e->viewer_admin ? 0 : l->watches / 50;

	if (is_over(conn ? conn->count : 0, l->watches_per_conn))
		return "this connection watches as many job sets as limits.watches_per_connection "
		       "allows";
	if (is_over(user ? user->count : 0, l->watches_per_user))
		return "this user watches as many job sets as limits.watches_per_user allows";
	if (is_over(w->count, l->watches - kept))
		return "all users together watch as many job sets as limits.watches allows: try "
		       "again later";
	return NULL;
}

static void answer(struct watchers *w, const struct effect *e)
{
	Armada__WatchReply reply = ARMADA__WATCH_REPLY__INIT;
	CLEANUP_BUF struct buf body = {0};

	reply.queue = (char *)e->watch.queue;
	reply.next = e->watch.next;
	reply.waiting = e->watch.waiting;
	reply.active = e->watch.active;
	reply.counted = e->watch.counted;
	msg_pack(&reply, &body);
	sessions_send(w->config.sessions, e->conn, MSG_WATCH_REPLY, e->request, body.data,
		      body.len);
}

static struct watcher *find(struct watchers *w, uint64_t conn, uint32_t request)
{
	struct counter *c = counter_find(w->conns, conn);
	struct watcher *x;

	if (!c)
		return NULL;
	TAILQ_FOREACH (x, &c->watchers, of_conn)
		if (x->request == request)
			return x;
	return NULL;
}

void watchers_add(struct watchers *w, const struct effect *e)
{
	const struct watch_ask *a = &e->watch;
	const char *bound = find_bound(w, e);
	struct watcher *x;

	if (bound || find(w, e->conn, e->request)) {
		sessions_error(w->config.sessions, e->conn, e->request,
			       bound ? EXIT_TRY_AGAIN : EXIT_REFUSED,
			       bound ? bound : "this request number is in use");
		return;
	}
	if (!sessions_is_open(w->config.sessions, e->conn))
		return;
	answer(w, e);
	x = xcalloc(1, sizeof(*x));
	x->conn = counter_obtain(&w->conns, e->conn, e->viewer_uid);
	x->user = counter_obtain(&w->users, e->viewer_uid, e->viewer_uid);
	x->stream = event_ring_obtain(&w->ring, a->queue, a->job_set, a->next);
	x->request = e->request;
	x->explicit = a->from > 0;
	x->next = a->from;
	x->jobs = a->job_count ? xmemdup(a->jobs, a->job_count * sizeof(*a->jobs)) : NULL;
	x->job_count = a->job_count;
	x->own = a->own;
	x->hides = a->hides;
	x->uid = a->uid;
	x->sent_us = now_us();
	TAILQ_INSERT_TAIL(&x->stream->watchers, x, of_stream);
	TAILQ_INSERT_TAIL(&x->conn->watchers, x, of_conn);
	TAILQ_INSERT_TAIL(&w->by_age, x, by_age);
	if (w->count++ == 0)
		event_add(w->timer, &(struct timeval){.tv_usec = TIMER_US});
	serve(w, x);
	ask_pages(w);
}

/* The events before the page are not kept: this is an error if the client named one of them. */
static bool is_too_old(struct watchers *w, struct watcher *x, const struct history_answer *page)
{
	const struct stream *s = x->stream;
	uint64_t first = page->first ? page->first : s->first;
	char text[200];

	if (!x->explicit || x->next >= first)
		return false;
	if (first < s->next)
		snprintf(text, sizeof(text),
			 "event %" PRIu64 " is no longer kept: there are %" PRIu64 " to %" PRIu64,
			 x->next, first, s->next - 1);
	else
		snprintf(text, sizeof(text),
			 "event %" PRIu64 " is no longer kept: the next one is %" PRIu64, x->next,
			 s->next);
	drop_with(w, x, EXIT_REFUSED, text);
	return true;
}

static void send_page(struct watchers *w, struct watcher *x, const struct history_answer *page)
{
	CLEANUP_BUF struct buf body = {0};

	if (page->next <= x->next) { /* what was published before the question does not exist */
		x->next = x->asked_next;
		return;
	}
	x->next = page->next;
	x->explicit = false;
	if (!page->body.len)
		return;
	buf_add(&body, page->body.data, page->body.len);
	add_next(&body, x->next);
	send_events(w, x, &body);
}

void watchers_page(struct watchers *w, const struct effect *e, const struct history_answer *page)
{
	struct watcher *x = find(w, e->conn, e->request);

	w->pages--;
	if (x && x->condition == READS && x->asked) {
		x->condition = FOLLOWS;
		x->asked = false;
		if (page->type == MSG_ERROR) {
			sessions_send(w->config.sessions, e->conn, MSG_ERROR, e->request,
				      page->body.data, page->body.len);
			drop(w, x);
		} else if (!is_too_old(w, x, page)) {
			send_page(w, x, page);
			serve(w, x);
		}
	}
	if (w->pages < PAGES_AT_ONCE)
		schedule(w,
			 0); /* asks for more; not here, where a question may be answered at once */
}

void watchers_publish(struct watchers *w, const struct effect *e)
{
	size_t most = (size_t)w->config.limits(w->config.arg)->event_memory;

	for (size_t i = 0; i < e->event_count; i++) {
		struct stream *s = event_ring_add(&w->ring, &e->events[i], most);

		make_dirty(w, s);
	}
}

void watchers_closed(struct watchers *w, uint64_t conn)
{
	struct counter *c = counter_find(w->conns, conn);

	for (uint64_t left = c ? c->count : 0; left; left--)
		drop(w, TAILQ_FIRST(&c->watchers));
}

void watchers_use(const struct watchers *w, struct watchers_use *ret)
{
	*ret = (struct watchers_use){.watches = w->count, .bytes = w->ring.bytes};
}

void watchers_each(const struct watchers *w,
		   void (*on_user)(void *arg, bool conn, const struct limit_user *u), void *arg)
{
	for (const struct counter *c = w->conns; c; c = c->hh.next) {
		const struct limit_user u = {NULL, c->uid, c->count};

		on_user(arg, true, &u);
	}
	for (const struct counter *c = w->users; c; c = c->hh.next) {
		const struct limit_user u = {NULL, c->uid, c->count};

		on_user(arg, false, &u);
	}
}

struct watchers *watchers_new(const struct watchers_config *config)
{
	struct watchers *w = xcalloc(1, sizeof(*w));

	w->config = *config;
	event_ring_init(&w->ring);
	TAILQ_INIT(&w->dirty);
	TAILQ_INIT(&w->reading);
	TAILQ_INIT(&w->waiting);
	TAILQ_INIT(&w->by_age);
	w->turn = evtimer_new(config->base, on_turn, w);
	w->late = evtimer_new(config->base, on_turn, w);
	event_priority_set(w->turn, LOOP_WHEN_IDLE);
	w->timer = event_new(config->base, -1, EV_PERSIST, on_timer, w);
	return w;
}

void watchers_free(struct watchers *w)
{
	if (!w)
		return;
	while (!TAILQ_EMPTY(&w->by_age))
		drop(w, TAILQ_FIRST(&w->by_age));
	event_free(w->turn);
	event_free(w->late);
	event_free(w->timer);
	event_ring_done(&w->ring);
	buf_done(&w->message);
	free(w);
}
