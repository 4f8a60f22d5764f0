/*
 * The folds of single events, by noun, as the table of fold.c calls them. Each gives 0, or -EINVAL
 * with a sentence for an event that does not fit the state.
 */
#ifndef CORE_FOLD_PARTS_H
#define CORE_FOLD_PARTS_H

#include "core/fold.h"

/* fold_node.c */
int fold_node_set(struct core *c, const Armada__NodeSet *m, struct err *err);
int fold_node_state_set(struct core *c, const Armada__NodeStateSet *m, struct err *err);
int fold_node_linked(struct core *c, const Armada__NodeLinked *m, struct err *err);
int fold_node_deleted(struct core *c, const Armada__NodeDeleted *m, struct err *err);
int fold_lease_extended(struct core *c, const Armada__LeaseExtended *m, struct err *err);
int fold_node_reboot(struct core *c, const Armada__NodeReboot *m, struct err *err);
int fold_snap_node(struct core *c, const Armada__SnapNode *m, struct err *err);

/* fold_snap.c */
int fold_snap_head(struct core *c, const Armada__SnapHead *m, struct err *err);
int fold_snap_queue(struct core *c, const Armada__SnapQueue *m, struct err *err);
int fold_snap_key(struct core *c, const Armada__SnapKey *m, struct err *err);
int fold_snap_job(struct core *c, const Armada__SnapJob *m, struct err *err);

/* fold.c, what restoring does as the first time did it */
void fold_key_add(struct core *c, uint32_t uid, const ProtobufCBinaryData *key, uint64_t first,
		  uint32_t jobs, int64_t until_us);
int fold_job_make(struct core *c, const Armada__JobSubmitted *m, struct job **ret_job,
		  struct err *err);
void fold_wait_add(struct core *c, struct job *j, uint32_t first, uint32_t last);
void fold_set_active(struct core *c, struct job *j, struct element *e, int state);
void fold_note_end(struct job *j, const Armada__ElementEnded *m, uint64_t count);
int fold_task_ended(struct core *c, const Armada__TaskEnded *m, struct err *err);

/* shares.c */
int fold_shares_noted(struct core *c, const Armada__SharesNoted *m, struct err *err);

/* avoid.c */
int fold_job_avoids(struct core *c, const Armada__JobAvoids *m, struct err *err);

#endif
