/*
 * Pauses before restarts: an element that failed by itself waits longer before each further attempt.
 *
 * The event that requeues the element has the end of its pause. Until ElementDue ends the pause, the
 * scheduler does not know that the element waits. The first restart has no pause.
 *
 * The jobs of a gang start together, so they pause together: a restart counts for all of them, whichever
 * member failed, and a member that is requeued later pauses until the same time.
 */
#pragma once

#include "core/txn/txn.h"

/* The restarts of an element that is requeued now. failed: it failed by itself. */
uint32_t restart_pause_count(const struct element *e, bool failed);
/* The end of its pause, with these restarts; 0: it has none. */
int64_t restart_pause_end(struct txn *txn, const struct element *e, uint32_t restarts, bool failed);
/* Ends the pauses that are over. */
void restart_pause_due(struct txn *txn);
