/* The memory of the process: how much is in use, and giving back what is not. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct memory_use {
	uint64_t used;   /* bytes of allocations, at the last look */
	uint64_t unused; /* bytes that malloc keeps */
	uint64_t given;  /* the least of `unused` since memory was given back last */
};

/*
 * Called once at the start of a program whose memory grows and shrinks much: large allocations are of their
 * own, so that they leave with their free.
 */
void memory_use_setup(void);
/*
 * Count, and give memory back to the system if much more is unused than after the last time. Takes some
 * milliseconds where many small pieces are free.
 */
void memory_use_look(struct memory_use *h);
