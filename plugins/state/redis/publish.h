/* Job events: the history's, and a stream for each job set, which the leader writes. */
#pragma once

#include "redis.h"

int publish_events(void *handle, const struct armada_history_event *events, size_t count,
		   struct armada_error *err);
