/*
 * Who holds the reservation of a round, and whom it holds back.
 */
#pragma once

#include "sched/round/round.h"

void backfill_begin(struct round *r);
void backfill_end(struct round *r);
void backfill_show(struct round *r); /* in the result */
void backfill_started(struct round *r, const struct running_gang *a);
/* The gang where the subqueue stands has no room: it may get the reservation. */
void backfill_seek(struct round *r, uint32_t subqueue);
/* place_gang, leaving the reservation what it needs. */
bool backfill_place(struct round *r, uint32_t subqueue, uint32_t *ret_found);
/* Is it known that the gang where the subqueue stands would have room, but for too long? */
bool backfill_holds(const struct round *r, uint32_t subqueue);
/* Must the job leave the reservation what it needs? */
bool backfill_binds(const struct round *r, uint32_t job);
/* Tell it so. */
void backfill_report_held(struct round *r, uint32_t job);
/* It holds the reservation, and was not told that it starts then. */
bool backfill_is_unreported(const struct round *r, uint32_t job);
/* When it starts, if it holds the reservation; 0: it does not. And the same in words. */
int64_t backfill_expected(const struct round *r, uint32_t job);
void backfill_append_start(struct round *r, uint32_t job, struct reason *reason);
