/*
 * The limits in the way of one gang, of its queue, or of all new gangs of the round.
 */
#pragma once

#include "sched/round/round.h"

enum limit_verdict { LIMIT_NONE, LIMIT_GANG, LIMIT_QUEUE, LIMIT_ROUND };
void limit_check_begin(struct round *r);
/* May the gang where the subqueue stands be started for the row? If not: why. */
enum limit_verdict limit_check_gang(struct round *r, uint32_t row, uint32_t subqueue,
				    struct reason *ret_why);
void limit_check_charge(struct round *r, uint32_t row, const struct running_gang *a);
void limit_check_charge_preempted(struct round *r, uint32_t tasks);
bool limit_check_preempt_spent(const struct round *r);
/* No more may be displaced: until when? */
void limit_check_await_preempt(struct round *r);
/* What stood in the way stands there for this round alone: the next may go on, if this one started any. */
void limit_check_go_on(struct round *r);
