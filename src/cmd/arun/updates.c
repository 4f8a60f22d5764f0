/* The controller's words about the job, while the tasks are on their way. */
#include "cmd/arun/updates.h"

#include <stdio.h>
#include <unistd.h>

/* On a terminal somebody sits and wonders. */
enum { SAY_TERMINAL_MS = 1000, SAY_MS = 5000 };

void updates_report_pending(struct run *r, int64_t now_ms)
{
	int64_t at_ms = r->start_ms + (isatty(STDERR_FILENO) ? SAY_TERMINAL_MS : SAY_MS);

	if (!r->waiting || r->started || r->plan->quiet)
		return;
	if (now_ms < at_ms) {
		run_wake_at(r, at_ms);
		return;
	}
	if (!r->pending_reported)
		run_print(r, "job %lu waits%s%s", (unsigned long)r->plan->job,
			  r->waits.text[0] ? ": " : "", r->waits.text);
	r->pending_reported = true;
}

static void receive(struct run *r, const struct watch_update *n)
{
	switch (n->kind) {
	case WATCH_PENDING:
		r->waiting = true;
		r->waits = *n;
		r->pending_reported = false;
		break;
	case WATCH_RUNNING:
		if (r->pending_reported && !r->plan->quiet)
			run_print(r, "job %lu has its nodes", (unsigned long)r->plan->job);
		r->waiting = false;
		break;
	case WATCH_UNREACHABLE:
		if (!r->unreachable_reported && !r->plan->quiet)
			run_print(r, "%s; trying again", n->text);
		r->unreachable_reported = true;
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
		receive(r, &news);
}
