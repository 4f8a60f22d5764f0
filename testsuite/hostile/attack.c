/*
 * The engine of the attacks (attack.h). Input: a row of the table, numbers. Output: the report.
 * All connections are opened first; then each gets requests as fast as its socket takes them, and is
 * read as the row says. It ends when every connection is closed or has all its answers, or after the
 * seconds given. Caveat: one thread; an attack by many processors needs many of these programs.
 */
#include "hostile/attack.h"

#include "util/mem.h"
#include "wire/block.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { OPEN_MS = 10000, FULL = 65536, ASK_MS = 60000, CANCEL_TRIES = 50 };

static void note(struct attack *a, const char *why)
{
	snprintf(a->report->why, sizeof(a->report->why), "%s", why);
}

static bool is_raw(const struct attack *a, const struct peer *p)
{
	return a->verb->opens && !a->verb->opens(p);
}

static void open_peer(struct attack *a, struct peer *p)
{
	struct err err = {""};
	int rc = is_raw(a, p) ? peer_connect(p, a->target) : peer_open(p, a->target, OPEN_MS, &err);

	p->made = 0;
	if (rc == 0) {
		a->report->opened++;
		return;
	}
	a->report->refused++;
	note(a, err.text[0] ? err.text : strerror(-rc));
}

/* The controller has closed it. */
static void closed(struct attack *a, struct peer *p)
{
	int code = 0;
	const char *why = session_error(p->session, &code);

	if (code)
		note(a, why);
	a->report->closed++;
	peer_close(p);
	if (a->verb->again && a->verb->next)
		open_peer(a, p);
}

static void count(struct attack *a, const struct session_frame *f)
{
	struct arena *arena CLEANUP_ARENA = NULL;
	const Armada__ErrorReply *e;
	struct err err;

	if (f->info->type != MSG_ERROR) {
		a->report->answered++;
		return;
	}
	a->report->errors++;
	arena = arena_new(0);
	e = msg_unpack(f->info, f->body, f->len, arena, &err);
	if (e)
		note(a, e->text);
}

/* Reads at most `most` bytes and counts answers. False: nothing more can be read now, or it was closed. */
static bool take(struct attack *a, struct peer *p, size_t most)
{
	static uint8_t chunk[65536];
	struct session_frame f;
	ssize_t n = recv(p->fd, chunk, most < sizeof(chunk) ? most : sizeof(chunk), MSG_DONTWAIT);

	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			closed(a, p);
		return false;
	}
	session_feed(p->session, chunk, (size_t)n);
	while (session_state(p->session) == SESSION_OPEN && session_next(p->session, &f) > 0)
		count(a, &f);
	return true;
}

static void push(struct attack *a, struct peer *p)
{
	struct buf *out = session_out(p->session);
	ssize_t n;

	while (a->verb->next && p->made < a->requests && out->len < FULL &&
	       (is_raw(a, p) || session_state(p->session) == SESSION_OPEN)) {
		a->verb->next(a, p);
		p->made++;
	}
	if (!out->len)
		return;
	n = send(p->fd, out->data, out->len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n > 0)
		buf_drop(out, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		while (p->fd >= 0 && take(a, p, SIZE_MAX)) /* the reason comes before the end */
			;
}

static bool wants_to_send(const struct attack *a, const struct peer *p)
{
	return session_out(p->session)->len ||
	       (a->verb->next && p->made < a->requests &&
		(is_raw(a, p) || session_state(p->session) == SESSION_OPEN));
}

/* The result of poll(2) for one connection. */
static void serve(struct attack *a, struct peer *p, short events)
{
	bool ended = events & (POLLHUP | POLLERR | POLLRDHUP);

	if (ended || a->verb->reading == READ_ALL) {
		int fd = p->fd;

		while (p->fd == fd && (events & (POLLIN | POLLHUP | POLLERR | POLLRDHUP)) &&
		       take(a, p, SIZE_MAX))
			;
		if (p->fd != fd)
			return;
	}
	if (p->fd >= 0 && events & POLLOUT)
		push(a, p);
}

/* One poll of all connections. False: none is left, or all have their answers. */
static bool turn(struct attack *a, struct pollfd *fds)
{
	uint64_t all = a->verb->reading == READ_ALL && !a->verb->opens && !a->verb->again
			       ? a->report->opened * a->requests
			       : UINT64_MAX;
	unsigned open = 0;

	for (unsigned i = 0; i < a->connections; i++) {
		struct peer *p = &a->peers[i];

		fds[i] = (struct pollfd){.fd = p->fd, .events = POLLRDHUP};
		if (p->fd < 0)
			continue;
		open++;
		fds[i].events |= a->verb->reading == READ_ALL ? POLLIN : 0;
		fds[i].events |= wants_to_send(a, p) ? POLLOUT : 0;
	}
	if (!open || a->report->answered + a->report->errors >= all)
		return false;
	if (poll(fds, a->connections, 50) > 0)
		for (unsigned i = 0; i < a->connections; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				serve(a, &a->peers[i], fds[i].revents);
	return true;
}

static void reopen(struct attack *a)
{
	for (unsigned i = 0; i < a->connections; i++)
		if (a->peers[i].fd < 0)
			open_peer(a, &a->peers[i]);
}

static void run(struct attack *a, int64_t end_ms)
{
	struct pollfd *fds = xcalloc(a->connections, sizeof(*fds));
	int64_t slow_ms = 0;

	while (block_now_ms() < end_ms && turn(a, fds)) {
		if (block_now_ms() < slow_ms + 1000)
			continue;
		slow_ms = block_now_ms();
		for (unsigned i = 0; a->verb->reading == READ_SLOWLY && i < a->connections; i++)
			if (a->peers[i].fd >= 0)
				take(a, &a->peers[i], 1);
		if (a->verb->again)
			reopen(a);
	}
	free(fds);
}

static void hang_up(struct attack *a, int64_t end_ms)
{
	uint64_t many = (uint64_t)a->connections * a->requests;

	for (uint64_t i = 0; i < many && block_now_ms() < end_ms; i++) {
		open_peer(a, &a->peers[0]);
		peer_close(&a->peers[0]);
	}
}

/* Cancels every job of the attack. */
static void cancel(struct attack *a)
{
	Armada__CancelRequest r = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	static char *set[] = {(char *)"hostile"};
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct call *c = NULL;
	struct err err = {""};

	r.filter = &filter;
	filter.n_job_sets = 1;
	filter.job_sets = set;
	for (int tries = 0; tries < CANCEL_TRIES;) {
		enum msg_type type = MSG_OK;
		void *m = NULL;

		if (!c)
			c = target_call(a->target, ASK_MS, &err);
		if (!c || call_ask(c, MSG_CANCEL, &r, arena, ASK_MS, &type, &m, &err)) {
			call_close(c);
			c = NULL;
			tries++;
			poll(NULL, 0, 200);
			continue;
		}
		r.after_id =
			type == MSG_CANCEL_REPLY ? ((Armada__CancelReply *)m)->next_after_id : 0;
		if (!r.after_id)
			break;
	}
	if (!c)
		fprintf(stderr, "hostile: %s: its jobs are not cancelled: %s\n", a->verb->name,
			err.text);
	call_close(c);
}

void attack_run(struct attack *a)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (a->verb->setup)
		a->verb->setup(a);
	a->peers = xcalloc(a->connections, sizeof(*a->peers));
	for (unsigned i = 0; i < a->connections; i++)
		a->peers[i] = (struct peer){.fd = -1, .index = i};
	atomic_store(&a->report->phase, PHASE_ATTACK);
	if (a->verb->hangs_up) {
		hang_up(a, block_now_ms() + (int64_t)(a->seconds * 1000));
	} else {
		for (unsigned i = 0; i < a->connections; i++)
			open_peer(a, &a->peers[i]);
		run(a, block_now_ms() + (int64_t)(a->seconds * 1000));
	}
	for (unsigned i = 0; i < a->connections; i++)
		peer_close(&a->peers[i]);
	if (a->verb->setup || a->verb->next)
		cancel(a);
	free(a->peers);
	buf_done(&a->script);
	atomic_store(&a->report->phase, PHASE_DONE);
}
