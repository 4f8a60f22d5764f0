/*
 * Events of nodes and queues, applied to the scheduler's model.
 */
#pragma once

#include "feed/internal.h"

/* Applies an event of a node or a queue; ignores all other events. */
void nodes_queues_apply(struct sched_feed *m, const Armada__Record *r, const Armada__Event *ev);
void nodes_queues_free(struct sched_feed *m);
