/*
 * Effects: the actions that follow from an input. The shell carries them out.
 *
 * The core cannot send, write or run anything. It lists the actions, and the shell does them in
 * order once the record of the input and every earlier record are durable. So a crash cannot undo
 * the change that an answer or an order reports. An effect that only reads names the last record it
 * depends on (needs) and waits for that record only. Some effects ask the shell for data (history,
 * names, fencing, an explanation); the answer comes back as another input. Effects are borrowed
 * from the core until its next input.
 */
#pragma once

#include "core/txn/input.h"
#include "proto/order.h"
#include "util/log.h"
#include <armada/state.h>

enum effect_kind {
	EFFECT_SEND = 1, /* conn, request, type, body */
	EFFECT_ORDER =
		2, /* conn, order (to be signed), body: packed TaskBody, text of a kill, or empty */
	EFFECT_CLOSE = 3,   /* conn, text */
	EFFECT_HISTORY = 4, /* row, attempt, job or shares: written later by the history thread */
	EFFECT_FIND = 5, /* conn, request: answer from the history; message: HistoryRequest body */
	EFFECT_SHOW =
		6, /* conn, request, job: ShowJob from the history; wait: WaitJob; ask: Explain */
	EFFECT_RECONFIGURE = 7, /* conn, request, dry_run: read armada.conf, then INPUT_POLICY */
	EFFECT_SHUTDOWN = 8,
	/* level, text, from, about: for the shell's log; conn: its message is the cause, or 0 */
	EFFECT_LOG = 9,
	/*
	 * conn, request, ask, viewer_uid: let the scheduler explain the job, then INPUT_EXPLAINED. With
	 * a body, which is the record of a submission (feed/sched_feed.h): when it would start, then
	 * INPUT_TRIED with text
	 */
	EFFECT_EXPLAIN = 10,
	/*
	 * conn, request, type, body: look up finished_jobs in the history, then give the message again
	 * as INPUT_MESSAGE of the same caller, with the result for each job. If the lookup fails,
	 * answer the caller with an error instead.
	 */
	EFFECT_FINISHED_JOBS = 11,
	/* text: node, fence_seq: prove that its power is off, then INPUT_FENCED with both */
	EFFECT_FENCE = 12,
	EFFECT_SHARES = 15, /* conn, request: answer from the history; body: SharesRequest */
	/*
	 * conn, request, token, body: CreateTokenReply, to be signed and sent; of a revocation, without a
	 * conn: end the sessions of this token
	 */
	EFFECT_TOKEN = 40,
	EFFECT_NOTIFY = 30, /* conn, request: send the targets that are notified of ends */
	EFFECT_CONTROLLERS =
		31,           /* conn, request: send the controllers and the copies of the state */
	EFFECT_TAKEOVER = 32, /* conn, request, text: give the lead to this controller; "": any */
	/* conn, request, text, member, by: change the set of copies, then INPUT_COPIES */
	EFFECT_COPY = 33,
	/* conn, request, body: a CopyHistoryRequest, whose proof the shell checks: send a page */
	EFFECT_COPY_HISTORY = 34,
	EFFECT_LOG_LEVELS = 19, /* conn, request, body: set levels of the log, and send them */
	/* conn, request, type, body, viewer, viewer_uid: answer from the accounting of the history */
	EFFECT_ACCOUNTING = 20,
	/* conn, request, viewer: add rows to the LimitsReply in body, and send it */
	EFFECT_LIMITS = 16,
	/* conn, request: add rows to the CountersReply in body, and send it */
	EFFECT_COUNTERS = 21,
	/*
	 * conn, request, type, body: look up names, then give the message again as INPUT_MESSAGE of
	 * the same caller with the answers. core/txn/name_lookup.h.
	 */
	EFFECT_NAMES = 13,
	/* events: to the history and to the watchers of their job sets */
	EFFECT_JOB_EVENTS = 17,
	/*
	 * conn, request, watch, viewer_uid, viewer_admin: send the job events of a set until the connection
	 * is closed
	 */
	EFFECT_WATCH = 18,
};

/* The subject of a WATCH. */
struct watch_ask {
	const char *queue, *job_set;
	uint64_t from;            /* the first number; 0: the first that is kept */
	uint64_t next;            /* the number of the next event of the set */
	uint64_t waiting, active; /* elements of the set */
	bool counted;             /* false: the caller sees only a part of them, and they are 0 */
	const uint64_t *jobs;     /* only of these jobs; none: of all */
	size_t job_count;
	bool own;   /* only of jobs of `uid` */
	bool hides; /* do not name other jobs */
	uint32_t uid;
};

struct effect {
	enum effect_kind kind;
	uint64_t conn;
	uint32_t request;
	enum msg_type type;
	const uint8_t *body;
	size_t len;
	struct order order;
	struct armada_history_row *row;     /* an end */
	struct armada_history_row *attempt; /* of an element that waits again, or begins */
	struct armada_history_job *history_job;
	struct shared *script, *env; /* hold the blobs of history_job; NULL: none */
	const struct armada_history_share *shares;
	size_t share_count;
	const struct armada_history_event *events; /* JOB_EVENTS */
	size_t event_count;
	struct watch_ask watch; /* WATCH */
	uint64_t needs; /* SEND: the last record that the body depends on; 0: any earlier one */
	uint64_t job;
	const uint64_t *finished_jobs;
	size_t finished_count;
	bool by_element; /* FINISHED_JOBS: of one job, also the end of this element */
	uint32_t element;
	const struct core_name *names; /* NAMES: the group flag and the name of each */
	size_t name_count;
	struct explain_ask ask; /* EXPLAIN; SHOW: job is 0 unless it is to be explained */
	bool wait, with_script, with_env;
	bool dry_run;        /* RECONFIGURE */
	uint32_t viewer_uid; /* SHOW: script and environment only for the job's owner; LIMITS */
	bool viewer_admin;   /* ... and for administrators; LIMITS: sees all users */
	const struct core_viewer *
		viewer; /* FIND, SHOW, FINISHED_JOBS: omit the jobs it may not see; NULL: show all */
	int level;
	const char *text;
	struct log_from from;
	struct log_about about;
	uint64_t fence_seq;
	bool member;               /* COPY: false: take it out */
	const char *by;            /* COPY: the administrator */
	struct token_record token; /* TOKEN */
};
