/*
 * Queues and nodes, as the scheduler hears of them.
 */
#ifndef FEED_NODES_QUEUES_H
#define FEED_NODES_QUEUES_H

#include "feed/internal.h"

/* Events of queues and nodes; others change nothing. */
void places_apply(struct mirror *m, const Armada__Record *r, const Armada__Event *ev);
void places_free(struct mirror *m);

#endif
