/*
 * The head of each row: the next gang of its queue. It is the subqueue that stands at the first job; evicted
 * gangs come before the subqueues.
 */
#pragma once

#include "sched/round/round.h"

void queue_head_begin(struct round *r);
/* Report to the first jobs of a queue that the queue starts nothing. */
void queue_head_closed(struct round *r, const struct queue *q);
/* The evicted gang at the head of the row; NIL: the head is a subqueue. */
uint32_t queue_head_gang(const struct round *r, uint32_t row);
/* Has the row a subqueue that may be its head? */
bool queue_head_any(struct round *r, uint32_t row);
/* Find the row's next gang and its cost; false: there is none. */
bool queue_head_find(struct round *r, uint32_t row);
/* The subqueue of the head. */
uint32_t queue_head_subqueue(const struct round *r, uint32_t row);
/* The gang was placed: move to the next element, or the next job. */
void queue_head_taken(struct round *r, uint32_t row);
/* The gang may not be started for a reason that holds for all of its subqueue. */
void queue_head_skip(struct round *r, uint32_t row);
/* The gang is passed over, and so is the rest of its subqueue. */
void queue_head_leave(struct round *r, uint32_t row);
/* Build the heaps of all rows again from where their subqueues stand now. */
void queue_head_again(struct round *r);
