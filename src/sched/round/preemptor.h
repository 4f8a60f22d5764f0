/*
 * For whom those who lost their nodes made room, found when the round is over.
 */
#pragma once

#include "sched/round/running_gang.h"

void preemptor_find_all(struct round *r);
void preemptor_report(struct round *r, const struct running_gang *a, struct sched_decision *ret);
