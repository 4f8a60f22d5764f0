/*
 * One notify target (notify_feed.h). Input: the ends of the history after its position. Output: deliveries,
 * and the position, which moves only after the target has accepted an end.
 *
 * The thread looks for new ends once a second: a look without new ends reads one index entry. A failed
 * delivery is repeated after a pause that doubles up to PAUSE_MAX_S. The log has the first error of a row
 * of failures and the success that ends it.
 */
#define LOG_AREA LOG_AREA_NOTIFY
#include "armctld/notify_feed.h"

#include "armctld/notify_cursor.h"
#include "util/arena.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 64, LOOK_S = 1, PAUSE_MAX_S = 300 };

struct page_end {
	struct armada_history_place place;
	const void *data;
	size_t len;
};

struct page {
	struct arena *arena;
	struct page_end ends[PAGE];
	size_t count;
};

struct notify_feed {
	struct notify_feed_config config;
	struct notify_target target;
	struct notify_cursor cursor;
	struct notify_helper helper;
	struct page page;
	unsigned pause_s;
	pthread_t thread;
	bool running;

	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t wake;
	bool stopping;
	struct notify_status status;
};

/* True: go on; false: the controller stops. */
static bool pause_for(struct notify_feed *f, unsigned seconds)
{
	struct timespec until;
	bool goes_on;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&f->lock);
	while (!f->stopping &&
	       pthread_cond_clockwait(&f->wake, &f->lock, CLOCK_MONOTONIC, &until) == 0)
		;
	goes_on = !f->stopping;
	pthread_mutex_unlock(&f->lock);
	return goes_on;
}

static void note_error(struct notify_feed *f, const char *text)
{
	bool first;

	pthread_mutex_lock(&f->lock);
	first = !f->status.since_us;
	if (first)
		f->status.since_us = clock_us(CLOCK_REALTIME);
	snprintf(f->status.error, sizeof(f->status.error), "%s", text);
	pthread_mutex_unlock(&f->lock);
	if (first)
		log_error("notify %s: %s; it is tried again until it works (actl show notify)",
			  f->target.name, text);
}

static void note_works(struct notify_feed *f, bool accepted)
{
	bool failed;

	pthread_mutex_lock(&f->lock);
	failed = f->status.since_us != 0;
	f->status.since_us = 0;
	f->status.error[0] = '\0';
	f->status.place = f->cursor.place;
	f->status.accepted += accepted;
	if (f->status.behind)
		f->status.behind--;
	pthread_mutex_unlock(&f->lock);
	f->pause_s = 0;
	if (failed)
		log_notice("notify %s: it works again", f->target.name);
}

static int on_end(void *arg, const struct armada_history_place *place, const void *data, size_t len)
{
	struct page *p = arg;

	p->ends[p->count++] = (struct page_end){*place, arena_memdup(p->arena, data, len), len};
	return 0;
}

static bool read_page(struct notify_feed *f)
{
	struct armada_error error = {""};
	uint64_t behind = 0;
	int rc;

	arena_clear(f->page.arena);
	f->page.count = 0;
	rc = f->config.state->ends_find(f->config.handle, &f->cursor.place, f->target.which, PAGE,
					on_end, &f->page, &behind, &error);
	if (rc < 0)
		note_error(f, error.text);
	pthread_mutex_lock(&f->lock);
	f->status.behind = behind;
	pthread_mutex_unlock(&f->lock);
	return rc >= 0 && f->page.count;
}

/* How many ends wait while a delivery fails. */
static void count_behind(struct notify_feed *f)
{
	struct armada_error error = {""};
	uint64_t behind = 0;

	if (f->config.state->ends_find(f->config.handle, &f->cursor.place, f->target.which, 0,
				       on_end, &f->page, &behind, &error) < 0)
		return;
	pthread_mutex_lock(&f->lock);
	f->status.behind = behind;
	pthread_mutex_unlock(&f->lock);
}

static int try_once(struct notify_feed *f, const struct armada_notify_end *end, struct err *err)
{
	const struct notify_helper_args args = {f->config.plugin_dir, f->target.plugin,
						f->target.name, f->target.target};
	int timeout_ms = (int)(f->target.timeout_us / 1000), rc = 0;

	if (!f->helper.pid)
		rc = notify_helper_start(&f->helper, &args, timeout_ms, err);
	return rc < 0 ? rc : notify_helper_deliver(&f->helper, end, timeout_ms, err);
}

/* False: the controller stops. */
static bool deliver(struct notify_feed *f, const struct page_end *e)
{
	struct armada_notify_end end = {0};
	struct err err;
	bool wanted = f->target.make(&e->place, e->data, e->len, f->page.arena, &end);

	while (wanted && try_once(f, &end, &err) < 0) {
		note_error(f, err.text);
		count_behind(f);
		f->pause_s = f->pause_s ? f->pause_s * 2 : 1;
		if (f->pause_s > PAUSE_MAX_S)
			f->pause_s = PAUSE_MAX_S;
		if (!pause_for(f, f->pause_s))
			return false;
	}
	notify_cursor_write(&f->cursor, &e->place);
	note_works(f, wanted);
	return pause_for(f, 0);
}

static void *run(void *arg)
{
	struct notify_feed *f = arg;

	for (;;) {
		bool some = read_page(f), goes_on = true;

		for (size_t i = 0; i < f->page.count && goes_on; i++)
			goes_on = deliver(f, &f->page.ends[i]);
		if (some)
			notify_cursor_sync(&f->cursor);
		if (!goes_on || !pause_for(f, some ? 0 : LOOK_S))
			break;
	}
	notify_helper_stop(&f->helper);
	return NULL;
}

static int open_cursor(struct notify_feed *f, struct err *err)
{
	const struct armada_history_place now = {.seq = f->config.seq,
						 .job = INT64_MAX,
						 .first_element = UINT32_MAX,
						 .attempt = UINT32_MAX};
	bool damaged;
	int rc = notify_cursor_open(&f->cursor, f->config.state_dir, f->target.name, &now, &damaged,
				    err);

	if (rc < 0 || !damaged)
		return rc;
	if (!f->target.from_now)
		notify_cursor_write(&f->cursor, &(struct armada_history_place){0});
	log_error(
		"notify %s: its position was damaged, and set aside as notify-%s.damaged: it gets %s",
		f->target.name, f->target.name,
		f->target.from_now ? "the ends from now on" : "all ends of the history again");
	return 0;
}

int notify_feed_new(struct notify_feed **ret_feed, const struct notify_feed_config *config,
		    const struct notify_target *target, struct err *err)
{
	struct notify_feed *f = xcalloc(1, sizeof(*f));
	int rc;

	f->config = *config;
	f->target = *target;
	f->helper.fd = f->cursor.fd = -1;
	f->page.arena = arena_new(0);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->wake, NULL);
	rc = open_cursor(f, err);
	f->status.place = f->cursor.place;
	if (rc == 0) {
		if (pthread_create(&f->thread, NULL, run, f))
			abort();
		f->running = true;
		*ret_feed = f;
		return 0;
	}
	notify_feed_free(f);
	return err_prefix(err, rc, "notify %s", target->name);
}

void notify_feed_free(struct notify_feed *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->stopping = true;
	pthread_cond_broadcast(&f->wake);
	pthread_mutex_unlock(&f->lock);
	if (f->running)
		pthread_join(f->thread, NULL);
	notify_cursor_close(&f->cursor);
	arena_free(f->page.arena);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

const struct notify_target *notify_feed_target(const struct notify_feed *f)
{
	return &f->target;
}

void notify_feed_status(struct notify_feed *f, struct notify_status *ret_status)
{
	pthread_mutex_lock(&f->lock);
	*ret_status = f->status;
	pthread_mutex_unlock(&f->lock);
}
