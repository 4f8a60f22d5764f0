/*
 * Telling jobs why they wait, when that is news, and what is known of shapes meanwhile.
 */
#pragma once

#include "sched/round/reason.h"

enum {
	REASON_GIVEN = 1,
	REASON_OF_SHAPE = 2,
	RETELL = 64, /* shapes whose reason is worked out again in one round */
};

struct round;

/* round: what was found of shapes, and what finding it has cost. */
struct shape_reasons {
	struct reason *list; /* the first is none */
	size_t count, cap;
	uint32_t retold;
	uint64_t nearest_work; /* nodes looked at for reasons */
};

/* Tell a job why it waits, if that is news. of_shape: because its shape does not fit. */
void reason_emit_job(struct round *r, uint32_t job, struct reason reason, bool of_shape);
/* Of jobs that do not even stand in line. */
void reason_emit_notes(struct round *r);
/* Why the shape does not fit, as this round knows it: text NULL if it does not. */
void reason_emit_begin(struct sched *s);
const struct reason *reason_emit_kept(const struct sched *s, uint32_t shape);
void reason_emit_keep(struct sched *s, uint32_t shape, struct reason reason);
