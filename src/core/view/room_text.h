/*
 * The nodes and jobs that a pending job waits for, for EXPLAIN.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Fills in the nodes that are not available and the jobs that hold room on the others, from the
 * names in the scheduler's explanation. Jobs that the asking caller may not see have no id and no
 * user.
 */
void room_text_fill(const struct txn *txn, const struct explain_ask *ask,
		    const struct sched_explanation *x, Armada__ExplainReply *r);
