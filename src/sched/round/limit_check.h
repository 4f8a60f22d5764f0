/*
 * The limits that keep one gang, its queue, or all new gangs of the round from starting.
 */
#pragma once

#include "sched/round/round.h"

enum limit_verdict { LIMIT_NONE, LIMIT_GANG, LIMIT_QUEUE, LIMIT_ROUND };
void limit_check_begin(struct round *r);
/* May the gang at which the subqueue stands be started for the row? If not: the reason. */
enum limit_verdict limit_check_gang(struct round *r, uint32_t row, uint32_t subqueue,
				    struct reason *ret_why);
void limit_check_charge(struct round *r, uint32_t row, const struct running_gang *a);
void limit_check_charge_preempted(struct round *r, uint32_t tasks);
bool limit_check_preempt_spent(const struct round *r);
/* The preemption budget is spent: note when the next round may preempt again. */
void limit_check_await_preempt(struct round *r);
/*
 * A limit of this round only was reached: if the round started a task, the next round follows at
 * once.
 */
void limit_check_go_on(struct round *r);
