/*
 * How far the jobs of the watched sets are, counted from their events.
 */
#pragma once

#include "client/events.h"
#include "util/buf.h"

struct progress {
	int64_t waiting, running, done, failed; /* elements */
	int64_t begin_us, begin_ended; /* of the estimate: steady time, and what had ended */
	int exit_code;                 /* the highest of what ended */
};

void progress_note(struct progress *p, const Armada__JobEvent *ev);
/* What the controller counted replaces what was counted from events before. */
void progress_set(struct progress *p, int64_t waiting, int64_t running);
bool progress_is_over(const struct progress *p);
/* "12 waiting, 3 running, 40 done, 1 failed, expected end 14:20" */
void progress_text(const struct progress *p, int64_t now_us, struct buf *out);
