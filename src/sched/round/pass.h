/*
 * Passes of a round: what the order plugin passes over comes back when it begins again.
 */
#pragma once

#include "sched/round/round.h"

/* What does it want of the row's head, a subqueue? Whoever it is done with is closed. */
enum armada_order_turn pass_ask(struct round *r, uint32_t row,
				struct armada_order_excess *ret_excess);
/* The head would have room, and is passed over. */
void pass_over(struct round *r, uint32_t row, const struct armada_order_excess *excess);
/* Was the subqueue passed over in this stage; in this round? */
bool pass_is_over(const struct round *r, const struct subqueue *l);
/* All heads are gone: are there others, now that those who were passed over come back? */
bool pass_again(struct round *r);
/* The reason of one that was passed over, and has no room any more. */
struct reason pass_reason(struct round *r, uint32_t job, struct reason blocked);
