/*
 * The head of each row: the gang of its queue that is next. The subqueues of a row are a heap over the jobs
 * where they stand; what was evicted comes before them.
 */
#pragma once

#include "sched/round/round.h"

void queue_head_begin(struct round *r);
/* The first jobs of a queue that starts nothing are told so. */
void queue_head_closed(struct round *r, const struct queue *q);
/* The row's gang that would be put back; NIL: its head is a subqueue. */
uint32_t queue_head_gang(const struct round *r, uint32_t row);
/* Find the row's next gang and what it would cost; false: it has none. */
bool queue_head_find(struct round *r, uint32_t row);
/* The subqueue that the head came from. */
uint32_t queue_head_subqueue(const struct round *r, uint32_t row);
/* Its gang was placed: the next element, or the next job. */
void queue_head_taken(struct round *r, uint32_t row);
/* Its gang may not be started for a reason that holds for all of its subqueue. */
void queue_head_skip(struct round *r, uint32_t row);
/* Its gang is passed over, and so is what follows it in its subqueue. */
void queue_head_leave(struct round *r, uint32_t row);
/* All rows from where their subqueues stand now. */
void queue_head_again(struct round *r);
