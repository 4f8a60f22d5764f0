/*
 * The results of finished jobs, for new jobs that depend on them, and for requests about ended elements.
 *
 * Pure but for the state plugin's two read calls; runs on the query thread.
 */
#pragma once

#include "core/core.h"
#include <armada/state.h>

/*
 * Look up each job, in order; free with history_lookup_free, also after a failure. Jobs that the
 * viewer may not see are reported as unknown (NULL: the viewer sees all). element: of each job, whose
 * end is looked up instead of the results; NULL: none.
 */
int history_lookup_find(const struct armada_state_ops *state, void *handle,
			const struct core_viewer *viewer, const uint64_t *jobs, size_t count,
			const uint32_t *element, struct core_finished_job *ret_past,
			struct err *err);
void history_lookup_free(struct core_finished_job *finished, size_t count);
