/*
 * Limits in absolute numbers, of the queue and of the user of a gang, in the round in hand.
 */
#pragma once

#include "sched/round/limit_check.h"

/* May the gang where the subqueue stands be started? If not: why. */
enum limit_verdict absolute_limit_check(struct round *r, uint32_t subqueue, struct reason *ret_why);
/* One of the job was started. */
void absolute_limit_charge(struct round *r, uint32_t job, const int64_t *amounts);
/* What the queue may use of a resource in such numbers. */
int64_t absolute_limit_of(const struct model *m, const struct queue *q, size_t resource);
