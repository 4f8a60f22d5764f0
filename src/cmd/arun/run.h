/*
 * The state of the relay, which its files share. relay.c owns it; tasks.c, input.c, signals.c and
 * updates.c change it when events arrive.
 */
#pragma once

#include "cmd/arun/fence.h"
#include "cmd/arun/relay.h"
#include "cmd/arun/tty.h"

struct run {
	const struct run_plan *plan;
	struct links links;
	struct sink out, err;
	struct tty tty;
	int signals;      /* signalfd */
	int64_t start_ms; /* when the relay began */
	int64_t wake_ms;  /* the next timeout; 0: none */
	bool started;     /* BEGIN was sent to all tasks */
	bool stdin_ended; /* no more standard input is read */

	/* the job that arun submitted */
	struct watch_update pending_update, end;
	bool pending, pending_reported, unreachable_reported, job_ended;
	bool ending_reported; /* --kill-on-bad-exit: "ending the other tasks" was printed */

	struct fence fence;

	/* ^C */
	int64_t interrupted_ms;
	int interrupts;
	int stop; /* the signal that ended the run; 0: none */
	bool cancelled, quit;
};

/* Prints "arun: ..." on stderr, with a carriage return if the terminal is raw. */
void run_print(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets a timeout; the earliest one counts. */
void run_wake_at(struct run *r, int64_t at_ms);
