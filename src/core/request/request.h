/*
 * The table of requests, with the roles and rights that they need.
 *
 * A row is X(MESSAGE, Type, ROLE, VERB, OBJECT, handler): the message and its type as in
 * proto/msg.h and the schema, the role that may send it, the verb that the sender needs and the
 * object of the verb (core/view/rights.h; a handler may need more for a part of a message), and the
 * handler.
 *
 * A handler runs with txn->in set, and with a message that is decoded but not validated. It answers
 * exactly once: with reply() or reply_refuse(), or later (WAIT_JOB, answers of the shell from the
 * history). It changes the state only through emit_event(), and only after all checks that can
 * refuse.
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
	X(SUSPEND,	SuspendRequest,		CLIENT,	CANCEL,		JOB,		req_suspend) \
	X(REQUEUE,	RequeueRequest,		CLIENT,	CANCEL,		JOB,		req_requeue) \
	X(PREEMPT,	PreemptRequest,		CLIENT,	PREEMPT,	JOB,		req_preempt) \
	X(UPDATE_JOB,	UpdateJobRequest,	CLIENT,	UPDATE,		JOB,		req_update_job) \
	X(LIST_JOBS,	ListJobsRequest,	CLIENT,	WATCH,		JOB,		req_list_jobs) \
	X(HISTORY,	HistoryRequest,		CLIENT,	WATCH,		JOB,		req_history) \
	X(SHOW_JOB,	ShowJobRequest,		CLIENT,	WATCH,		JOB,		req_show_job) \
	X(WAIT_JOB,	WaitJobRequest,		CLIENT,	WATCH,		JOB,		req_wait_job) \
	X(WATCH,		WatchRequest,		CLIENT,	WATCH,		JOB,		req_watch) \
	X(OUTPUT,	OutputRequest,		CLIENT,	WATCH,		JOB,		req_output) \
	X(STEP,		StepRequest,		CLIENT,	STEP,		JOB,		req_step) \
	X(SIGNAL_STEP,	SignalStepRequest,	CLIENT,	STEP,		JOB,		req_signal_step) \
	X(LIST_STEPS,	ListStepsRequest,	CLIENT,	WATCH,		JOB,		req_list_steps) \
	X(EXPLAIN,	ExplainRequest,		CLIENT,	WATCH,		JOB,		req_explain) \
	X(ROUND,		RoundRequest,		CLIENT,	LOOK,		NOTHING,	req_round) \
	X(PROPERTIES,	PropertiesRequest,	CLIENT,	LOOK,		NOTHING,	req_properties) \
	X(ACCOUNTING,	AccountingRequest,	CLIENT,	WATCH,		JOB,		req_accounting) \
	X(USAGE_SUMS,	UsageSumsRequest,	CLIENT,	WATCH,		JOB,		req_usage_sums) \
	X(SHARES,	SharesRequest,		CLIENT,	LOOK,		NOTHING,	req_shares) \
	X(EXTEND_LEASE,	ExtendLeaseRequest,	CLIENT,	ADMIN,		NOTHING,	req_extend_lease) \
	X(LIST_NODES,	ListNodesRequest,	CLIENT,	LOOK,		NOTHING,	req_list_nodes) \
	X(UPDATE_NODE,	UpdateNodeRequest,	CLIENT,	ADMIN,		NOTHING,	req_update_node) \
	X(QUEUE,		QueueRequest,		CLIENT,	QUEUE_MANAGE,	QUEUE,		req_queue) \
	X(LIST_QUEUES,	ListQueuesRequest,	CLIENT,	LOOK,		NOTHING,	req_list_queues) \
	X(PERMISSIONS,	PermissionsRequest,	CLIENT,	LOOK,		NOTHING,	req_permissions) \
	X(LIMITS,	LimitsRequest,		CLIENT,	LOOK,		NOTHING,	req_limits) \
	X(COUNTERS,	CountersRequest,	CLIENT,	LOOK,		NOTHING,	req_counters) \
	X(CLASSES,	ClassesRequest,		CLIENT,	LOOK,		NOTHING,	req_classes) \
	X(RESOURCES,	ResourcesRequest,	CLIENT,	LOOK,		NOTHING,	req_resources) \
	X(SET_FLOATING,	SetFloatingRequest,	CLIENT,	ADMIN,		NOTHING,	req_set_floating) \
	X(ACCOUNTS,	AccountsRequest,	CLIENT,	LOOK,		NOTHING,	req_accounts) \
	X(RECONFIGURE,	ReconfigureRequest,	CLIENT,	ADMIN,		NOTHING,	req_reconfigure) \
	X(SHUTDOWN,	ShutdownRequest,	CLIENT,	ADMIN,		NOTHING,	req_shutdown) \
	X(NOTIFY,	NotifyRequest,		CLIENT,	ADMIN,		NOTHING,	req_notify) \
	X(LOG_LEVELS,	LogLevelsRequest,	CLIENT,	ADMIN,		NOTHING,	req_log_levels) \
	X(CREATE_TOKEN,	CreateTokenRequest,	CLIENT,	TOKEN,		NOTHING,	req_create_token) \
	X(LIST_TOKENS,	ListTokensRequest,	CLIENT,	TOKEN,		NOTHING,	req_list_tokens) \
	X(REVOKE_TOKENS,	RevokeTokensRequest,	CLIENT,	TOKEN,		NOTHING,	req_revoke_tokens) \
	X(CONTROLLERS,	ControllersRequest,	CLIENT,	LOOK,		NOTHING,	req_controllers) \
	X(TAKEOVER,	TakeoverRequest,	CLIENT,	ADMIN,		NOTHING,	req_takeover) \
	X(COPY_CHANGE,	CopyChangeRequest,	CLIENT,	ADMIN,		NOTHING,	req_copy_change) \
	X(COPY_HISTORY,	CopyHistoryRequest,	CLIENT,	CONTROLLER,	NOTHING,	req_copy_history) \
	X(REGISTER_NODE,	RegisterNode,		AGENT,	NONE,		NOTHING,	req_register_node) \
	X(HEARTBEAT,	Heartbeat,		AGENT,	NONE,		NOTHING,	req_heartbeat) \
	X(REPORTS,	Reports,		AGENT,	NONE,		NOTHING,	req_reports) \
	X(USAGE,	UsageReport,		AGENT,	NONE,		NOTHING,	req_usage) \
	X(STEP_REPORTS,	StepReports,		AGENT,	NONE,		NOTHING,	req_step_reports) \
	X(OUTPUT_READ,	OutputRead,		AGENT,	NONE,		NOTHING,	req_output_read)
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

/* The rights that a message needs; NULL: no client or agent may send it. */
const struct right *right_of(enum msg_type type);

/* The inputs that belong to requests: a message, and the scheduler's explanation for an EXPLAIN. */
void route_message(struct txn *txn);
void input_explained(struct txn *txn);
void input_tried(struct txn *txn);
