/*
 * What a queue was when its share was last noted (core/lifecycle/shares.h says when it is).
 */
#pragma once

#include "core/state/queue.h"

struct share_note {
	int64_t time_us;
	double cost, fair, capped, weight, memory, factor;
	char fairness[]; /* the plugin that said so */
};

/* As a message in the arena, NULL for none; and the plugin, "" for none. */
Armada__ShareSample *share_note_sample(const struct queue *q, struct arena *a);
const char *share_note_fairness(const struct queue *q);

#ifdef STATE_WRITES
/* Keeps it; q NULL: nobody does. */
void share_note(struct state *state, struct queue *q, const Armada__ShareSample *m,
		const char *fairness);
void share_note_free(struct share_note *n);
#endif
