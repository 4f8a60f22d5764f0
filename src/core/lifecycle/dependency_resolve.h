/*
 * Resolving dependencies: the effect of an event, or of the time, on the jobs that wait for it.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * _event: call just before an event of this controller is applied; settles the dependencies on its
 * job. _due: handles the jobs that are due, within the bounds of one input (txn->unfinished: more
 * remains).
 */
void dependency_resolve_event(struct txn *txn, const Armada__Event *ev);
void dependency_resolve_due(struct txn *txn);
