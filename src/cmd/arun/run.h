/*
 * The state of the relay, which its files share: relay.c owns it, tasks.c, input.c, signals.c and
 * updates.c change it for what they are told.
 */
#pragma once

#include "cmd/arun/relay.h"
#include "cmd/arun/tty.h"

struct run {
	const struct run_plan *plan;
	struct links links;
	struct sink out, err;
	struct tty tty;
	int signals;      /* signalfd */
	int64_t start_ms; /* when we began to wait */
	int64_t wake_ms;  /* look again then; 0: nothing to look at */
	bool started;     /* all tasks were told to begin */
	bool stdin_ended; /* end of standard input, or nobody who wants any */

	/* the job of our own */
	struct watch_update waits, end;
	bool waiting, pending_reported, unreachable_reported, job_ended;
	bool ending_reported; /* that the others of one that failed are */

	/* ^C */
	int64_t interrupted_ms;
	int interrupts;
	int stop; /* the signal that ended the waiting; 0: none */
	bool cancelled, quit;
};

/* "arun: ..." on stderr; with a carriage return where the terminal is raw. */
void run_print(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_wake_at(struct run *r, int64_t at_ms);
