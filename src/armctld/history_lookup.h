/*
 * What became of jobs that have ended, for those that are to wait for them.
 *
 * Pure but for the state plugin's two read calls; runs on the query thread.
 */
#pragma once

#include "core/core.h"
#include <armada/state.h>

/*
 * Of each of the jobs, in their order; freed with history_lookup_free also when it failed. What the viewer
 * does not see (NULL: sees all) is not known.
 */
int history_lookup_find(const struct armada_state_ops *state, void *handle,
			const struct core_viewer *viewer, const uint64_t *jobs, size_t count,
			struct core_past *ret_past, struct err *err);
void history_lookup_free(struct core_past *past, size_t count);
