/*
 * Follows job events (events.h). Input: WATCH_REPLY, JOB_EVENTS and ERROR of a connection. Output: one event
 * at a time. The request number of a set is its index plus 1. The descriptor is an epoll of the socket and of
 * a timer: the timer is for the next attempt to connect, and for a controller that is silent. Caveat:
 * connecting blocks, for seconds if no controller answers.
 */
#include "client/events.h"

#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SILENCE_MS = 60000, RETRY_MS = 500, RETRY_MAX_MS = 10000 };

struct followed {
	struct events_set set; /* owns its strings and jobs */
	uint64_t first;        /* the next number of the set when it was opened */
	uint64_t waiting, active;
	bool opened, counted;
};

struct events {
	struct connection *c;
	struct followed *sets;
	size_t count, cap;
	bool by_jobs;
	bool lost;
	struct err why;
	int64_t heard_ms, retry_ms; /* of the next attempt */
	int pause_ms;
	int poll_fd, timer_fd; /* -1: nobody has asked for the descriptor */
	struct arena *arena;   /* of message */
	const Armada__JobEvents *message;
	size_t at, set; /* in the message; its set */
};

struct events *events_new(struct connection *c)
{
	struct events *e = xcalloc(1, sizeof(*e));

	e->c = c;
	e->arena = arena_new(0);
	e->poll_fd = e->timer_fd = -1;
	return e;
}

void events_free(struct events *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->count; i++) {
		free((char *)e->sets[i].set.queue);
		free((char *)e->sets[i].set.job_set);
		free((uint64_t *)e->sets[i].set.jobs);
	}
	free(e->sets);
	arena_free(e->arena);
	if (e->poll_fd >= 0) {
		close(e->poll_fd);
		close(e->timer_fd);
	}
	free(e);
}

size_t events_add(struct events *e, const struct events_set *set)
{
	struct events_set *to;

	GROW(e->sets, e->cap, e->count + 1);
	e->sets[e->count] = (struct followed){.set = *set};
	to = &e->sets[e->count].set;
	to->queue = xstrdup(set->queue);
	to->job_set = xstrdup(set->job_set);
	to->jobs = set->job_count ? xmemdup(set->jobs, set->job_count * sizeof(*set->jobs)) : NULL;
	return e->count++;
}

/* The set of this queue and name that has room for another job; NULL: none. */
static struct followed *find_set(struct events *e, const char *queue, const char *job_set)
{
	enum { JOBS = 1000 }; /* in a request */

	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->sets[i].set.queue, queue) == 0 &&
		    strcmp(e->sets[i].set.job_set, job_set) == 0 && !e->sets[i].opened &&
		    e->sets[i].set.job_count < JOBS)
			return &e->sets[i];
	return NULL;
}

static void add_job(struct events *e, const char *queue, const char *job_set, uint64_t job)
{
	struct followed *f = find_set(e, queue, job_set);
	uint64_t *jobs;

	if (!f) {
		events_add(e, &(struct events_set){.queue = queue,
						   .job_set = job_set,
						   .jobs = &job,
						   .job_count = 1});
		return;
	}
	jobs = xreallocarray((uint64_t *)f->set.jobs, f->set.job_count + 1, sizeof(*jobs));
	jobs[f->set.job_count++] = job;
	f->set.jobs = jobs;
}

int events_add_jobs(struct events *e, const uint64_t *jobs, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		CLEANUP_ARENA struct arena *arena = arena_new(0);
		Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
		const Armada__ShowJobReply *reply;
		int rc;

		q.job = jobs[i];
		rc = connection_ask(e->c, MSG_SHOW_JOB, &q, MSG_SHOW_JOB_REPLY, arena, 0, &reply,
				    err);
		if (rc < 0)
			return rc;
		add_job(e, reply->spec->queue, reply->spec->job_set, jobs[i]);
	}
	e->by_jobs = true;
	return 0;
}

/* ---- the descriptor ---- */

/* When events_next has something to do, also if nothing arrives. */
static int64_t due_ms(const struct events *e)
{
	return e->lost ? e->retry_ms : e->heard_ms + SILENCE_MS;
}

static void set_timer(struct events *e)
{
	int64_t at_ms = due_ms(e);
	struct itimerspec t = {
		.it_value = {.tv_sec = at_ms / 1000, .tv_nsec = at_ms % 1000 * 1000000}};

	if (e->timer_fd < 0)
		return;
	timerfd_settime(e->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

/* A closed socket has left the poll by itself. */
static void note_socket(struct events *e)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int fd = connection_fd(e->c);

	if (e->poll_fd < 0)
		return;
	if (fd >= 0)
		epoll_ctl(e->poll_fd, EPOLL_CTL_ADD, fd, &ev); /* it may be there already */
	set_timer(e);
}

static void lose(struct events *e, const struct err *why)
{
	connection_close(e->c);
	e->lost = true;
	e->why = *why;
	e->retry_ms = steady_ms() + e->pause_ms;
	e->pause_ms = e->pause_ms ? e->pause_ms * 2 : RETRY_MS;
	if (e->pause_ms > RETRY_MAX_MS)
		e->pause_ms = RETRY_MAX_MS;
	note_socket(e);
}

/* ---- requests ---- */

static int ask(struct events *e, size_t i, struct err *err)
{
	const struct events_set *s = &e->sets[i].set;
	Armada__WatchRequest q = ARMADA__WATCH_REQUEST__INIT;

	q.queue = (char *)s->queue;
	q.job_set = (char *)s->job_set;
	q.from = s->from;
	q.new_only = s->new_only;
	q.jobs = (uint64_t *)s->jobs;
	q.n_jobs = s->job_count;
	q.has_uid = s->has_uid;
	q.uid = s->uid;
	return connection_send(e->c, MSG_WATCH, (uint32_t)i + 1, &q, err);
}

static void note_reply(struct followed *f, const Armada__WatchReply *m)
{
	if (f->opened)
		return;
	f->opened = true;
	free((char *)f->set.queue);
	f->set.queue = xstrdup(m->queue);
	f->first = m->next;
	f->waiting = m->waiting;
	f->active = m->active;
	f->counted = m->counted;
	if (f->set.new_only)
		f->set.from = m->next;
	f->set.new_only = false;
}

static void note_events(struct events *e, size_t set, const Armada__JobEvents *m)
{
	e->message = m;
	e->set = set;
	e->at = 0;
}

/* One message, of whatever kind. 0, or an error: -ETIMEDOUT, or another one that ends the connection. */
static int receive(struct events *e, int timeout_ms, bool *ret_refused, struct err *err)
{
	uint32_t request = 0;
	enum msg_type type;
	void *message;
	size_t set;
	int rc;

	*ret_refused = false;
	arena_clear(e->arena);
	rc = connection_receive(e->c, e->arena, timeout_ms, &type, &request, &message, err);
	if (rc < 0)
		return rc;
	e->heard_ms = steady_ms();
	set = (size_t)request - 1;
	if (type == MSG_ERROR) {
		*ret_refused = true;
		return connection_error(message, err);
	}
	if (set >= e->count)
		return 0;
	if (type == MSG_WATCH_REPLY)
		note_reply(&e->sets[set], message);
	else if (type == MSG_JOB_EVENTS)
		note_events(e, set, message);
	return 0;
}

static bool all_opened(const struct events *e)
{
	for (size_t i = 0; i < e->count; i++)
		if (!e->sets[i].opened)
			return false;
	return true;
}

/* -EAGAIN: try again later. */
static int connect_again(struct events *e, struct err *err)
{
	int rc = connection_open(e->c, err);

	for (size_t i = 0; rc == 0 && i < e->count; i++)
		rc = ask(e, i, err);
	if (rc < 0)
		return rc;
	e->lost = false;
	e->heard_ms = steady_ms();
	note_socket(e);
	return 0;
}

int events_open(struct events *e, struct err *err)
{
	enum { ANSWER_MS = 60000 };
	int64_t end_ms = steady_ms() + ANSWER_MS;
	int rc = connect_again(e, err);
	bool refused;

	while (rc == 0 && !all_opened(e) && !e->message) {
		int64_t left = end_ms - steady_ms();

		rc = receive(e, left > 0 ? (int)left : 0, &refused, err);
		if (rc == -ETIMEDOUT)
			rc = err_set(err, -EAGAIN, "the controller does not answer");
	}
	return rc;
}

/* Take the next event out of the message that was received; NULL: none. */
static const Armada__JobEvent *take(struct events *e)
{
	struct events_set *s;

	if (!e->message)
		return NULL;
	s = &e->sets[e->set].set;
	while (e->at < e->message->n_events) {
		const Armada__JobEvent *ev = e->message->events[e->at++];

		if (ev->number < s->from)
			continue;
		s->from = ev->number + 1;
		return ev;
	}
	if (e->message->next > s->from)
		s->from = e->message->next;
	e->message = NULL;
	return NULL;
}

/* A job that went to another queue is followed there. */
static void follow(struct events *e, const Armada__JobEvent *ev)
{
	struct err why;
	size_t before = e->count;

	if (!e->by_jobs || !ev->to_queue[0])
		return;
	add_job(e, ev->to_queue, e->sets[e->set].set.job_set, ev->job);
	if (e->count > before && ask(e, before, &why) < 0)
		lose(e, &why);
}

/* One step; 1: there may be an event, and 0: none within the time. */
static int step(struct events *e, int64_t wait_ms, struct err *err)
{
	int64_t quiet_ms = e->heard_ms + SILENCE_MS - steady_ms();
	bool refused;
	int rc;

	if (e->lost) {
		int64_t left = e->retry_ms - steady_ms();

		if (left > 0 && wait_ms >= 0 && left > wait_ms) {
			sleep_ms(wait_ms);
			return 0;
		}
		if (left > 0)
			sleep_ms(left);
		rc = connect_again(e, err);
		if (rc < 0 && rc != -EAGAIN)
			return rc;
		if (rc < 0)
			lose(e, err);
		return 1;
	}
	if (quiet_ms < 0)
		quiet_ms = 0;
	rc = receive(e, (int)(wait_ms < 0 || wait_ms > quiet_ms ? quiet_ms : wait_ms), &refused,
		     err);
	if (rc == 0) {
		e->pause_ms = 0;
		set_timer(e);
		return 1;
	}
	if (rc == -ETIMEDOUT && steady_ms() < e->heard_ms + SILENCE_MS)
		return 0;
	if (refused && rc != -EAGAIN)
		return rc;
	if (rc == -ETIMEDOUT)
		err_set(err, rc, "the controller has been silent for a minute");
	lose(e, err);
	return 1;
}

int events_next(struct events *e, int timeout_ms, const Armada__JobEvent **ret_event,
		size_t *ret_set, struct err *err)
{
	int64_t end_ms = steady_ms() + timeout_ms;
	const Armada__JobEvent *ev;
	uint64_t expirations;
	int rc;

	while (!(ev = take(e))) {
		int64_t left = timeout_ms < 0 ? -1 : end_ms - steady_ms();

		rc = step(e, timeout_ms >= 0 && left < 0 ? 0 : left, err);
		if (rc == 0) {
			if (e->timer_fd >= 0 &&
			    read(e->timer_fd, &expirations, sizeof(expirations)) > 0)
				set_timer(e);
			return err_set(err, -ETIMEDOUT, "no event in this time");
		}
		if (rc < 0)
			return rc;
		/* the first step may be at the end of the time, the others not */
		if (timeout_ms >= 0 && e->lost && steady_ms() >= end_ms)
			return err_set(err, -ETIMEDOUT, "no event in this time");
	}
	*ret_event = ev;
	*ret_set = e->set;
	follow(e, ev);
	return 0;
}

int events_fd(struct events *e)
{
	struct epoll_event timer = {.events = EPOLLIN};

	if (e->poll_fd >= 0)
		return e->poll_fd;
	e->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	e->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	epoll_ctl(e->poll_fd, EPOLL_CTL_ADD, e->timer_fd, &timer);
	note_socket(e);
	return e->poll_fd;
}

int events_socket(const struct events *e, int64_t *ret_wait_ms)
{
	int64_t left_ms = due_ms(e) - steady_ms();

	*ret_wait_ms = left_ms > 0 ? left_ms : 0;
	return connection_fd(e->c);
}

bool events_is_lost(const struct events *e, const char **ret_why)
{
	*ret_why = e->why.text;
	return e->lost;
}

uint64_t events_position(const struct events *e, size_t set)
{
	return e->sets[set].set.from;
}

const struct events_set *events_set_of(const struct events *e, size_t set)
{
	return &e->sets[set].set;
}

bool events_counts(const struct events *e, size_t set, uint64_t *ret_waiting, uint64_t *ret_active)
{
	*ret_waiting = e->sets[set].waiting;
	*ret_active = e->sets[set].active;
	return e->sets[set].counted;
}

bool events_are_old(const struct events *e, size_t set)
{
	return e->sets[set].opened && e->sets[set].set.from >= e->sets[set].first;
}

size_t events_set_count(const struct events *e)
{
	return e->count;
}
