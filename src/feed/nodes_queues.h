/*
 * Queues and nodes, as the scheduler hears of them.
 */
#pragma once

#include "feed/internal.h"

/* Events of queues and nodes; others change nothing. */
void nodes_queues_apply(struct sched_feed *m, const Armada__Record *r, const Armada__Event *ev);
void nodes_queues_free(struct sched_feed *m);
