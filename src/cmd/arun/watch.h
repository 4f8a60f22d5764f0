/*
 * What the controller says of the job meanwhile, asked on a thread with a connection of its own, so
 * that nobody waits for it: why the job waits, that it runs, how it ended. A controller that is
 * away is tried again for ever.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

enum watch_kind {
	WATCH_PENDING,     /* text: why */
	WATCH_RUNNING,     /* it has its nodes */
	WATCH_ENDED,       /* state and exit_code; text: the reason */
	WATCH_UNREACHABLE, /* text: what is wrong with the controller */
};

struct watch_update {
	enum watch_kind kind;
	Armada__JobState state;
	int exit_code; /* the job's own: 128+n for a signal, 1 for an end that is neither */
	char text[512];
};

struct watch;

int watch_start(struct watch **ret_watch, uint64_t job, struct err *err);
/* Readable when there is news. */
int watch_fd(const struct watch *w);
/* False when there is none. */
bool watch_read(struct watch *w, struct watch_update *ret_update);
/* The last call; the process is about to end. */
void watch_stop(struct watch *w);
