/*
 * The list of steps of a shepherd (steps.h). Input: step orders, ends of children. Output: children, and
 * notices to the launcher.
 *
 * Caveat: what a step used is what wait4() says of its io stub, so of the processes that the stub has
 * waited for. A notice that a busy launcher did not take is sent again after RETRY_US, or with the next one.
 */
#include "armd/shepherd/steps.h"

#include "armd/shepherd/fork.h"
#include "proto/order.h"
#include "stub/signal.h"
#include "util/clock.h"
#include "util/mem.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { STEPS_KEPT = 64, EXIT_NO_FORK = 126, RETRY_US = 5000000 };

/* The first of those that have ended leaves if there are too many. */
static void forget_one(struct shepherd *s)
{
	size_t ended = 0, first = s->step_count;

	for (size_t i = 0; i < s->step_count; i++) {
		if (!s->steps[i].state.ended)
			continue;
		first = ended++ ? first : i;
	}
	if (ended <= STEPS_KEPT)
		return;
	s->step_count--;
	memmove(&s->steps[first], &s->steps[first + 1],
		(s->step_count - first) * sizeof(*s->steps));
}

static void tell(struct shepherd *s)
{
	s->steps_due_us = 0;
	for (size_t i = 0; i < s->step_count; i++) {
		struct child_step *x = &s->steps[i];

		if (x->told)
			continue;
		x->told = control_send_step(s->task->spool, &s->task->order.key, &x->state);
		if (x->told)
			continue;
		/* the launcher is busy, or there is none */
		s->steps_due_us = clock_us(CLOCK_BOOTTIME) + RETRY_US;
		return;
	}
}

void shepherd_steps_tell_all(struct shepherd *s)
{
	for (size_t i = 0; i < s->step_count; i++)
		s->steps[i].told = false;
	tell(s);
}

void shepherd_steps_tick(struct shepherd *s)
{
	if (s->steps_due_us && clock_us(CLOCK_BOOTTIME) >= s->steps_due_us)
		tell(s);
}

void shepherd_step_begin(struct shepherd *s, const struct control_order *o, int payload_fd)
{
	uint32_t number = o->cause - 1;
	pid_t pid = shepherd_fork_step(s, payload_fd, o->cause ? &number : NULL);
	struct child_step *x;

	if (!o->cause)
		return;
	GROW(s->steps, s->step_cap, s->step_count + 1);
	x = &s->steps[s->step_count++];
	*x = (struct child_step){.pid = pid};
	x->state.step = number;
	x->state.layer = (uint32_t)o->grace_ms;
	x->state.start_us = clock_us(CLOCK_REALTIME);
	if (pid < 0) {
		x->state.ended = true;
		x->state.exit_code = EXIT_NO_FORK;
		x->state.end_us = x->state.start_us;
	}
	forget_one(s);
	tell(s);
}

void shepherd_step_signal(const struct shepherd *s, const struct control_order *o)
{
	const union sigval wish = {.sival_int = (int)o->cause};

	for (size_t i = 0; i < s->step_count; i++) {
		const struct step_state *x = &s->steps[i].state;

		if (!x->ended && order_step_number(x->step, x->layer) == (uint64_t)o->grace_ms)
			sigqueue(s->steps[i].pid, STUB_SIGNAL, wish);
	}
}

static int64_t us_of(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

static void take_usage(struct step_state *x, const struct rusage *used)
{
	x->usage.user_us = us_of(&used->ru_utime);
	x->usage.system_us = us_of(&used->ru_stime);
	x->usage.cpu_us = x->usage.user_us + x->usage.system_us;
	x->usage.max_rss_bytes = (int64_t)used->ru_maxrss * 1024;
	x->usage.read_bytes = (int64_t)used->ru_inblock * 512;
	x->usage.written_bytes = (int64_t)used->ru_oublock * 512;
}

void shepherd_step_reaped(struct shepherd *s, pid_t pid, int status, const struct rusage *used)
{
	struct child_step *x = s->steps;

	while (x < s->steps + s->step_count && (x->pid != pid || x->state.ended))
		x++;
	if (x == s->steps + s->step_count)
		return;
	x->state.ended = true;
	x->state.end_us = clock_us(CLOCK_REALTIME);
	x->state.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	x->state.exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	take_usage(&x->state, used);
	x->told = false;
	forget_one(s);
	tell(s);
}
