/*
 * Emits the reasons of waiting jobs when they change, and keeps the reasons of shapes within a
 * round.
 */
#pragma once

#include "sched/round/reason.h"

enum {
	REASON_GIVEN = 1,
	REASON_OF_SHAPE = 2,
	RECOMPUTE = 64, /* shapes whose reason is computed again in one round */
};

struct round;

/* The reasons of shapes found in this round, and the work that they cost. */
struct shape_reasons {
	struct reason *list; /* the first is empty */
	size_t count, cap;
	uint32_t recomputed;
	uint64_t nearest_work; /* nodes visited for reasons */
};

/*
 * Emit the reason of a job if it changed. of_shape: the job waits because its shape does not fit.
 */
void reason_emit_job(struct round *r, uint32_t job, struct reason reason, bool of_shape);
/* The same for jobs that are not ready. */
void reason_emit_notes(struct round *r);
/* The reason of a shape in this round: text NULL if it has none. */
void reason_emit_begin(struct sched *s);
const struct reason *reason_emit_kept(const struct sched *s, uint32_t shape);
void reason_emit_keep(struct sched *s, uint32_t shape, struct reason reason);
