/*
 * The last line of the output of a task that did not end by itself: why, and for whom.
 */
#pragma once

#include "armd/shepherd/state.h"

/* The text that came with a kill order, with hidden characters made visible; NULL: there is none. */
const char *shepherd_read_told(struct shepherd *s, int fd);
/*
 * What the owner is told of an end that the node made: out of memory, the time limit, a shutdown, the lease.
 * text: that of the end. NULL: nothing.
 */
const char *shepherd_told_by_end(const struct shepherd *s, Armada__EndCause cause,
				 const char *text);
/*
 * Appends the text to the error file of the task, or to its output file if both are one. Waits at most
 * some seconds. Call it when no process of the task is left.
 */
void shepherd_last_line(struct shepherd *s);
