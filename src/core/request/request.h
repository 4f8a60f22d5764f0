/*
 * The one table of requests (S8), and who may send them (S11).
 *
 * A row is X(MESSAGE, Type, ROLE, VERB, OBJECT, handler): the message and its type as proto/msg.h and the
 * schema name them, the role that may send it, the verb that is asked of its sender and of what
 * (core/view/rights.h; a handler may ask more for a part of a message), and the handler.
 *
 * A handler runs with txn->in set, has validated nothing yet, and answers exactly once: with reply() or
 * reply_refuse(), or later (WAIT_JOB, what the shell answers from the history). It changes the state through
 * emit_event() alone, and only after everything that could refuse has passed.
 */
#pragma once

#include "core/state/verb.h"
#include "core/txn/txn.h"

/* clang-format off */
#define REQUEST_TABLE(X) \
	X(PING,		PingRequest,		CLIENT,	LOOK,		NOTHING,	req_ping) \
	X(SUBMIT,	SubmitRequest,		CLIENT,	SUBMIT,		QUEUE,		req_submit) \
	X(CANCEL,	CancelRequest,		CLIENT,	CANCEL,		JOB,		req_cancel) \
	X(HOLD,		HoldRequest,		CLIENT,	CANCEL,		JOB,		req_hold) \
	X(REQUEUE,	RequeueRequest,		CLIENT,	CANCEL,		JOB,		req_requeue) \
	X(PREEMPT,	PreemptRequest,		CLIENT,	PREEMPT,	JOB,		req_preempt) \
	X(UPDATE_JOB,	UpdateJobRequest,	CLIENT,	UPDATE,		JOB,		req_update_job) \
	X(LIST_JOBS,	ListJobsRequest,	CLIENT,	WATCH,		JOB,		req_list_jobs) \
	X(HISTORY,	HistoryRequest,		CLIENT,	WATCH,		JOB,		req_history) \
	X(SHOW_JOB,	ShowJobRequest,		CLIENT,	WATCH,		JOB,		req_show_job) \
	X(WAIT_JOB,	WaitJobRequest,		CLIENT,	WATCH,		JOB,		req_wait_job) \
	X(STEP,		StepRequest,		CLIENT,	STEP,		JOB,		req_step) \
	X(EXPLAIN,	ExplainRequest,		CLIENT,	WATCH,		JOB,		req_explain) \
	X(ROUND,		RoundRequest,		CLIENT,	LOOK,		NOTHING,	req_round) \
	X(SHARES,	SharesRequest,		CLIENT,	LOOK,		NOTHING,	req_shares) \
	X(EXTEND_LEASE,	ExtendLeaseRequest,	CLIENT,	ADMIN,		NOTHING,	req_extend_lease) \
	X(LIST_NODES,	ListNodesRequest,	CLIENT,	LOOK,		NOTHING,	req_list_nodes) \
	X(UPDATE_NODE,	UpdateNodeRequest,	CLIENT,	ADMIN,		NOTHING,	req_update_node) \
	X(QUEUE,		QueueRequest,		CLIENT,	QUEUE_MANAGE,	QUEUE,		req_queue) \
	X(LIST_QUEUES,	ListQueuesRequest,	CLIENT,	LOOK,		NOTHING,	req_list_queues) \
	X(PERMISSIONS,	PermissionsRequest,	CLIENT,	LOOK,		NOTHING,	req_permissions) \
	X(RECONFIGURE,	ReconfigureRequest,	CLIENT,	ADMIN,		NOTHING,	req_reconfigure) \
	X(SHUTDOWN,	ShutdownRequest,	CLIENT,	ADMIN,		NOTHING,	req_shutdown) \
	X(REGISTER_NODE,	RegisterNode,		AGENT,	NONE,		NOTHING,	req_register_node) \
	X(HEARTBEAT,	Heartbeat,		AGENT,	NONE,		NOTHING,	req_heartbeat) \
	X(REPORTS,	Reports,		AGENT,	NONE,		NOTHING,	req_reports)
/* clang-format on */

#define REQUEST_HANDLER(message, type, role, verb, object, handler)                                \
	void handler(struct txn *txn, const Armada__##type *m);
REQUEST_TABLE(REQUEST_HANDLER)
#undef REQUEST_HANDLER

enum right_object { OF_NOTHING, OF_JOB, OF_QUEUE };

struct right {
	enum msg_type type;
	enum role role;
	enum verb verb;
	enum right_object of;
};

/* What the row of a message says of rights; NULL: nobody may send it. */
const struct right *right_of(enum msg_type type);

/* Inputs that belong to requests: a message, and answers that the shell brings to one later. */
void route_message(struct txn *txn);
void input_explained(struct txn *txn);
