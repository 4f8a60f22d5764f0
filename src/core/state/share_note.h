/*
 * The values of a queue when its share was last noted (core/lifecycle/shares.h says when that
 * happens).
 */
#pragma once

#include "core/state/queue.h"

struct share_note {
	int64_t time_us;
	int64_t round_us; /* the time of memory: that of the round */
	double level;     /* the cost of what the queue holds from time_us on */
	double fair, capped, weight, memory, factor;
	char fairness[]; /* the fairness plugin that computed the values */
};

/* The note as a message in the arena, NULL for none; and the name of the plugin, "" for none. */
Armada__ShareSample *share_note_sample(const struct queue *q, struct arena *a);
const char *share_note_fairness(const struct queue *q);

#ifdef STATE_WRITES
/* Keep the note for q. q NULL: the queue is gone, and only the time of the note is kept. */
void share_note(struct state *state, struct queue *q, const Armada__ShareSample *m,
		const char *fairness);
void share_note_free(struct share_note *n);
#endif
