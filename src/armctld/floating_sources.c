/*
 * The programs of floating resources (floating_sources.h). Input: rows of armada.conf, once a second.
 * Output: calls of `said`. Each program is a child in a session of its own, which is killed at its time
 * limit; its output is read when it has ended, so one that fills the pipe runs into the limit, too.
 */
#include "armctld/floating_sources.h"

#include "core/state/state.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/program.h"
#include "util/units.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64, TEXT_MAX = 256 };

static const int64_t outside_most = 1000000000;

struct source {
	struct floating_sources *all;
	char *name;
	pid_t pid;  /* 0: it does not run */
	int exited; /* pidfd; -1: none */
	int output; /* -1: none */
	struct event *ended, *late;
	bool is_late;
	/* steady: the end of the last run, and of the last run with an answer */
	int64_t ended_us, answered_us;
	int64_t interval_us, timeout_us, keep_us;
	int64_t outside;
	char text[TEXT_MAX]; /* the last failure; "": none */
	LIST_ENTRY(source) entry;
};

struct floating_sources {
	struct event_base *base;
	outside_said *said;
	void *arg;
	LIST_HEAD(, source) list;
};

struct floating_sources *floating_sources_new(struct event_base *base, outside_said *said,
					      void *arg)
{
	struct floating_sources *s = xcalloc(1, sizeof(*s));

	s->base = base;
	s->said = said;
	s->arg = arg;
	return s;
}

static void forget_run(struct source *x)
{
	if (x->ended)
		event_free(x->ended);
	if (x->late)
		event_free(x->late);
	if (x->exited >= 0)
		close(x->exited);
	if (x->output >= 0)
		close(x->output);
	x->ended = x->late = NULL;
	x->exited = x->output = -1;
	x->pid = 0;
	x->is_late = false;
}

static void free_source(struct source *x)
{
	if (x->pid > 0) {
		kill(-x->pid, SIGKILL);
		waitpid(x->pid, NULL, 0);
	}
	forget_run(x);
	LIST_REMOVE(x, entry);
	free(x->name);
	free(x);
}

void floating_sources_free(struct floating_sources *s)
{
	if (!s)
		return;
	while (!LIST_EMPTY(&s->list))
		free_source(LIST_FIRST(&s->list));
	free(s);
}

static void answered(struct source *x, int64_t outside)
{
	if (x->text[0])
		log_notice("%s: the source works again", x->name);
	x->text[0] = '\0';
	x->outside = outside;
	x->answered_us = x->ended_us;
	x->all->said(x->all->arg, x->name, outside, "");
}

/* The last number stays, until it is too old. */
static void failed(struct source *x, const char *why)
{
	bool old = x->keep_us && x->ended_us - x->answered_us > x->keep_us;
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "%s; %s", why,
		 old ? "its last number is too old and was dropped" : "its last number stays");
	if (strcmp(text, x->text) != 0)
		log_warn("%s: the source has no answer: %s", x->name, text);
	memcpy(x->text, text, sizeof(text));
	x->outside = old ? 0 : x->outside;
	x->all->said(x->all->arg, x->name, x->outside, text);
}

/* One whole number, which white space may surround. */
static void take_output(struct source *x)
{
	char text[OUTPUT_MAX + 1], shown[OUTPUT_MAX + 64];
	ssize_t n = x->output < 0 ? 0 : read(x->output, text, OUTPUT_MAX);
	size_t from, len = n < 0 ? 0 : (size_t)n;
	int64_t value;

	text[len] = '\0';
	while (len && (unsigned char)text[len - 1] <= ' ')
		text[--len] = '\0';
	from = strspn(text, " \t\n");
	if (len > from && strlen(text) == len &&
	    parse_int(text + from, 0, outside_most, &value, NULL) == 0) {
		answered(x, value);
		return;
	}
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 127)
			text[i] = ' ';
	snprintf(shown, sizeof(shown), "it printed '%.24s', which is not a whole number",
		 text + from);
	failed(x, shown);
}

static void on_ended(evutil_socket_t fd, short what, void *arg)
{
	struct source *x = arg;
	char why[TEXT_MAX / 2];
	int status = 0;
	bool late = x->is_late;

	(void)fd, (void)what;
	waitpid(x->pid, &status, 0);
	x->ended_us = clock_us(CLOCK_BOOTTIME);
	if (late)
		snprintf(why, sizeof(why), "it ran longer than %s and was killed",
			 duration_words(x->timeout_us).text);
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "killed by signal %d", WTERMSIG(status));
	else
		snprintf(why, sizeof(why), "exit status %d", WEXITSTATUS(status));
	if (!late && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		take_output(x);
	else
		failed(x, why);
	forget_run(x);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	struct source *x = arg;

	(void)fd, (void)what;
	x->is_late = true;
	kill(-x->pid, SIGKILL);
	kill(x->pid, SIGKILL);
}

static int start(struct source *x, const char *program, int64_t held)
{
	char number[32];
	const char *const argv[] = {program, x->name, number, NULL};
	int fds[2];

	snprintf(number, sizeof(number), "%" PRId64, held);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	x->output = fds[0];
	/* the program may wait for room */
	fcntl(fds[1], F_SETFL, 0);
	x->pid = fork();
	if (x->pid == 0)
		program_exec_output(argv, fds[1]);
	close(fds[1]);
	if (x->pid < 0) {
		x->pid = 0;
		return -errno;
	}
	x->exited = (int)syscall(SYS_pidfd_open, x->pid, 0);
	return x->exited < 0 ? -errno : 0;
}

static void begin(struct source *x, const char *program, int64_t held)
{
	struct timeval timeout = {.tv_sec = x->timeout_us / 1000000,
				  .tv_usec = x->timeout_us % 1000000};
	int rc = start(x, program, held);

	if (rc < 0) {
		char why[TEXT_MAX / 2];

		snprintf(why, sizeof(why), "it could not be started: %s", strerror(-rc));
		if (x->pid > 0) {
			kill(x->pid, SIGKILL);
			waitpid(x->pid, NULL, 0);
		}
		x->ended_us = clock_us(CLOCK_BOOTTIME);
		failed(x, why);
		forget_run(x);
		return;
	}
	x->ended = event_new(x->all->base, x->exited, EV_READ, on_ended, x);
	event_add(x->ended, NULL);
	x->late = evtimer_new(x->all->base, on_late, x);
	event_add(x->late, &timeout);
}

static struct source *obtain(struct floating_sources *s, const char *name, int64_t outside)
{
	struct source *x;

	LIST_FOREACH (x, &s->list, entry)
		if (strcmp(x->name, name) == 0)
			return x;
	x = xcalloc(1, sizeof(*x));
	x->all = s;
	x->name = xstrdup(name);
	x->exited = x->output = -1;
	x->answered_us = clock_us(CLOCK_BOOTTIME);
	x->outside = outside;
	LIST_INSERT_HEAD(&s->list, x, entry);
	return x;
}

void floating_sources_poll(struct floating_sources *s, const struct conf_floating *f,
			   const struct state *state)
{
	int r = resource_index(f->name);
	struct source *x;

	if (r < 0)
		return;
	x = obtain(s, f->name, state->floating_outside.amount[r]);
	if (!*f->source) {
		free_source(x);
		return;
	}
	x->interval_us = f->source_interval_us;
	x->timeout_us = f->source_timeout_us;
	x->keep_us = f->source_keep_us;
	if (!x->pid && (!x->ended_us || clock_us(CLOCK_BOOTTIME) - x->ended_us >= x->interval_us))
		begin(x, f->source, state->floating_held.amount[r]);
}
