/*
 * The work of a stub: wait for BEGIN, run the program, relay its input and output, and report how
 * it ended.
 *
 *	WAITING --BEGIN--> RUNNING --it ended--> DRAINING --no output left--> REPORTED
 *	REPORTED --arun closed the connection--> end
 *
 * When the connection to arun is lost, the program is ended: SIGHUP and SIGTERM, the grace period,
 * SIGKILL.
 */
#pragma once

#include "stub/mpi.h"

/* How the program ended: by signal, or with exit_code. */
struct relay_end {
	int exit_code, signal;
};

/* Keeps the signal of a shepherd (stub/signal.h) pending until relay_run(). */
void relay_hold_signal(void);
/*
 * fd: the connection, non-blocking; mpi: NULL if the step uses none; all are borrowed. Returns when the
 * connection is closed and the program has ended.
 */
void relay_run(const struct payload *p, int fd, struct stream *s, struct stub_mpi *mpi,
	       struct relay_end *ret_end);
