/*
 * A private munged for a test: its own key and socket in its own directory, ended by its pid.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct munged {
	char dir[64], socket[80];
	pid_t pid;
};

/* False when munged cannot run here. */
bool munged_start(struct munged *m);
void munged_stop(struct munged *m);
