/*
 * Limits in absolute numbers of the queue and of the user of a gang, in the current round.
 */
#pragma once

#include "sched/round/limit_check.h"

/* May the gang at which the subqueue stands be started? If not: the reason. */
enum limit_verdict absolute_limit_check(struct round *r, uint32_t subqueue, struct reason *ret_why);
/* An element of the job was started. */
void absolute_limit_charge(struct round *r, uint32_t job, const int64_t *amounts);
/* The absolute limit of a queue for a resource; INT64_MAX: none. */
int64_t absolute_limit_of(const struct model *m, const struct queue *q, size_t resource);
