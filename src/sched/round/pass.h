/*
 * Stages of a round: gangs that the order plugin passes over come back in the next stage.
 */
#pragma once

#include "sched/round/round.h"

/*
 * The order plugin's decision about the row's head, which is a subqueue. ARMADA_ORDER_LEAVE closes
 * the row for this stage.
 */
enum armada_order_turn pass_ask(struct round *r, uint32_t row,
				struct armada_order_excess *ret_excess);
/* The head has room, and is passed over. */
void pass_over(struct round *r, uint32_t row, const struct armada_order_excess *excess);
/* Was the subqueue passed over in this stage? */
bool pass_is_over(const struct round *r, const struct subqueue *l);
/*
 * No head is left: does the order plugin begin another stage? If so, the gangs that were passed
 * over come back.
 */
bool pass_again(struct round *r);
/* The reason of a gang that was passed over and has no room any more. */
struct reason pass_reason(struct round *r, uint32_t job, struct reason blocked);
