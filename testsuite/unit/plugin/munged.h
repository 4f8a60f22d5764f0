/*
 * A munged for one test, with a key and a socket in a temporary directory.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct munged {
	char dir[64], socket[80];
	pid_t pid;
};

/* False if munged cannot run on this machine. */
bool munged_start(struct munged *m);
void munged_stop(struct munged *m);
