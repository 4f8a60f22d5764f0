/*
 * Limits in absolute numbers, of the queue and of the user of a gang, in the round in hand. Private to
 * src/sched.
 */
#ifndef SCHED_ALLOWANCE_H
#define SCHED_ALLOWANCE_H

#include "sched/round.h"

/* May the gang where the lane stands be started? If not: why. */
enum verdict allowance_check(struct round *r, uint32_t lane, struct reason *ret_why);
/* One of the job was started. */
void allowance_charge(struct round *r, uint32_t job, const int64_t *amounts);
/* What the queue may use of a resource in such numbers. */
int64_t allowance_of(const struct sched *s, const struct queue *q, size_t resource);

#endif
