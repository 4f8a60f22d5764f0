/* Job events: writing them, and reading those of a job set. */
#pragma once

#include "sqlite.h"

int events_put(void *handle, const struct armada_history_event *events, size_t count,
	       struct armada_error *err);
/*
 * A step of retention, within a transaction: delete events before this time, of some sets. The sets come in
 * turn. ret_more: there is more to do.
 */
int events_prune(struct store *s, int64_t before_us, bool *ret_more, struct armada_error *err);
int events_after(void *handle, const char *queue, const char *job_set, uint64_t number,
		 armada_state_event_fn *on_event, void *arg, struct armada_error *err);
int events_find(void *handle, const char *queue, const char *job_set, uint64_t from, uint32_t limit,
		armada_state_event_fn *on_event, void *arg, uint64_t *ret_first, uint64_t *ret_last,
		struct armada_error *err);
