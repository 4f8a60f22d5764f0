/*
 * What others use of the room that is reserved, until the gang starts for which it is reserved.
 */
#pragma once

#include "sched/round/round.h"

/*
 * The room of the reservation after the decisions of the round, as costs. Call it before the round restores
 * the nodes.
 */
void recovered_measure(struct round *r, struct sched_reservation *out);
/* The round holds no reservation. */
void recovered_forget(struct round *r);
