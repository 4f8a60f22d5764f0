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

/* avoid.c */
int fold_job_avoids(struct core *c, const Armada__JobAvoids *m, struct err *err);

#endif
