/* The controller's words about the job, while the tasks are on their way. */
#include "cmd/arun/updates.h"

#include <stdio.h>
#include <unistd.h>

/* On a terminal somebody sits and wonders. */
enum { SAY_TERMINAL_MS = 1000, SAY_MS = 5000 };

void updates_tell_waits(struct run *r, int64_t now_ms)
{
	int64_t at_ms = r->begun_ms + (isatty(STDERR_FILENO) ? SAY_TERMINAL_MS : SAY_MS);

	if (!r->waiting || r->going || r->plan->quiet)
		return;
	if (now_ms < at_ms) {
		run_wake(r, at_ms);
		return;
	}
	if (!r->said_waits)
		run_say(r, "job %lu waits%s%s", (unsigned long)r->plan->job,
			r->waits.text[0] ? ": " : "", r->waits.text);
	r->said_waits = true;
}

static void hear(struct run *r, const struct watch_update *n)
{
	switch (n->kind) {
	case WATCH_WAITS:
		r->waiting = true;
		r->waits = *n;
		r->said_waits = false;
		break;
	case WATCH_RUNS:
		if (r->said_waits && !r->plan->quiet)
			run_say(r, "job %lu has its nodes", (unsigned long)r->plan->job);
		r->waiting = false;
		break;
	case WATCH_SILENT:
		if (!r->said_silent && !r->plan->quiet)
			run_say(r, "%s; trying again", n->text);
		r->said_silent = true;
		break;
	case WATCH_ENDED:
		r->waiting = false;
		r->job_ended = true;
		r->end = *n;
		break;
	}
}

void updates_read(struct run *r)
{
	struct watch_update news;

	while (watch_read(r->plan->watch, &news))
		hear(r, &news);
}
