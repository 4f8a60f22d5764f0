/*
 * Why a job waits, in one line with its numbers.
 */
#ifndef SCHED_REASON_H
#define SCHED_REASON_H

#include "sched/parts.h"

/* "4", "16G", "2": the amount of a resource as people write it. */
void reason_amount(size_t resource, int64_t amount, char *out, size_t size);
/* "in at most 1h 20m": rounded up, more so the longer it is. */
void reason_wait(int64_t us, char *out, size_t size);

#endif
