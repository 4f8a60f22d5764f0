/*
 * Signals that arun passes on, as users of srun expect it.
 *
 * Before the tasks start, a signal that would end arun cancels the job. Later, signals are passed
 * on to the tasks. On a terminal, the first ^C prints how many tasks run, a second one within a
 * second is passed on, and a third one ends the job.
 */
#include "cmd/arun/signals.h"

#include "cmd/arun/tasks.h"
#include "util/plural.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { AGAIN_MS = 1000 };

/* Signals that arun handles. SIGPIPE is ignored, because the write reports it. */
static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};

int signals_block(void)
{
	sigset_t mask;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		sigaddset(&mask, handled[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void print_state(struct run *r)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < r->links.count; i++)
		running += r->links.tasks[i].state == TASK_RUNNING;
	run_print(
		r,
		"interrupt: %u of %u task%s running; ^C again within a second is passed on to them",
		running, r->links.count, plural(r->links.count, "", "s"));
}

static void cancel(struct run *r, const char *why)
{
	if (r->cancelled)
		r->quit = true;
	r->cancelled = true;
	if (r->plan->cancel)
		r->plan->cancel(r->plan->ctx, why);
	else
		r->quit = true;
}

static void interrupt(struct run *r, int64_t now_ms)
{
	if (!r->plan->interrupts) {
		tasks_signal(r, SIGINT);
		return;
	}
	if (now_ms - r->interrupted_ms > AGAIN_MS)
		r->interrupts = 0;
	r->interrupted_ms = now_ms;
	r->interrupts++;
	if (r->interrupts == 1) {
		print_state(r);
	} else if (r->interrupts == 2) {
		run_print(r, "passing the interrupt on; ^C again ends the job");
		r->stop = SIGINT;
		tasks_signal(r, SIGINT);
	} else {
		run_print(r, "ending the tasks");
		cancel(r, "interrupted");
	}
}

/* No task runs yet: a signal that would end arun cancels the job and ends arun. */
static void stop_waiting(struct run *r, int sig)
{
	if (sig == SIGUSR1 || sig == SIGUSR2)
		return;
	r->stop = sig;
	cancel(r, sig == SIGINT ? "interrupted" : "arun was ended");
	r->quit = true;
}

void signals_read(struct run *r, int64_t now_ms)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGWINCH)
			tasks_resize(r);
		else if (!r->started)
			stop_waiting(r, sig);
		else if (sig == SIGINT)
			interrupt(r, now_ms);
		else
			tasks_signal(r, sig);
	}
}
