/*
 * Watchers: turns of sending that yield to other events of the loop and do not starve, and a reader that
 * stalls, is dropped with a number, and goes on there. The connections are those of this file: it has
 * the functions of sessions.c that watchers.c calls.
 */
#include "armctld/loop.h"
#include "armctld/watchers.h"
#include "conf/conf.h"
#include "tap/tap.h"
#include "util/clock.h"

#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	WATCHERS = 400,
	SEND_US = 50,        /* what sending a message takes */
	SENDS_IN_A_TURN = 4, /* 100 us, and the last one that begins */
	STALL_US = 2000,
	MUCH = 1 << 20,        /* waiting output of a connection that takes none */
	GIVE_UP_US = 20000000, /* then a test fails */
};

/* What the connections have got. */
static struct {
	size_t messages, replies; /* of all connections */
	size_t since, most; /* messages in this iteration of the loop, and the most there were */
	uint64_t first, next, repeats; /* numbers: of the first event, after the last one */
	char error[200];
	size_t waiting; /* bytes */
	int64_t send_us;
} got;

static void spin(int64_t us)
{
	int64_t end_us = clock_us(CLOCK_MONOTONIC) + us;

	while (clock_us(CLOCK_MONOTONIC) < end_us)
		;
}

static void note_events(const uint8_t *body, size_t len)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	const Armada__JobEvents *m = msg_unpack_own(&armada__job_events__descriptor, body, len, a);

	for (size_t i = 0; m && i < m->n_events; i++) {
		if (!got.first)
			got.first = m->events[i]->number;
		else
			got.repeats += m->events[i]->number != got.next;
		got.next = m->events[i]->number + 1;
	}
}

void sessions_send(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		   const uint8_t *body, size_t len)
{
	(void)s, (void)request;
	if (type != MSG_JOB_EVENTS) {
		got.replies++;
		return;
	}
	got.messages++;
	got.since++;
	if (got.since > got.most)
		got.most = got.since;
	if (conn == 1)
		note_events(body, len);
	spin(got.send_us);
}

void sessions_error(struct sessions *s, uint64_t conn, uint32_t request, int code, const char *text)
{
	(void)s, (void)conn, (void)request;
	snprintf(got.error, sizeof(got.error), "%d %s", code, text);
}

size_t sessions_waiting(struct sessions *s, uint64_t conn)
{
	(void)s, (void)conn;
	return got.waiting;
}

bool sessions_is_open(struct sessions *s, uint64_t conn)
{
	(void)s, (void)conn;
	return true;
}

static const struct conf_limits *limits(void *arg)
{
	static const struct conf_limits l = {.event_memory = 16 << 20};

	(void)arg;
	return &l;
}

static void ask(void *arg, const struct effect *e)
{
	(void)arg, (void)e;
	ok(false, "the history is not asked: all events are in memory");
}

struct world {
	struct event_base *base;
	struct watchers *w;
	uint64_t next; /* the number of the next event */
};

static void begin(struct world *x, int64_t stall_us)
{
	struct watchers_config config = {.stall_us = stall_us, .ask = ask, .limits = limits};

	memset(&got, 0, sizeof(got));
	x->base = event_base_new();
	event_base_priority_init(x->base, LOOP_PRIORITIES);
	config.base = x->base;
	x->w = watchers_new(&config);
	x->next = 1;
}

static void end(struct world *x)
{
	watchers_free(x->w);
	event_base_free(x->base);
}

static void watch(struct world *x, uint64_t conn, uint64_t from)
{
	const struct effect e = {
		.kind = EFFECT_WATCH,
		.conn = conn,
		.request = 1,
		.viewer_admin = true,
		.watch = {.queue = "q", .job_set = "s", .from = from, .next = x->next},
	};

	watchers_add(x->w, &e);
}

static void publish(struct world *x)
{
	const struct armada_history_event ev = {
		.queue = "q", .job_set = "s", .number = x->next++, .job = 1, .kind = 1};
	const struct effect e = {.kind = EFFECT_JOB_EVENTS, .events = &ev, .event_count = 1};

	watchers_publish(x->w, &e);
}

static bool in_time(int64_t begin_us)
{
	return clock_us(CLOCK_MONOTONIC) - begin_us < GIVE_UP_US;
}

/* Another event of the loop, which is due in each of its iterations. */
static void on_other(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	event_add(*(struct event **)arg, &(struct timeval){0, 0});
}

/* Publishes an event to all. Returns the microseconds until they have got it. */
static int64_t send_to_all(bool busy)
{
	struct event *other;
	int64_t begin_us;
	struct world x;

	begin(&x, STALL_US);
	for (uint64_t i = 1; i <= WATCHERS; i++)
		watch(&x, i, 1);
	got.messages = got.most = 0; /* that there are no events yet */
	got.send_us = SEND_US;
	other = event_new(x.base, -1, 0, on_other, &other);
	if (busy)
		event_add(other, &(struct timeval){0, 0});
	publish(&x);
	begin_us = clock_us(CLOCK_MONOTONIC);
	while (got.messages < WATCHERS && in_time(begin_us)) {
		got.since = 0;
		event_base_loop(x.base, EVLOOP_ONCE | (busy ? EVLOOP_NONBLOCK : 0));
	}
	begin_us = clock_us(CLOCK_MONOTONIC) - begin_us;
	event_free(other);
	end(&x);
	return begin_us;
}

static void test_turns(void)
{
	int64_t busy_us;

	send_to_all(false);
	is_int((long long)got.replies, WATCHERS, "each watch is answered");
	is_int((long long)got.messages, WATCHERS, "each watcher gets the event");
	ok(got.most <= SENDS_IN_A_TURN,
	   "the loop looks at other events after at most %d messages (%zu)", SENDS_IN_A_TURN,
	   got.most);

	busy_us = send_to_all(true);
	is_int((long long)got.messages, WATCHERS, "also while it always has other work");
	ok(got.most <= SENDS_IN_A_TURN, "which waits for no more messages (%zu)", got.most);
	ok(busy_us > WATCHERS / SENDS_IN_A_TURN * 3000,
	   "and comes first: the messages have a turn each 4 ms (%" PRId64 " us)", busy_us);
}

static bool watched(const struct world *x)
{
	struct watchers_use use;

	watchers_use(x->w, &use);
	return use.watches > 0;
}

static void run_until(struct world *x, bool (*over)(const struct world *x))
{
	int64_t begin_us = clock_us(CLOCK_MONOTONIC);

	while (!over(x) && in_time(begin_us))
		event_base_loop(x->base, EVLOOP_ONCE);
}

static bool dropped(const struct world *x)
{
	return !watched(x);
}

static bool has_all(const struct world *x)
{
	return got.next >= x->next;
}

static void test_stall(void)
{
	struct world x;

	begin(&x, STALL_US);
	watch(&x, 1, 1);
	publish(&x);
	publish(&x);
	run_until(&x, has_all);
	is_int((long long)got.next, 3, "a reader gets the events");
	got.waiting = MUCH;
	publish(&x);
	publish(&x);
	run_until(&x, dropped);
	ok(!watched(&x), "one that takes no output is dropped");
	is_str(got.error, "75 the events were not read in time: the next one is number 3",
	       "with the number where it can go on");
	is_int((long long)got.next, 3, "and has got no event meanwhile");
	got.waiting = 0;
	watch(&x, 1, 3);
	publish(&x);
	run_until(&x, has_all);
	is_int((long long)got.next, 6, "it goes on there");
	is_int((long long)got.repeats, 0, "without gap or repeat");
	end(&x);
}

/* A reader that is slow for a moment only loses nothing. */
static void test_pause(void)
{
	struct world x;

	begin(&x, GIVE_UP_US);
	watch(&x, 1, 1);
	got.waiting = MUCH;
	publish(&x);
	event_base_loop(x.base, EVLOOP_ONCE);
	got.waiting = 0;
	publish(&x);
	run_until(&x, has_all);
	ok(watched(&x) && !got.error[0] && got.next == 3 && !got.repeats,
	   "a connection that takes output again keeps its watch, and gets all");
	end(&x);
}

int main(void)
{
	test_turns();
	test_stall();
	test_pause();
	return done();
}
