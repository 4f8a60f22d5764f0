/*
 * Signals, as who comes from srun expects them: passed on; but ^C at a terminal shows once what
 * runs, and is meant for the tasks only when it comes again within a second. A third ends the job.
 */
#include "cmd/arun/signals.h"

#include "cmd/arun/tasks.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { AGAIN_MS = 1000 };

/* What we take ourselves. SIGPIPE shows where we write. */
static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};

int signals_block(void)
{
	sigset_t mask;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&mask, taken[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void show(struct run *r)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < r->links.count; i++)
		running += r->links.tasks[i].state == TASK_RUNNING;
	run_print(r, "interrupt: %u of %u task%s running; ^C again within a second is for them",
		  running, r->links.count, r->links.count == 1 ? "" : "s");
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
		show(r);
	} else if (r->interrupts == 2) {
		run_print(r, "passing the interrupt on; ^C again ends the job");
		r->stop = SIGINT;
		tasks_signal(r, SIGINT);
	} else {
		run_print(r, "ending the tasks");
		cancel(r, "interrupted");
	}
}

/* Nothing runs yet that could be told: whatever would end us ends the waiting. */
static void give_up(struct run *r, int sig)
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
			give_up(r, sig);
		else if (sig == SIGINT)
			interrupt(r, now_ms);
		else
			tasks_signal(r, sig);
	}
}
