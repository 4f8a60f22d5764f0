/*
 * Rounds that go through their queues more than once, as the order plugin has it: what it passes over
 * comes back when it begins again. Private to src/sched.
 */
#ifndef SCHED_STAGE_H
#define SCHED_STAGE_H

#include "sched/round.h"

/* What does it want of the row's head, a lane? Whoever it is done with is closed. */
enum armada_order_turn stage_turn(struct round *r, uint32_t row,
				  struct armada_order_excess *ret_excess);
/* The head would have room, and is passed over. */
void stage_pass(struct round *r, uint32_t row, const struct armada_order_excess *excess);
/* Was the lane passed over in this stage; in this round? */
bool stage_passed(const struct round *r, const struct lane *l);
/* All heads are gone: are there others, now that those who were passed over come back? */
bool stage_again(struct round *r);
/* The reason of one that was passed over, and has no room any more. */
struct reason stage_reason(struct round *r, uint32_t job, struct reason blocked);

#endif
