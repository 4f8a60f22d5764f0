/*
 * The table of the events of the log.
 *
 * A row is X(KIND, member, wakes, job): the kind and the member of Event in event.proto; whether the
 * event may give a scheduling round work; and the member of the event with the id of its job (NO_JOB:
 * it concerns no job, or several). A new event needs a row here, a message in event.proto, and
 * fold_MEMBER in src/core/state.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

/* clang-format off */
#define NO_JOB(m)  ((void)(m), UINT64_C(0))
#define ID_JOB(m)  ((m)->id)
#define OWN_JOB(m) ((m)->job)
#define KEY_JOB(m) ((m)->key ? (m)->key->job : 0)

#define EVENT_TABLE(X)                                        \
	X(CLUSTER_MADE,		cluster_made,		false, NO_JOB)  \
	X(EPOCH_BEGAN,		epoch_began,		false, NO_JOB)  \
	X(QUEUE_SET,		queue_set,		true,  NO_JOB)  \
	X(QUEUE_DELETED,	queue_deleted,		true,  NO_JOB)  \
	X(BLOB_STORED,		blob_stored,		false, NO_JOB)  \
	X(JOB_SUBMITTED,	job_submitted,		true,  ID_JOB)  \
	X(JOB_HELD,		job_held,		true,  OWN_JOB) \
	X(ELEMENT_LEASED,	element_leased,		false, OWN_JOB) \
	X(TASK_STARTED,		task_started,		false, KEY_JOB) \
	X(TASK_ENDED,		task_ended,		false, KEY_JOB) \
	X(ELEMENT_ENDING,	element_ending,		false, OWN_JOB) \
	X(ELEMENT_ENDED,	element_ended,		true,  OWN_JOB) \
	X(ELEMENT_REQUEUED,	element_requeued,	true,  OWN_JOB) \
	X(NODE_SET,		node_set,		true,  NO_JOB)  \
	X(NODE_STATE_SET,	node_state_set,		true,  NO_JOB)  \
	X(ELEMENT_UNKNOWN,	element_unknown,	false, OWN_JOB) \
	X(NODE_LINKED,		node_linked,		true,  NO_JOB)  \
	X(ELEMENT_RELEASED,	element_released,	false, OWN_JOB) \
	X(ELEMENT_SUSPENDED,	element_suspended,	false, OWN_JOB) \
	X(ELEMENT_DUE,		element_due,		true,  OWN_JOB) \
	X(ELEMENT_SCALED,	element_scaled,		true,  OWN_JOB) \
	X(TASK_LEASED,		task_leased,		false, KEY_JOB) \
	X(TASK_VACATED,		task_vacated,		true,  KEY_JOB) \
	X(TASK_LEAVING,		task_leaving,		false, KEY_JOB) \
	X(JOB_ELIGIBLE,		job_eligible,		true,  OWN_JOB) \
	X(DEPENDENCY_SETTLED,	dependency_settled,	false, NO_JOB)  \
	X(JOB_UPDATED,		job_updated,		true,  OWN_JOB) \
	X(JOB_RESTARTING,	job_restarting,		false, OWN_JOB) \
	X(SNAP_WAITS,		snap_waits,		false, NO_JOB)  \
	X(NODE_DELETED,		node_deleted,		true,  NO_JOB)  \
	X(JOB_AVOIDS,		job_avoids,		true,  OWN_JOB) \
	X(LEASE_EXTENDED,	lease_extended,		false, NO_JOB)  \
	X(NODE_REBOOT,		node_reboot,		false, NO_JOB)  \
	X(SHARES_NOTED,		shares_noted,		false, NO_JOB)  \
	X(FLOATING_SET,		floating_set,		false, NO_JOB)  \
	X(TOKEN_MADE,		token_made,		false, NO_JOB)  \
	X(TOKEN_REVOKED,	token_revoked,		false, NO_JOB)  \
	X(COPIES_SET,		copies_set,		false, NO_JOB)  \
	X(STEPS_NUMBERED,	steps_numbered,		false, OWN_JOB) \
	X(SNAP_HEAD,		snap_head,		false, NO_JOB)  \
	X(SNAP_QUEUE,		snap_queue,		false, NO_JOB)  \
	X(SNAP_NODE,		snap_node,		false, NO_JOB)  \
	X(SNAP_JOB,		snap_job,		false, NO_JOB)  \
	X(SNAP_KEY,		snap_key,		false, NO_JOB)  \
	X(SNAP_JOB_SET,		snap_job_set,		false, NO_JOB)
/* clang-format on */

/* The id of the job that the event concerns; 0: none or several. */
uint64_t event_job(const Armada__Event *ev);
/* True if the event may give a scheduling round work. */
bool event_wakes_rounds(const Armada__Event *ev);
