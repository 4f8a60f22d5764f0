/* Job events: writing them, and reading those of a job set. */
#pragma once

#include "sqlite.h"

int events_put(void *handle, const struct armada_history_event *events, size_t count,
	       struct armada_error *err);
int events_find(void *handle, const char *queue, const char *job_set, uint64_t from, uint32_t limit,
		armada_state_event_fn *on_event, void *arg, uint64_t *ret_first, uint64_t *ret_last,
		struct armada_error *err);
