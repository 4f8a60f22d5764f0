/*
 * The table of messages: number, schema, senders and largest body of each type.
 *
 * Numbers never change. The row is read before a body is decoded. If the role of the peer may not
 * send the type, or the body exceeds its limit, the connection is closed and the body is not read.
 * Decoding checks every string and count first (check.h). It allocates in the caller's arena, within
 * a limit that follows from the length of the body.
 */
#pragma once

#include "proto/agent.pb-c.h"
#include "proto/client.pb-c.h"
#include "proto/common.pb-c.h"
#include "proto/event.pb-c.h"
#include "proto/session.pb-c.h"
#include "proto/stub.pb-c.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/err.h"

#include <stdbool.h>

/* The senders of messages. msg_info.senders is a set of these bits. */
enum role {
	ROLE_NONE = 0,
	ROLE_CLIENT = 1, /* any authenticated user */
	ROLE_AGENT = 2,  /* armd's network process */
	ROLE_SERVER = 4, /* armctld */
};

/*     X(number, NAME, schema struct, schema function part, senders, largest body) */
#define MSG_TABLE(X)                                                                               \
	X(1, SERVER_HELLO, ServerHello, server_hello, ROLE_SERVER, 4096)                           \
	X(2, CLIENT_HELLO, ClientHello, client_hello, ROLE_NONE, 4096)                             \
	X(3, SERVER_PROOF, ServerProof, server_proof, ROLE_SERVER, 4096)                           \
	X(4, REFUSAL, Refusal, refusal, ROLE_SERVER, 4096)                                         \
	X(5, IDENTITY, Identity, identity, ROLE_NONE, 1024)                                        \
	X(6, IDENTIFIED, Identified, identified, ROLE_SERVER, 1024)                                \
	X(16, ERROR, ErrorReply, error_reply, ROLE_SERVER, 65536)                                  \
	X(17, OK, OkReply, ok_reply, ROLE_SERVER, 65536)                                           \
	X(20, PING, PingRequest, ping_request, ROLE_CLIENT, 1024)                                  \
	X(21, PING_REPLY, PingReply, ping_reply, ROLE_SERVER, 65536)                               \
	X(22, SUBMIT, SubmitRequest, submit_request, ROLE_CLIENT, 4 << 20)                         \
	X(23, SUBMIT_REPLY, SubmitReply, submit_reply, ROLE_SERVER, 4 << 20)                       \
	X(24, CANCEL, CancelRequest, cancel_request, ROLE_CLIENT, 1 << 20)                         \
	X(25, CANCEL_REPLY, CancelReply, cancel_reply, ROLE_SERVER, 65536)                         \
	X(26, HOLD, HoldRequest, hold_request, ROLE_CLIENT, 1 << 20)                               \
	X(27, HOLD_REPLY, HoldReply, hold_reply, ROLE_SERVER, 65536)                               \
	X(28, LIST_JOBS, ListJobsRequest, list_jobs_request, ROLE_CLIENT, 1 << 20)                 \
	X(29, LIST_JOBS_REPLY, ListJobsReply, list_jobs_reply, ROLE_SERVER, 8 << 20)               \
	X(30, HISTORY, HistoryRequest, history_request, ROLE_CLIENT, 1 << 20)                      \
	X(32, SHOW_JOB, ShowJobRequest, show_job_request, ROLE_CLIENT, 1024)                       \
	X(33, SHOW_JOB_REPLY, ShowJobReply, show_job_reply, ROLE_SERVER, 8 << 20)                  \
	X(34, WAIT_JOB, WaitJobRequest, wait_job_request, ROLE_CLIENT, 1024)                       \
	X(35, WAIT_JOB_REPLY, WaitJobReply, wait_job_reply, ROLE_SERVER, 65536)                    \
	X(36, LIST_NODES, ListNodesRequest, list_nodes_request, ROLE_CLIENT, 1 << 20)              \
	X(37, LIST_NODES_REPLY, ListNodesReply, list_nodes_reply, ROLE_SERVER, 16 << 20)           \
	X(38, UPDATE_NODE, UpdateNodeRequest, update_node_request, ROLE_CLIENT, 1 << 20)           \
	X(40, QUEUE, QueueRequest, queue_request, ROLE_CLIENT, 1 << 20)                            \
	X(41, LIST_QUEUES, ListQueuesRequest, list_queues_request, ROLE_CLIENT, 1 << 20)           \
	X(42, LIST_QUEUES_REPLY, ListQueuesReply, list_queues_reply, ROLE_SERVER, 8 << 20)         \
	X(44, RECONFIGURE, ReconfigureRequest, reconfigure_request, ROLE_CLIENT, 1024)             \
	X(45, SHUTDOWN, ShutdownRequest, shutdown_request, ROLE_CLIENT, 1024)                      \
	X(46, EXPLAIN, ExplainRequest, explain_request, ROLE_CLIENT, 1024)                         \
	X(47, EXPLAIN_REPLY, ExplainReply, explain_reply, ROLE_SERVER, 1 << 20)                    \
	X(48, ROUND, RoundRequest, round_request, ROLE_CLIENT, 1024)                               \
	X(49, ROUND_REPLY, RoundReply, round_reply, ROLE_SERVER, 8 << 20)                          \
	X(50, UPDATE_JOB, UpdateJobRequest, update_job_request, ROLE_CLIENT, 4 << 20)              \
	X(51, UPDATE_JOB_REPLY, UpdateJobReply, update_job_reply, ROLE_SERVER, 65536)              \
	X(52, REQUEUE, RequeueRequest, requeue_request, ROLE_CLIENT, 1 << 20)                      \
	X(53, REQUEUE_REPLY, RequeueReply, requeue_reply, ROLE_SERVER, 65536)                      \
	X(54, EXTEND_LEASE, ExtendLeaseRequest, extend_lease_request, ROLE_CLIENT, 1 << 20)        \
	X(55, PREEMPT, PreemptRequest, preempt_request, ROLE_CLIENT, 1 << 20)                      \
	X(56, PREEMPT_REPLY, PreemptReply, preempt_reply, ROLE_SERVER, 65536)                      \
	X(57, PERMISSIONS, PermissionsRequest, permissions_request, ROLE_CLIENT, 1 << 20)          \
	X(58, STEP, StepRequest, step_request, ROLE_CLIENT, 512 << 10)                             \
	X(59, STEP_REPLY, StepReply, step_reply, ROLE_SERVER, 1024)                                \
	X(60, PERMISSIONS_REPLY, PermissionsReply, permissions_reply, ROLE_SERVER, 8 << 20)        \
	X(61, RECONFIGURE_REPLY, ReconfigureReply, reconfigure_reply, ROLE_SERVER, 8 << 20)        \
	X(62, SHARES, SharesRequest, shares_request, ROLE_CLIENT, 1 << 20)                         \
	X(63, SHARES_REPLY, SharesReply, shares_reply, ROLE_SERVER, 8 << 20)                       \
	X(64, REGISTER_NODE, RegisterNode, register_node, ROLE_AGENT, 16 << 20)                    \
	X(65, REGISTERED, Registered, registered, ROLE_SERVER, 65536)                              \
	X(66, HEARTBEAT, Heartbeat, heartbeat, ROLE_AGENT, 4096)                                   \
	X(67, HEARTBEAT_ACK, HeartbeatAck, heartbeat_ack, ROLE_SERVER, 4096)                       \
	X(68, ORDER, Order, order, ROLE_SERVER, 8 << 20)                                           \
	X(69, REPORTS, Reports, reports, ROLE_AGENT, 1 << 20)                                      \
	X(70, REPORT_ACK, ReportAck, report_ack, ROLE_SERVER, 1 << 20)                             \
	X(71, LIMITS, LimitsRequest, limits_request, ROLE_CLIENT, 1024)                            \
	X(72, LIMITS_REPLY, LimitsReply, limits_reply, ROLE_SERVER, 65536)                         \
	X(73, CLASSES, ClassesRequest, classes_request, ROLE_CLIENT, 1024)                         \
	X(74, CLASSES_REPLY, ClassesReply, classes_reply, ROLE_SERVER, 8 << 20)                    \
	X(75, PROPERTIES, PropertiesRequest, properties_request, ROLE_CLIENT, 1024)                \
	X(76, PROPERTIES_REPLY, PropertiesReply, properties_reply, ROLE_SERVER, 65536)             \
	X(77, USAGE, UsageReport, usage_report, ROLE_AGENT, 65536)                                 \
	X(78, STEP_REPORTS, StepReports, step_reports, ROLE_AGENT, 128 << 10)                      \
	X(80, SUSPEND, SuspendRequest, suspend_request, ROLE_CLIENT, 1 << 20)                      \
	X(81, SUSPEND_REPLY, SuspendReply, suspend_reply, ROLE_SERVER, 65536)                      \
	X(82, RESOURCES, ResourcesRequest, resources_request, ROLE_CLIENT, 1024)                   \
	X(83, RESOURCES_REPLY, ResourcesReply, resources_reply, ROLE_SERVER, 8 << 20)              \
	X(84, SET_FLOATING, SetFloatingRequest, set_floating_request, ROLE_CLIENT, 65536)          \
	X(85, ACCOUNTS, AccountsRequest, accounts_request, ROLE_CLIENT, 1024)                      \
	X(86, ACCOUNTS_REPLY, AccountsReply, accounts_reply, ROLE_SERVER, 8 << 20)                 \
	X(87, WATCH, WatchRequest, watch_request, ROLE_CLIENT, 65536)                              \
	X(88, WATCH_REPLY, WatchReply, watch_reply, ROLE_SERVER, 1024)                             \
	X(89, JOB_EVENTS, JobEvents, job_events, ROLE_SERVER, 8 << 20)                             \
	X(90, LOG_LEVELS, LogLevelsRequest, log_levels_request, ROLE_CLIENT, 4096)                 \
	X(91, LOG_LEVELS_REPLY, LogLevelsReply, log_levels_reply, ROLE_SERVER, 65536)              \
	X(92, NOTIFY, NotifyRequest, notify_request, ROLE_CLIENT, 1024)                            \
	X(93, NOTIFY_REPLY, NotifyReply, notify_reply, ROLE_SERVER, 1 << 20)                       \
	X(94, CONTROLLERS, ControllersRequest, controllers_request, ROLE_CLIENT, 1024)             \
	X(95, CONTROLLERS_REPLY, ControllersReply, controllers_reply, ROLE_SERVER, 1 << 20)        \
	X(96, TAKEOVER, TakeoverRequest, takeover_request, ROLE_CLIENT, 1024)                      \
	X(100, ACCOUNTING, AccountingRequest, accounting_request, ROLE_CLIENT, 1 << 20)            \
	X(101, ACCOUNTING_REPLY, AccountingReply, accounting_reply, ROLE_SERVER, 8 << 20)          \
	X(102, USAGE_SUMS, UsageSumsRequest, usage_sums_request, ROLE_CLIENT, 1 << 20)             \
	X(103, USAGE_SUMS_REPLY, UsageSumsReply, usage_sums_reply, ROLE_SERVER, 8 << 20)           \
	X(104, CREATE_TOKEN, CreateTokenRequest, create_token_request, ROLE_CLIENT, 4096)          \
	X(105, CREATE_TOKEN_REPLY, CreateTokenReply, create_token_reply, ROLE_SERVER, 4096)        \
	X(106, LIST_TOKENS, ListTokensRequest, list_tokens_request, ROLE_CLIENT, 1024)             \
	X(107, LIST_TOKENS_REPLY, ListTokensReply, list_tokens_reply, ROLE_SERVER, 8 << 20)        \
	X(108, REVOKE_TOKENS, RevokeTokensRequest, revoke_tokens_request, ROLE_CLIENT, 65536)      \
	X(109, COPY_CHANGE, CopyChangeRequest, copy_change_request, ROLE_CLIENT, 1024)             \
	X(120, COUNTERS, CountersRequest, counters_request, ROLE_CLIENT, 1024)                     \
	X(121, COUNTERS_REPLY, CountersReply, counters_reply, ROLE_SERVER, 1 << 20)                \
	X(122, COPY_HISTORY, CopyHistoryRequest, copy_history_request, ROLE_CLIENT, 65536)         \
	X(123, COPY_HISTORY_REPLY, CopyHistoryReply, copy_history_reply, ROLE_SERVER, 16 << 20)    \
	X(124, OUTPUT, OutputRequest, output_request, ROLE_CLIENT, 1024)                           \
	X(125, OUTPUT_REPLY, OutputReply, output_reply, ROLE_SERVER, 2 << 20)                      \
	X(126, OUTPUT_READ, OutputRead, output_read, ROLE_AGENT, 2 << 20)                          \
	X(127, LIST_STEPS, ListStepsRequest, list_steps_request, ROLE_CLIENT, 1 << 20)             \
	X(128, LIST_STEPS_REPLY, ListStepsReply, list_steps_reply, ROLE_SERVER, 8 << 20)           \
	X(129, SIGNAL_STEP, SignalStepRequest, signal_step_request, ROLE_CLIENT, 1024)             \
	X(130, SIGNAL_STEP_REPLY, SignalStepReply, signal_step_reply, ROLE_SERVER, 1024)

enum msg_type {
#define X(number, NAME, type, fn, senders, limit) MSG_##NAME = number,
	MSG_TABLE(X)
#undef X
};

struct msg_info {
	uint16_t type;
	const char *name; /* "SUBMIT" */
	unsigned senders; /* roles that may send it in an open session */
	size_t body_max;
	const ProtobufCMessageDescriptor *schema;
};

/* NULL for a number that is not in the table. */
const struct msg_info *msg_find(uint16_t type);

/* Requests of clients that change nothing and need no scheduler: a standby controller answers them. */
bool msg_only_reads(enum msg_type type);
/* Requests that a controller takes which has the lead and does not act yet: its first record waits. */
bool msg_before_acting(enum msg_type type);

/* All rows, ordered by number; for tests and fuzzers. */
const struct msg_info *msg_rows(size_t *ret_count);

/*
 * Checks a body (proto/check.h) and decodes it into the arena. Returns the message, which is valid as
 * long as the arena, or NULL with err set. The message has no pointers into the body. CHECK_UNKNOWN
 * fields of a newer release are allowed in each message.
 *
 * The memory taken from the arena is at most MSG_GROWTH times len, but not more than MSG_MEMORY_MAX
 * (or 4 times len, if that is more), plus MSG_MEMORY_MIN. A factor of 4 is enough for text. Valid
 * lists of small records need more in protobuf-c: a task key of 10 bytes becomes 56, a job of 14
 * becomes 600, and the decoder allocates for itself, too.
 */
enum { MSG_GROWTH = 64, MSG_MEMORY_MIN = 4096, MSG_MEMORY_MAX = 64 << 20 };

void *msg_unpack(const struct msg_info *info, const uint8_t *body, size_t len, struct arena *arena,
		 struct err *err);

/* The same for a schema without a row, such as the body of an order. */
void *msg_unpack_as(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		    struct arena *arena, struct err *err);

/*
 * Decodes a message that this program packed and stored itself (in the log, under its checksums). There
 * are no checks and no limit, so a message that was once accepted is never refused when it is read back.
 * NULL: the bytes are no message of this schema.
 */
void *msg_unpack_own(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		     struct arena *arena);

/* Appends the packed message to out. */
void msg_pack(const void *message, struct buf *out);
/* Appends a packed ErrorReply to out. */
void msg_pack_error(int code, const char *text, struct buf *out);
