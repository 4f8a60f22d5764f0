/*
 * A line on a terminal with the progress of a paged request. It is overwritten, and erased before
 * other output. Without a terminal nothing is printed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what;   /* "updated" */
	int64_t printed_ms; /* steady: when the line was printed last, or the request began */
	bool shown;
};

void progress_begin(struct progress *p, const char *what);
/* This many are done, and more pages follow. */
void progress_step(struct progress *p, uint64_t done);
/* Erases the line; call it before other output. */
void progress_clear(struct progress *p);
