/*
 * A line that tells somebody at a terminal how far a request in parts has come. It is written over, and
 * gone when there is anything else to say; in a pipe there is none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* "updated" */
	int64_t said_ms;  /* steady: when it was written last, or begun */
	bool shown;
};

void progress_begin(struct progress *p, const char *what);
/* So many are done, and there is more to do. */
void progress_step(struct progress *p, uint64_t done);
/* Before anything else is written. */
void progress_clear(struct progress *p);
