/* Pages of job events from the history. Runs on the query thread. */
#pragma once

#include "armctld/history_query.h"

/*
 * The events that a watcher may see, from ask->from on: a part of a JOB_EVENTS without its `next`, which is
 * in the answer. next <= from: there are no more.
 */
void history_events_find(const struct armada_state_ops *state, void *handle,
			 const struct watch_ask *ask, struct history_answer *ret_answer);
