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
	int64_t begun_ms; /* when we began to wait */
	int64_t wake_ms;  /* look again then; 0: nothing to look at */
	bool going;       /* all tasks were told to begin */
	bool input_over;  /* end of standard input, or nobody who wants any */

	/* the job of our own */
	struct watch_update waits, end;
	bool waiting, said_waits, said_silent, job_ended;
	bool said_ending; /* that the others of one that failed are */

	/* ^C */
	int64_t interrupted_ms;
	int interrupts;
	int stop; /* the signal that ended the waiting; 0: none */
	bool cancelled, leave;
};

/* "arun: ..." on stderr; with a carriage return where the terminal is raw. */
void run_say(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_wake(struct run *r, int64_t at_ms);
