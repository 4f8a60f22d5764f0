/*
 * EASY backfill: which gang holds the reservation of a round, and which gangs it delays.
 */
#pragma once

#include "sched/round/round.h"

void backfill_begin(struct round *r);
void backfill_end(struct round *r);
void backfill_show(struct round *r); /* copy the reservation into the result */
/* The gang with this number was started; it was displaced again. */
void backfill_started(struct round *r, const struct running_gang *a, uint32_t gang);
void backfill_displaced(struct round *r, uint32_t gang);
/* The gang at which the subqueue stands has no room: try to give it the reservation. */
void backfill_seek(struct round *r, uint32_t subqueue);
/* place_gang, within what the reservation leaves unused if the gang is bound. */
bool backfill_place(struct round *r, uint32_t subqueue, uint32_t *ret_found);
/*
 * Is it known in this round that only the reservation keeps the gang at which the subqueue stands
 * from starting?
 */
bool backfill_delays(const struct round *r, uint32_t subqueue);
/* Is the job bound: would it still run when the reservation begins? */
bool backfill_binds(const struct round *r, uint32_t job);
/* Give the job the reason that the reservation delays it. */
void backfill_report_delayed(struct round *r, uint32_t job);
/* The job holds the reservation, and this start was not reported yet. */
bool backfill_is_unreported(const struct round *r, uint32_t job);
/*
 * The start of the job if it holds the reservation; 0: it does not. backfill_append_start appends
 * it to the reason.
 */
int64_t backfill_expected(const struct round *r, uint32_t job);
void backfill_append_start(struct round *r, uint32_t job, struct reason *reason);
