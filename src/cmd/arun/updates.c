/*
 * Prints why the job is pending, and handles the other updates about the job.
 */
#include "cmd/arun/updates.h"

#include <stdio.h>
#include <unistd.h>

/* How long a job is pending before the reason is printed; shorter on a terminal. */
enum { REPORT_TERMINAL_MS = 1000, REPORT_MS = 5000 };

void updates_report_pending(struct run *r, int64_t now_ms)
{
	int64_t at_ms = r->start_ms + (isatty(STDERR_FILENO) ? REPORT_TERMINAL_MS : REPORT_MS);

	if (!r->pending || r->started || r->plan->quiet)
		return;
	if (now_ms < at_ms) {
		run_wake_at(r, at_ms);
		return;
	}
	if (!r->pending_reported)
		run_print(r, "job %lu is pending%s%s", (unsigned long)r->plan->job,
			  r->pending_update.text[0] ? ": " : "", r->pending_update.text);
	r->pending_reported = true;
}

static void receive(struct run *r, const struct watch_update *n)
{
	switch (n->kind) {
	case WATCH_PENDING:
		r->pending = true;
		r->pending_update = *n;
		r->pending_reported = false;
		break;
	case WATCH_RUNNING:
		if (r->pending_reported && !r->plan->quiet)
			run_print(r, "job %lu has started", (unsigned long)r->plan->job);
		r->pending = false;
		break;
	case WATCH_UNREACHABLE:
		if (!r->unreachable_reported && !r->plan->quiet)
			run_print(r, "%s; trying again", n->text);
		r->unreachable_reported = true;
		break;
	case WATCH_ENDED:
		r->pending = false;
		r->job_ended = true;
		r->end = *n;
		break;
	}
}

void updates_read(struct run *r)
{
	struct watch_update update;

	while (watch_read(r->plan->watch, &update))
		receive(r, &update);
}
