/*
 * The fold of each event; the table of proto/event_table.h calls these functions. Each returns 0,
 * or -EINVAL with a sentence if the event does not fit the state. That is damage, and the state
 * must not be used any more.
 */
#pragma once

#include "core/state/fold.h"
#include "core/state/fold_task_events.h"
#include "core/state/job.h"

int fold_cluster_made(struct fold *f, const Armada__ClusterMade *m, struct err *err);
int fold_epoch_began(struct fold *f, const Armada__EpochBegan *m, struct err *err);
int fold_queue_set(struct fold *f, const Armada__QueueSet *m, struct err *err);
int fold_queue_deleted(struct fold *f, const Armada__QueueDeleted *m, struct err *err);
int fold_blob_stored(struct fold *f, const Armada__BlobStored *m, struct err *err);
int fold_job_submitted(struct fold *f, const Armada__JobSubmitted *m, struct err *err);
int fold_job_held(struct fold *f, const Armada__JobHeld *m, struct err *err);
int fold_element_leased(struct fold *f, const Armada__ElementLeased *m, struct err *err);
int fold_element_ending(struct fold *f, const Armada__ElementEnding *m, struct err *err);
int fold_element_ended(struct fold *f, const Armada__ElementEnded *m, struct err *err);
int fold_element_requeued(struct fold *f, const Armada__ElementRequeued *m, struct err *err);
int fold_node_set(struct fold *f, const Armada__NodeSet *m, struct err *err);
int fold_node_state_set(struct fold *f, const Armada__NodeStateSet *m, struct err *err);
int fold_element_suspended(struct fold *f, const Armada__ElementSuspended *m, struct err *err);
int fold_steps_numbered(struct fold *f, const Armada__StepsNumbered *m, struct err *err);
int fold_element_unknown(struct fold *f, const Armada__ElementUnknown *m, struct err *err);
int fold_node_linked(struct fold *f, const Armada__NodeLinked *m, struct err *err);
int fold_element_scaled(struct fold *f, const Armada__ElementScaled *m, struct err *err);
int fold_element_due(struct fold *f, const Armada__ElementDue *m, struct err *err);
int fold_element_released(struct fold *f, const Armada__ElementReleased *m, struct err *err);
int fold_job_eligible(struct fold *f, const Armada__JobEligible *m, struct err *err);
int fold_dependency_settled(struct fold *f, const Armada__DependencySettled *m, struct err *err);
int fold_job_updated(struct fold *f, const Armada__JobUpdated *m, struct err *err);
int fold_job_restarting(struct fold *f, const Armada__JobRestarting *m, struct err *err);
int fold_snap_waits(struct fold *f, const Armada__SnapWaits *m, struct err *err);
int fold_node_deleted(struct fold *f, const Armada__NodeDeleted *m, struct err *err);
int fold_job_avoids(struct fold *f, const Armada__JobAvoids *m, struct err *err);
int fold_lease_extended(struct fold *f, const Armada__LeaseExtended *m, struct err *err);
int fold_node_reboot(struct fold *f, const Armada__NodeReboot *m, struct err *err);
int fold_floating_set(struct fold *f, const Armada__FloatingSet *m, struct err *err);
int fold_copies_set(struct fold *f, const Armada__CopiesSet *m, struct err *err);
int fold_shares_noted(struct fold *f, const Armada__SharesNoted *m, struct err *err);
int fold_token_made(struct fold *f, const Armada__TokenMade *m, struct err *err);
int fold_token_revoked(struct fold *f, const Armada__TokenRevoked *m, struct err *err);
int fold_snap_head(struct fold *f, const Armada__SnapHead *m, struct err *err);
int fold_snap_queue(struct fold *f, const Armada__SnapQueue *m, struct err *err);
int fold_snap_node(struct fold *f, const Armada__SnapNode *m, struct err *err);
int fold_snap_job(struct fold *f, const Armada__SnapJob *m, struct err *err);
int fold_snap_key(struct fold *f, const Armada__SnapKey *m, struct err *err);
int fold_snap_job_set(struct fold *f, const Armada__SnapJobSet *m, struct err *err);
