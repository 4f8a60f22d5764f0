/* Stay with a task until nothing of it is left. */
#include "armd/control.h"
#include "armd/lease.h"
#include "armd/shepherd_body.h"
#include "util/mem.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILL_AGAIN_MS = 10, WAKE_MAX_MS = 60000, GRACE_LEAST_MS = 1000 };

static int64_t grace_us(int64_t grace_ms)
{
	return (grace_ms > 0 ? grace_ms : GRACE_LEAST_MS) * 1000;
}

static void note_start(struct shepherd *s)
{
	struct attempt_start start = {.forked = true, .start_us = s->start_us};

	attempt_note_start(s->task->attempt_fd, &start);
	control_notify(s->task->spool, &s->task->order.key, CONTROL_STARTED);
}

static void step(struct shepherd *s, enum shepherd_event event)
{
	const struct armada_contain_ops *contain = s->task->contain;
	struct armada_error ignored;
	unsigned effects;

	s->phase = shepherd_step(s->phase, event, &effects);
	if (effects & SHEPHERD_NOTE_START)
		note_start(s);
	if (effects & SHEPHERD_TERM) {
		contain->signal(s->contain, SIGTERM, false, &ignored);
		contain->signal(s->contain, SIGCONT, false, &ignored);
		s->next_kill_us = boottime_us() + s->grace_us;
	}
	if (effects & SHEPHERD_KILL) {
		contain->kill(s->contain, &ignored);
		s->next_kill_us = boottime_us() + KILL_AGAIN_MS * 1000;
	}
}

static void stop(struct shepherd *s, uint32_t cause, int64_t grace)
{
	unsigned effects;

	shepherd_step(s->phase, SHEPHERD_EV_STOP, &effects);
	if (effects & SHEPHERD_TAKE_CAUSE) {
		s->cause = cause;
		s->grace_us = grace;
	} else if (s->phase == SHEPHERD_ENDING && boottime_us() + grace < s->next_kill_us) {
		s->next_kill_us = boottime_us() + grace; /* who is in more of a hurry wins */
	}
	step(s, SHEPHERD_EV_STOP);
}

/* The child's words, or none: then its program runs, for the exec closed the pipe. */
static void hear_report(struct shepherd *s)
{
	size_t len = strlen(s->why.text);
	ssize_t n;

	while ((n = read(s->report, s->why.text + len, sizeof(s->why.text) - 1 - len)) > 0)
		s->why.text[len += (size_t)n] = '\0';
	if (n < 0)
		return;
	close_fd(&s->report);
	if (!s->why.text[0])
		step(s, SHEPHERD_EV_RUNS);
}

static void reap(struct shepherd *s)
{
	struct signalfd_siginfo info;
	bool first = false;
	int status;
	pid_t pid;

	while (read(s->signals, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != s->pid)
			continue;
		s->reaped = first = true;
		s->status = status;
	}
	if (pid < 0 && errno == ECHILD)
		step(s, SHEPHERD_EV_EMPTY);
	else if (first)
		step(s, SHEPHERD_EV_FIRST_ENDED);
}

static void obey(struct shepherd *s)
{
	struct control_order o;
	int fd;

	while (control_receive(s->task->control_fd, &o, &fd)) {
		if (o.kind == CONTROL_KILL)
			stop(s, o.cause, grace_us(o.grace_ms));
		close_fd(&fd);
	}
}

/* When to begin so that nothing is left at the lease's end; 0: it has none. */
int64_t shepherd_lease_stop_us(const struct shepherd *s, int64_t *ret_grace)
{
	int64_t lease_us = s->body->lease_ms * 1000, from = lease_renewed_us(s->task->spool->lease);

	if (lease_us <= 0)
		return 0;
	if (from < s->task->accepted_us)
		from = s->task->accepted_us;
	*ret_grace = grace_us(s->body->grace_ms);
	if (*ret_grace > lease_us / 4)
		*ret_grace = lease_us / 4;
	return from + lease_us - *ret_grace;
}

static int64_t limit_us(const struct shepherd *s)
{
	return s->body->time_limit_ms > 0 ? s->forked_us + s->body->time_limit_ms * 1000 : 0;
}

static bool may_stop(const struct shepherd *s)
{
	return s->phase == SHEPHERD_LAUNCHING || s->phase == SHEPHERD_RUNNING;
}

static void earlier(int64_t *first, int64_t at_us)
{
	if (at_us > 0 && (*first == 0 || at_us < *first))
		*first = at_us;
}

/* A sleep of the machine is not in poll's clock, so wake now and then and look again. */
static int wait_ms(const struct shepherd *s)
{
	int64_t first = 0, grace, left;

	if (may_stop(s)) {
		earlier(&first, limit_us(s));
		earlier(&first, shepherd_lease_stop_us(s, &grace));
	} else {
		earlier(&first, s->next_kill_us);
	}
	if (first == 0)
		return -1;
	left = (first - boottime_us() + 999) / 1000;
	return left < 0 ? 0 : left > WAKE_MAX_MS ? WAKE_MAX_MS : (int)left;
}

static void look_at_clock(struct shepherd *s)
{
	int64_t now_us = boottime_us(), grace, at_us;

	if (!may_stop(s)) {
		if (now_us >= s->next_kill_us)
			step(s, SHEPHERD_EV_GRACE_OVER);
		return;
	}
	at_us = limit_us(s);
	if (at_us && now_us >= at_us)
		stop(s, ARMADA__END_CAUSE__END_TIME_LIMIT, grace_us(s->body->grace_ms));
	at_us = shepherd_lease_stop_us(s, &grace);
	if (at_us && now_us >= at_us)
		stop(s, ARMADA__END_CAUSE__END_LEASE, grace);
}

void shepherd_watch(struct shepherd *s)
{
	s->grace_us = grace_us(s->body->grace_ms);
	while (s->phase != SHEPHERD_DONE) {
		struct pollfd fds[] = {
			{.fd = s->signals, .events = POLLIN},
			{.fd = s->task->control_fd, .events = POLLIN},
			{.fd = s->report, .events = POLLIN},
		};

		poll(fds, ARRAY_SIZE(fds), wait_ms(s));
		/* First what the child said: it may be dead already, and that comes after. */
		if (s->report >= 0)
			hear_report(s);
		obey(s);
		look_at_clock(s);
		if (fds[0].revents || s->phase == SHEPHERD_KILLING)
			reap(s);
	}
}
