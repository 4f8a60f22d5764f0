/*
 * The preemptor of each gang that lost its nodes, found when the round ends.
 */
#pragma once

#include "sched/round/running_gang.h"

void preemptor_find_all(struct round *r);
void preemptor_report(struct round *r, const struct running_gang *a, struct sched_decision *ret);
