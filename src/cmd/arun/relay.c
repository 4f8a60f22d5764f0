/*
 * The loop of arun: it runs while tasks are expected or connected.
 *
 * Input are the connections of the io stubs, standard input, signals and updates about the job;
 * output are frames to the stubs, and text on standard output and standard error. loop_once() waits
 * for one of the descriptors and handles it; continue_loop() decides about timeouts and the end.
 * The tasks start only when all of them have connected. The loop ends when all tasks have ended and
 * all their output has been written; for a job of its own, arun then waits a short time for the
 * final state of the job.
 */
#include "cmd/arun/relay.h"

#include "client/connection.h"
#include "cmd/arun/input.h"
#include "cmd/arun/signals.h"
#include "cmd/arun/tasks.h"
#include "cmd/arun/updates.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/rlimits.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/*
 * How long to wait for the final state of a job whose tasks have ended, and for tasks after SIGTERM when
 * MPI has ended the step; how often to check the terminal.
 */
enum { FINAL_UPDATE_MS = 5000, ABORT_MS = 5000, TTY_CHECK_MS = 500 };

enum { AT_SIGNALS, AT_UPDATES, AT_INPUT, AT_OUTPUT, AT_ERRORS, AT_LISTENERS };

struct polls {
	struct pollfd *fds;
	uint32_t *ranks; /* of those from first_task */
	size_t count, cap;
	size_t first_link, first_task;
};

void run_print(struct run *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s: %s%s\n", r->plan->name, text, r->tty.raw ? "\r" : "");
}

void run_wake_at(struct run *r, int64_t at_ms)
{
	if (r->wake_ms == 0 || at_ms < r->wake_ms)
		r->wake_ms = at_ms;
}

static void add(struct polls *p, int fd, short events)
{
	if (p->count == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->fds = xreallocarray(p->fds, p->cap, sizeof(*p->fds));
		p->ranks = xreallocarray(p->ranks, p->cap, sizeof(*p->ranks));
	}
	p->fds[p->count++] = (struct pollfd){.fd = fd, .events = events};
}

static void add_tasks(struct polls *p, struct run *r)
{
	p->first_task = p->count;
	for (uint32_t i = 0; i < r->links.count; i++) {
		const struct run_task *t = &r->links.tasks[i];
		bool more;

		if (t->link.fd < 0)
			continue;
		more = stream_out(t->link.stream)->len || t->fence.receiving;
		add(p, t->link.fd, (short)(POLLIN | (more ? POLLOUT : 0)));
		p->ranks[p->count - 1] = i;
	}
}

static void gather(struct polls *p, struct run *r)
{
	const struct listeners *l = r->plan->listeners;
	bool accept = !r->started && links_have_room(&r->links, steady_ms());

	p->count = 0;
	add(p, r->signals, POLLIN);
	add(p, r->plan->watch ? watch_fd(r->plan->watch) : -1, POLLIN);
	add(p, input_wanted(r) ? STDIN_FILENO : -1, POLLIN);
	add(p, r->out.out.len ? r->out.fd : -1, POLLOUT);
	add(p, r->err.out.len ? r->err.fd : -1, POLLOUT);
	for (size_t i = 0; i < l->count; i++)
		add(p, accept ? l->fds[i] : -1, POLLIN);
	p->first_link = p->count;
	for (size_t i = 0; i < r->links.unauthenticated_count; i++)
		add(p, r->links.unauthenticated[i].fd, POLLIN);
	add_tasks(p, r);
}

static void read_tasks(struct run *r, const struct polls *p)
{
	for (size_t i = p->first_task; i < p->count; i++) {
		struct run_task *t = &r->links.tasks[p->ranks[i]];
		bool alive = true;

		if (p->fds[i].revents & ~POLLOUT) {
			alive = link_read(&t->link);
			tasks_receive(r, t);
		}
		if (t->link.fd >= 0 && !alive)
			tasks_connection_lost(r, t);
	}
}

static void read_unauthenticated(struct run *r, const struct polls *p)
{
	/* from the end, because dropping a connection moves the last one to its place */
	for (size_t i = p->first_task; i-- > p->first_link;) {
		if (p->fds[i].revents)
			links_read_unauthenticated(&r->links, i - p->first_link);
	}
	if (!r->started && r->links.connected == r->links.count)
		tasks_start(r);
}

static void flush_tasks(struct run *r)
{
	for (uint32_t i = 0; i < r->links.count; i++) {
		struct run_task *t = &r->links.tasks[i];

		if (t->link.fd >= 0)
			fence_feed(r, t);
		if (t->link.fd >= 0 && !link_flush(&t->link))
			tasks_connection_lost(r, t);
	}
}

static void write_sink(struct run *r, struct sink *s, const struct pollfd *fd)
{
	if (fd->revents && sink_write(s) < 0 && s == &r->out)
		tasks_signal(r, SIGPIPE);
}

static void refill(struct run *r)
{
	if (r->out.out.len == 0)
		tasks_fill_sink(r, false);
	if (r->err.out.len == 0)
		tasks_fill_sink(r, true);
}

static void loop_once(struct run *r, struct polls *p)
{
	int64_t left;

	refill(r);
	flush_tasks(r);
	gather(p, r);
	left = r->wake_ms ? r->wake_ms - steady_ms() : -1;
	/* the terminal may become ours later, and no event reports that */
	if (r->started && !r->stdin_ended && !tty_is_ours(STDIN_FILENO) &&
	    (left < 0 || left > TTY_CHECK_MS))
		left = TTY_CHECK_MS;
	if (r->wake_ms && left < 0)
		left = 0;
	if (poll(p->fds, p->count, (int)left) < 0)
		return;
	if (p->fds[AT_SIGNALS].revents)
		signals_read(r, steady_ms());
	if (p->fds[AT_UPDATES].revents)
		updates_read(r);
	if (p->fds[AT_INPUT].revents)
		input_read(r);
	write_sink(r, &r->out, &p->fds[AT_OUTPUT]);
	write_sink(r, &r->err, &p->fds[AT_ERRORS]);
	read_tasks(r, p);
	read_unauthenticated(r, p);
	for (size_t i = AT_LISTENERS; i < p->first_link; i++)
		if (p->fds[i].revents)
			links_accept(&r->links, p->fds[i].fd, steady_ms());
}

static bool has_unwritten(struct run *r)
{
	refill(r);
	if (r->out.out.len || r->err.out.len)
		return true;
	for (uint32_t i = 0; i < r->links.count; i++)
		if (r->links.tasks[i].out.text.len || r->links.tasks[i].err.text.len)
			return true;
	return false;
}

static bool timeout_passed(struct run *r, int64_t since_ms, int64_t for_ms, int64_t now_ms)
{
	if (now_ms >= since_ms + for_ms)
		return true;
	run_wake_at(r, since_ms + for_ms);
	return false;
}

static void set_all_lost(struct run *r)
{
	for (uint32_t i = 0; i < r->links.count; i++)
		tasks_connection_lost(r, &r->links.tasks[i]);
}

/*
 * Called when all tasks have ended, and not earlier: a closed link lets the stub exit, and when the
 * controller sees that a task has failed, it ends the other tasks of the job.
 */
static void close_links(struct run *r)
{
	for (uint32_t i = 0; i < r->links.count; i++)
		link_close(&r->links.tasks[i].link);
}

/*
 * Handles timeouts. Returns false when the loop is to end. over_ms: when the tasks or the job had
 * ended.
 */
static bool continue_loop(struct run *r, int64_t *over_ms)
{
	int64_t now_ms = steady_ms(), expire_ms;
	bool over = r->started && tasks_all_ended(r);

	r->wake_ms = 0;
	if (r->quit)
		return false;
	expire_ms = links_expire(&r->links, now_ms);
	if (expire_ms)
		run_wake_at(r, expire_ms);
	updates_report_pending(r, now_ms);
	if (!r->started &&
	    (r->job_ended || (r->plan->connect_timeout_ms &&
			      timeout_passed(r, r->start_ms, r->plan->connect_timeout_ms, now_ms))))
		return false;
	if (!over && r->fence.over && timeout_passed(r, r->fence.over_ms, ABORT_MS, now_ms)) {
		set_all_lost(r);
		over = true;
	}
	if (!over && !r->job_ended)
		return true;
	if (*over_ms == 0)
		*over_ms = now_ms;
	if (over)
		close_links(r);
	if (!over && timeout_passed(r, *over_ms, FINAL_UPDATE_MS, now_ms))
		set_all_lost(r);
	if (!over || has_unwritten(r))
		return true;
	return r->plan->watch && !r->job_ended &&
	       !timeout_passed(r, *over_ms, FINAL_UPDATE_MS, now_ms);
}

/* The error that names the tasks that have not connected. */
static int connect_timeout(struct run *r, struct err *err)
{
	char ranks[128] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < r->links.count && len < sizeof(ranks) - 16; i++)
		if (r->links.tasks[i].state == TASK_EXPECTED)
			len += (size_t)snprintf(ranks + len, sizeof(ranks) - len, "%s%u",
						len ? "," : "", i);
	return err_set(err, -ETIMEDOUT,
		       "%u of %u %s connected within %s; missing: %s; "
		       "check that their nodes can reach %s and that the job runs",
		       r->links.connected, r->links.count, plural(r->links.count, "task", "tasks"),
		       duration_words(r->plan->connect_timeout_ms * INT64_C(1000)).text, ranks,
		       r->plan->listeners->addresses[0]);
}

static bool ended_by_itself(const struct run *r)
{
	return r->started && (r->end.state == ARMADA__JOB_STATE__JOB_COMPLETED ||
			      r->end.state == ARMADA__JOB_STATE__JOB_FAILED);
}

/*
 * Returns the exit code, and prints the state of the job unless the ends of its tasks explain it.
 */
static int result(struct run *r, struct err *err)
{
	int code = tasks_exit_code(r);

	if (r->stop && !r->started)
		return 128 + r->stop;
	if (r->job_ended && !ended_by_itself(r) && !r->plan->quiet)
		run_print(r, "job %" PRIu64 ": %s", r->plan->job,
			  r->end.text[0] ? r->end.text : "it has ended");
	if (r->job_ended && r->end.exit_code > code && !r->fence.over)
		code = r->end.exit_code;
	if (!r->started && !r->job_ended && !r->quit)
		return connect_timeout(r, err);
	if (r->quit && code == 0)
		code = r->stop ? 128 + r->stop : 1;
	if (r->plan->verbose && r->links.dropped)
		run_print(r, "%" PRIu64 " unauthenticated connections were refused",
			  r->links.dropped);
	return code;
}

int arun_relay(const struct run_plan *plan, struct err *err)
{
	struct run r = {.plan = plan, .start_ms = steady_ms(), .interrupted_ms = INT64_MIN / 2};
	struct polls p = {0};
	int64_t over_ms = 0;
	int rc;

	rlimit_raise_files(); /* a connection for each task, and those of strangers */
	r.signals = signals_block();
	links_init(&r.links, plan->listeners, plan->key, plan->tasks);
	sink_init(&r.out, plan->out_fd, plan->tasks, plan->label);
	sink_init(&r.err, plan->err_fd, plan->tasks, plan->label);
	while (continue_loop(&r, &over_ms))
		loop_once(&r, &p);
	tty_restore(&r.tty);
	rc = result(&r, err);
	sink_done(&r.out);
	sink_done(&r.err);
	links_done(&r.links);
	buf_done(&r.fence.merged);
	close_fd(&r.signals);
	free(p.fds);
	free(p.ranks);
	return rc;
}
