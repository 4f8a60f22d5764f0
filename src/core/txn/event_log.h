/*
 * Lines of the log for the events that an administrator wants to know: jobs, nodes and queues.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Call just before an event is applied, and not when it is replayed. Lines about jobs are made only if the
 * input says that they are wanted (log_jobs).
 */
void event_log_line(struct txn *txn, const Armada__Event *ev);
