/*
 * Functions that both the fold of the original events and the restore of a snapshot use.
 */
#pragma once

#include "core/state/fold_events.h"

int fold_job_make(struct fold *f, const Armada__JobSubmitted *m, struct job **ret_job,
		  struct err *err);
void fold_wait_add(struct fold *f, struct job *j, uint32_t first, uint32_t last, uint32_t step);
void fold_wait_remove(struct fold *f, struct job *j, uint32_t first, uint32_t last);
/*
 * The state of the element has changed; was: it was active before. Updates the counters of the
 * job's gang, its queue, its user and the state.
 */
void fold_count_active(struct fold *f, struct element *e, bool was);
/* The same for an element of a snapshot. */
void fold_restore_active(struct fold *f, struct element *e);
/* Stores how the task ended. The caller updates the sums of resources. */
void fold_set_end(struct task *t, const Armada__TaskEnd *end);
void fold_note_end(struct job *j, const Armada__ElementEnded *m, uint64_t count);
/* Add the elements of an array that did not COMPLETE. */
void fold_note_bad(struct job *j, const Armada__ElementEnded *m);
