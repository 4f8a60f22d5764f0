/*
 * Pauses before restarts: an element that failed by itself waits longer before each further attempt.
 *
 * The event that requeues the element has the end of its pause. Until ElementDue ends the pause, the
 * scheduler does not know that the element waits. The first restart has no pause. An element of a gang of
 * jobs has none: the jobs of a gang wait together.
 */
#pragma once

#include "core/txn/txn.h"

/* The end of the pause of an element that is requeued as this restart, from 1; 0: it has none. */
int64_t restart_pause_end(struct txn *txn, const struct element *e, uint32_t restarts);
/* Ends the pauses that are over. */
void restart_pause_due(struct txn *txn);
