/*
 * Tasks (task.h), and the clock and the waits of the plugin while it runs in one. The program exports these
 * two functions of libc, and so the plugin uses them. Outside of a task they are system calls.
 */
#include "asim/replicated/task.h"
#include "asim/replicated/conn.h"
#include "asim/replicated/controller.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 512 << 10 };

struct task {
	struct world *world;
	struct controller *controller;
	void (*fn)(struct controller *c);
	ucontext_t context, main;
	char *stack;
	uint64_t waits; /* how often it has waited: a timer of an earlier wait is void */
	bool waiting, done;
};

static struct task *self;

struct task *task_self(void)
{
	return self;
}

struct world *task_world(const struct task *t)
{
	return t->world;
}

struct controller *task_controller(const struct task *t)
{
	return t->controller;
}

static void run(void)
{
	struct task *t = self;

	t->fn(t->controller);
	t->done = true;
	/* back to uc_link */
}

void task_wake(struct task *t)
{
	if (!t || !t->waiting || t->done || t->controller->paused)
		return;
	t->waiting = false;
	self = t;
	if (swapcontext(&t->main, &t->context))
		abort();
	self = NULL;
}

static void on_time(struct world *w, void *arg, uint64_t number)
{
	struct task *t = arg;

	if (t->waits != number || !t->waiting)
		return;
	if (t->controller->paused)
		world_plan(w, 10 * MS, on_time, t, number);
	else
		task_wake(t);
}

struct task *task_new(struct world *w, struct controller *c, void (*fn)(struct controller *c))
{
	/* of the run: timers may still name it after its end */
	struct task *t = arena_zalloc(w->run, 1, sizeof(*t));

	*t = (struct task){.world = w, .controller = c, .fn = fn, .waiting = true};
	t->stack = xmalloc(STACK_BYTES);
	if (getcontext(&t->context))
		abort();
	t->context.uc_stack.ss_sp = t->stack;
	t->context.uc_stack.ss_size = STACK_BYTES;
	t->context.uc_link = &t->main;
	makecontext(&t->context, run, 0);
	world_plan(w, 0, on_time, t, t->waits);
	return t;
}

bool task_ended(const struct task *t)
{
	return t->done;
}

void task_join(struct task *t)
{
	free(t->stack);
	t->stack = NULL;
}

void task_wait(int64_t until_us)
{
	struct task *t = self;
	struct world *w = t->world;

	if (t->controller->ends)
		return;
	t->waits++;
	t->waiting = true;
	world_plan(w, until_us > w->now_us ? until_us - w->now_us : 0, on_time, t, t->waits);
	if (swapcontext(&t->context, &t->main))
		abort();
}

/* ---- what the plugin calls ---- */

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *ret)
{
	int64_t now_us;

	if (!self)
		return (int)syscall(SYS_clock_gettime, id, ret);
	now_us = controller_clock_us(self->controller);
	*ret = (struct timespec){.tv_sec = now_us / SECOND, .tv_nsec = now_us % SECOND * 1000};
	return 0;
}

/* Sets revents; returns how many are ready. */
static int ready(struct pollfd *fds, nfds_t count)
{
	int n = 0;

	for (nfds_t i = 0; i < count; i++) {
		bool is = conn_of(fds[i].fd)
				  ? conn_readable(conn_of(fds[i].fd))
				  : self->controller->interrupted || self->controller->ends;

		fds[i].revents = is ? POLLIN : 0;
		n += is;
	}
	return n;
}

__attribute__((visibility("default"))) int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct timespec ts = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
	int64_t until_us;
	int n;

	if (!self)
		return (int)syscall(SYS_ppoll, fds, count, timeout_ms < 0 ? NULL : &ts, NULL, 0);
	until_us = self->world->now_us + controller_span_us(self->controller, timeout_ms * MS);
	while ((n = ready(fds, count)) == 0 && self->world->now_us < until_us)
		task_wait(until_us);
	return n;
}
