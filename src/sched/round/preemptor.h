/* The preemptor: the gang for which a running gang was preempted. */
#pragma once

#include "sched/round/round.h"

/* The decision to preempt the gang, with the preemptor and the text for the owner. */
void preemptor_report(struct round *r, const struct running_gang *a, struct sched_decision *ret);
