/*
 * What a stub does: wait for arun's word, run the program, carry its input and output, and say how
 * it ended.
 *
 *	WAITING --BEGIN--> RUNNING --it ended--> DRAINING --no output left--> REPORTED --arun hung up--> over
 *
 * When arun is gone, or the way to it, the program is ended: SIGHUP and SIGTERM, the grace period,
 * SIGKILL.
 */
#pragma once

#include "stub/payload.h"
#include "stub/stream.h"

/* How the program ended: of signal, or with exit_code. */
struct relay_end {
	int exit_code, signal;
};

/* fd: the connection, non-blocking; both are borrowed. Returns when all is over. */
void relay_run(const struct payload *p, int fd, struct stream *s, struct relay_end *ret_end);
