/*
 * Watches one job on a thread with a connection of its own, so that the relay never waits for the
 * controller: why the job is pending, that it runs, how it ended. If no controller answers, the
 * thread tries again without limit.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

enum watch_kind {
	WATCH_PENDING,     /* text: the reason */
	WATCH_RUNNING,     /* it has started */
	WATCH_ENDED,       /* state and exit_code; text: the reason */
	WATCH_UNREACHABLE, /* no controller answers; text: the error */
};

struct watch_update {
	enum watch_kind kind;
	Armada__JobState state;
	int exit_code; /* of the job: 128+n for a signal; 1 if it ended without an exit code or signal */
	char text[512];
};

struct watch;

int watch_start(struct watch **ret_watch, uint64_t job, struct err *err);
/* Readable when an update has arrived. */
int watch_fd(const struct watch *w);
/* Reads one update; false if there is none. */
bool watch_read(struct watch *w, struct watch_update *ret_update);
/* The last call; the process must end soon after it. */
void watch_stop(struct watch *w);
