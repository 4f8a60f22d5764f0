/*
 * What follows for those who wait for others: from an event, and from the time.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * what follows for others, just before an event of ours is applied; and what follows for
 * those who are due, as far as one input goes (c->unfinished: there is more to do).
 */
void dependency_resolve_event(struct txn *txn, const Armada__Event *ev);
void dependency_resolve_due(struct txn *txn);
