/*
 * The loop of a shepherd after the fork. Input: the child's report, orders of the launcher, SIGCHLD
 * and SIGTERM, memory events, time. Output: transitions of the phase table (phase.c) and their
 * effects; it returns when no process of the task is left.
 *
 * Caveats: the report of the child is read before its death is handled. SIGTERM is handled before
 * deaths, because systemd may have sent it to all processes. All times are CLOCK_BOOTTIME; a
 * timerfd wakes the loop, because the clock of poll() stops while the machine sleeps.
 */
#include "armd/shepherd/watch.h"

#include "armd/shepherd/contain.h"
#include "armd/shepherd/control.h"
#include "armd/shepherd/deadlines.h"
#include "armd/shepherd/fork.h"
#include "armd/shepherd/last_line.h"
#include "armd/shepherd/node_tasks.h"
#include "armd/shepherd/settings.h"
#include "armd/shepherd/signal.h"
#include "armd/shepherd/steps.h"
#include "armd/shepherd/usage.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/reap.h"
#include "util/units.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { WAKE_MAX_MS = 60000, STUCK_MS = 60000 };

/* How often the lease is checked during its length. */
enum { LEASE_CHECKS = 4 };

static void note_ready(struct shepherd *s)
{
	struct attempt_start start = {.forked = true, .ready = true};

	attempt_note_start(s->task->attempt_fd, &start);
	control_notify(s->task->spool, &s->task->order.key, CONTROL_READY);
}

/* The byte that opens the gate, and then the variables that have changed since the fork. */
static bool send_go(const struct shepherd *s)
{
	const size_t len = 1 + s->late_env_len;
	char *text = arena_alloc(s->arena, len);

	text[0] = 1;
	if (s->late_env_len)
		memcpy(text + 1, s->late_env, s->late_env_len);
	return write(s->gate, text, len) == (ssize_t)len;
}

/* A standby task has no program: it counts as running from now on until it exits. */
static void open_gate(struct shepherd *s)
{
	s->begun_us = clock_us(CLOCK_BOOTTIME);
	s->start_us = clock_us(CLOCK_REALTIME);
	shepherd_node_tasks_open(s);
	shepherd_usage_begin(s);
	if (s->body->standby)
		return;
	/* If the child is dead, its death ends the task. */
	if (!send_go(s))
		kill(s->pid, SIGKILL);
	close_fd(&s->gate);
}

static void note_start(struct shepherd *s)
{
	struct attempt_start start = {
		.forked = true, .ready = shepherd_is_gated(s), .start_us = s->start_us};

	if (!shepherd_is_gated(s)) /* a gate has begun the samples of the others */
		shepherd_usage_begin(s);
	attempt_note_start(s->task->attempt_fd, &start);
	control_notify(s->task->spool, &s->task->order.key, CONTROL_STARTED);
}

static void step(struct shepherd *s, enum shepherd_event event)
{
	unsigned effects;

	s->phase = shepherd_phase_step(s->phase, event, &effects);
	if (effects & SHEPHERD_NOTE_READY)
		note_ready(s);
	if (effects & SHEPHERD_OPEN_GATE)
		open_gate(s);
	if (effects & SHEPHERD_NOTE_START)
		note_start(s);
	if (effects & SHEPHERD_TERM)
		shepherd_send_term(s);
	if (effects & SHEPHERD_TERM_REST)
		shepherd_send_term_rest(s);
	if (effects & SHEPHERD_SEND)
		shepherd_send(s, s->sending, s->to_first);
	if (effects & SHEPHERD_KILL)
		shepherd_send_kill(s);
	if (effects & SHEPHERD_REPORT_STUCK)
		control_notify(s->task->spool, &s->task->order.key, CONTROL_STUCK);
}

static bool may_stop(const struct shepherd *s)
{
	return s->phase <= SHEPHERD_RUNNING;
}

static void stop(struct shepherd *s, uint32_t cause, int64_t grace)
{
	unsigned effects;

	shepherd_phase_step(s->phase, SHEPHERD_EV_STOP, &effects);
	if (effects & SHEPHERD_TAKE_CAUSE) {
		s->cause = cause;
		s->grace_us = grace;
	} else if (s->phase == SHEPHERD_ENDING &&
		   clock_us(CLOCK_BOOTTIME) + grace < s->next_kill_us) {
		s->next_kill_us =
			clock_us(CLOCK_BOOTTIME) + grace; /* the shorter grace period counts */
	}
	step(s, SHEPHERD_EV_STOP);
}

static void release(struct shepherd *s)
{
	step(s, SHEPHERD_EV_RELEASE);
	if (s->phase == SHEPHERD_RELEASED && s->body->standby)
		step(s, SHEPHERD_EV_RUNS);
}

/* Take the child's first byte if it means "waiting at the gate"; the rest is its report. */
static size_t take_ready_byte(struct shepherd *s, char *words, size_t len)
{
	if (len == 0 || words[0] != TASK_READY)
		return len;
	memmove(words, words + 1, len);
	step(s, SHEPHERD_EV_READY);
	if (!s->body->gated)
		release(s);
	return len - 1;
}

/*
 * Read the child's report. An empty report at end of file means that the program runs, because the
 * exec closed the pipe; or, if the gate is still closed, that the child is dead.
 */
static void receive_report(struct shepherd *s)
{
	size_t len = strlen(s->why.text);
	ssize_t n;

	while ((n = read(s->report, s->why.text + len, sizeof(s->why.text) - 1 - len)) > 0) {
		s->why.text[len + (size_t)n] = '\0';
		len += take_ready_byte(s, s->why.text + len, (size_t)n);
	}
	if (n < 0)
		return;
	close_fd(&s->report);
	if (s->why.text[0] == TASK_BLAMES_NODE) {
		s->blame_node = true;
		memmove(s->why.text, s->why.text + TASK_BLAME,
			strlen(s->why.text) + 1 - TASK_BLAME);
	}
	if (!s->why.text[0] && s->start_us)
		step(s, SHEPHERD_EV_RUNS);
}

static void reap(struct shepherd *s)
{
	struct signalfd_siginfo info;
	bool first = false;
	struct rusage used;
	int status;
	pid_t pid;

	/* Signals first: the same SIGTERM may have gone to all processes. */
	while (read(s->signals, &info, sizeof(info)) > 0)
		if (info.ssi_signo == SIGTERM)
			stop(s, ARMADA__END_CAUSE__END_SHUTDOWN,
			     shepherd_grace_us(s->body->grace_ms));
	while ((pid = reap_ended_usage(&status, &used)) > 0) {
		shepherd_step_reaped(s, pid, status, &used);
		if (s->reaped || pid != s->pid)
			continue; /* an orphan may have got the pid of the first process */
		s->reaped = first = true;
		s->status = status;
	}
	/* it may have died after the report was looked at, if the signal was that of another child */
	if (first && s->report >= 0)
		receive_report(s);
	if (pid < 0 && errno == ECHILD)
		step(s, SHEPHERD_EV_EMPTY);
	else if (first)
		step(s, SHEPHERD_EV_FIRST_ENDED);
}

static void send_ordered(struct shepherd *s, uint32_t wish)
{
	s->sending = (int)(wish & ~(uint32_t)ORDER_TO_FIRST);
	s->to_first = wish & ORDER_TO_FIRST;
	step(s, SHEPHERD_EV_SIGNAL);
}

static void take_step(struct shepherd *s, const struct control_order *o, int payload_fd)
{
	unsigned effects;

	s->phase = shepherd_phase_step(s->phase, SHEPHERD_EV_STEP, &effects);
	if (effects & SHEPHERD_RUN_STEP)
		shepherd_step_begin(s, o, payload_fd);
}

/* The text of the order that ends the task counts; copies of the order repeat it. */
static void take_kill(struct shepherd *s, const struct control_order *o, int text_fd)
{
	if (!s->told && may_stop(s) && text_fd >= 0)
		s->told = shepherd_read_told(s, text_fd);
	stop(s, o->cause, shepherd_grace_us(o->grace_ms < 0 ? s->body->grace_ms : o->grace_ms));
}

static void receive_orders(struct shepherd *s)
{
	struct control_order o;
	int fd;

	while (control_receive(s->task->control_fd, &o, &fd)) {
		if (o.kind == CONTROL_KILL)
			take_kill(s, &o, fd);
		else if (o.kind == CONTROL_SIGNAL)
			send_ordered(s, o.cause);
		else if (o.kind == CONTROL_RELEASE)
			release(s);
		else if (o.kind == CONTROL_STEP && fd >= 0)
			take_step(s, &o, fd);
		else if (o.kind == CONTROL_SIGNAL_STEP)
			shepherd_step_signal(s, &o);
		else if (o.kind == CONTROL_TELL_STEPS)
			shepherd_steps_tell_all(s);
		else if (o.kind == CONTROL_SETTINGS && fd >= 0)
			shepherd_take_settings(s, fd, may_stop(s));
		close_fd(&fd);
	}
}

/*
 * Check the lease several times during its length. If the end that the last check computed has
 * passed, this machine was suspended for longer than the check interval. A renewal that was
 * recorded since then came too late: the controller may have started the task elsewhere.
 */
static void check_lease(struct shepherd *s)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME), grace = 0,
		at_us = shepherd_lease_stop_us(s, &grace);
	bool too_late = at_us && s->lease_end_us && now_us >= s->lease_end_us;

	if (too_late)
		grace = 0;
	if (too_late || (at_us && now_us >= at_us))
		stop(s, ARMADA__END_CAUSE__END_LEASE, grace);
	s->lease_end_us = at_us ? at_us + grace : 0;
}

static void earlier(int64_t *first, int64_t at_us)
{
	if (at_us > 0 && (*first == 0 || at_us < *first))
		*first = at_us;
}

/*
 * The end of the lease limits every grace period: no process is left after it, even if a renewal
 * came too late.
 */
static void bound_grace(struct shepherd *s)
{
	int64_t grace = 0, at_us = shepherd_lease_stop_us(s, &grace), end_us = at_us + grace;

	if (!at_us || s->phase == SHEPHERD_KILLING)
		return;
	if (s->lease_end_us && clock_us(CLOCK_BOOTTIME) >= s->lease_end_us)
		end_us = s->lease_end_us;
	if (s->next_kill_us > end_us)
		s->next_kill_us = end_us;
	s->lease_end_us = end_us;
}

/* at_us 0: never. Setting the timer makes it unreadable until it expires. */
static void set_timer(const struct shepherd *s, int64_t at_us)
{
	struct itimerspec at = {{0}, {at_us / 1000000, at_us % 1000000 * 1000}};

	if (s->timer >= 0)
		timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/*
 * The clock of poll() stops while the machine sleeps, so a timer is set too. Without a timer the
 * loop wakes once a minute.
 */
static int wait_ms(const struct shepherd *s)
{
	int64_t first = 0, grace, left, now_us = clock_us(CLOCK_BOOTTIME);

	if (may_stop(s)) {
		earlier(&first, shepherd_limit_us(s));
		if (s->phase == SHEPHERD_RUNNING)
			earlier(&first, shepherd_warn_us(s));
		earlier(&first, shepherd_lease_stop_us(s, &grace));
	} else {
		earlier(&first, s->next_kill_us);
	}
	if (s->body->lease_ms > 0)
		earlier(&first, now_us + s->body->lease_ms * 1000 / LEASE_CHECKS);
	earlier(&first, shepherd_usage_due_us(s));
	earlier(&first, s->steps_due_us);
	earlier(&first, s->oom.next_us);
	set_timer(s, first);
	if (first == 0)
		return -1;
	left = (first - now_us + 999) / 1000;
	return left < 0 ? 0 : left > WAKE_MAX_MS ? WAKE_MAX_MS : (int)left;
}

static void warn(struct shepherd *s)
{
	s->warned = true;
	s->sending = s->body->signal;
	s->to_first = s->body->signal_script;
	step(s, SHEPHERD_EV_WARN);
}

/* Report a task that survives SIGKILL, repeatedly, until an administrator repairs the machine. */
static void check_stuck(struct shepherd *s, int64_t now_us)
{
	int64_t after_us = (s->task->stuck_ms ? s->task->stuck_ms : (int64_t)STUCK_MS) * 1000;

	if (s->phase != SHEPHERD_KILLING || now_us < s->killing_us + after_us ||
	    now_us < s->stuck_us)
		return;
	s->stuck_us = now_us + after_us;
	s->text = arena_printf(s->arena, "SIGKILL did not end it for more than %s",
			       duration_words(now_us - s->killing_us).text);
	step(s, SHEPHERD_EV_STUCK);
}

static void check_deadlines(struct shepherd *s)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME), at_us;

	if (!may_stop(s)) {
		bound_grace(s);
		if (now_us >= s->next_kill_us)
			step(s, SHEPHERD_EV_GRACE_OVER);
		check_stuck(s, now_us);
		return;
	}
	at_us = shepherd_warn_us(s);
	if (at_us && now_us >= at_us && s->phase == SHEPHERD_RUNNING)
		warn(s);
	at_us = shepherd_limit_us(s);
	if (at_us && now_us >= at_us) {
		s->text = shepherd_limit_text(s);
		stop(s, ARMADA__END_CAUSE__END_TIME_LIMIT, shepherd_grace_us(s->body->grace_ms));
	}
	check_lease(s);
}

void shepherd_watch(struct shepherd *s)
{
	s->grace_us = shepherd_grace_us(s->body->grace_ms);
	s->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	while (s->phase != SHEPHERD_DONE) {
		struct pollfd fds[] = {
			{.fd = s->signals, .events = POLLIN},
			{.fd = s->task->control_fd, .events = POLLIN},
			{.fd = s->report, .events = POLLIN},
			{.fd = s->timer, .events = POLLIN},
			{.fd = shepherd_watch_fd(s), .events = POLLIN | POLLPRI},
		};

		poll(fds, ARRAY_SIZE(fds), wait_ms(s));
		/*
		 * The report first: the child may be dead already, and its death is handled after
		 * it.
		 */
		if (s->report >= 0)
			receive_report(s);
		receive_orders(s);
		if (shepherd_check_oom(s, fds[4].revents != 0))
			stop(s, ARMADA__END_CAUSE__END_OUT_OF_MEMORY, 0);
		check_deadlines(s);
		shepherd_usage_tick(s);
		shepherd_steps_tick(s);
		if (fds[0].revents || s->phase == SHEPHERD_KILLING)
			reap(s);
	}
}
