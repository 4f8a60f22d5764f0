/*
 * Queues and nodes, as the scheduler hears of them.
 */
#pragma once

#include "feed/internal.h"

/* Events of queues and nodes; others change nothing. */
void places_apply(struct mirror *m, const Armada__Record *r, const Armada__Event *ev);
void places_free(struct mirror *m);
