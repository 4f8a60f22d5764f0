/*
 * The table of job events: their kinds, and the fields that an event of a kind has (armada-events(5)).
 *
 * JOB_EVENT_TABLE: X(KIND, name in JSON, fields, help). The numbers are in client.proto. Names, numbers and
 * meanings never change; kinds and fields are added. `make manual` writes both tables into the manual page,
 * awatch prints the fields in the order of JOB_EVENT_FIELD_TABLE, and testsuite/unit/core/job_events.c
 * checks that each kind is derived and has no other fields.
 *
 * JOB_EVENT_FIELD_TABLE: F(FIELD, member of JobEvent, name in JSON, type, help). The type is TEXT, TEXTS,
 * UINT, INT, TIME (microseconds since 1970), BYTES, REAL, BOOL, CATEGORY or FAULT. A field without a value is
 * left out, except exit_code where an event has it.
 *
 * A new kind needs a row here, its number in client.proto, and its derivation in core/txn/job_events.c.
 */
#pragma once

#include "proto/client.pb-c.h"

#include <stdbool.h>

/* clang-format off */
#define JOB_EVENT_FIELD_TABLE(F) \
	F(ATTEMPT, attempt, "attempt", UINT, "Number of the attempt, from 1") \
	F(USER, user, "user", TEXT, "Owner of the job") \
	F(NAME, name, "name", TEXT, "Name of the job") \
	F(BY, by, "by", TEXT, "User whose request caused the event; not set if there was no request") \
	F(REASON, reason, "reason", TEXT, "Why, in words") \
	F(NODES, nodes, "nodes", TEXTS, "Node of each task, by rank") \
	F(EXIT_CODE, exit_code, "exit_code", INT, "Exit code of the task that decided the end") \
	F(EXIT_SIGNAL, exit_signal, "exit_signal", INT, "Signal that ended that task") \
	F(CATEGORY, category, "category", CATEGORY, "error, oom, time_limit, node_lost, launch_failed, account or rejected") \
	F(FAULT, fault, "fault", FAULT, "user: the job is the cause; system: the cluster is") \
	F(FOR_JOB, for_job, "for_job", UINT, "Job that gets the room") \
	F(FOR_ELEMENT, for_element, "for_element", UINT, "Element of that job") \
	F(FOR_QUEUE, for_queue, "for_queue", TEXT, "Queue of that job") \
	F(FOR_USER, for_user, "for_user", TEXT, "Owner of that job") \
	F(FOR_SHARE, for_share, "for_share", REAL, "Share of the cluster that for_queue had when it was last noted") \
	F(SHARE, share, "share", REAL, "Share of the cluster that the queue of the job had when it was last noted") \
	F(PRIORITY, priority, "priority", INT, "Priority in the queue: lower runs first") \
	F(OLD_PRIORITY, old_priority, "old_priority", INT, "Priority before") \
	F(PRIORITY_CLASS, priority_class, "priority_class", TEXT, "Priority class") \
	F(ACCOUNT, account, "account", TEXT, "Account that the job counts for") \
	F(LABELS, labels, "labels", TEXTS, "Labels of the job, each as key=value") \
	F(TASKS, tasks, "tasks", UINT, "Tasks of an element") \
	F(OLD_TASKS, old_tasks, "old_tasks", UINT, "Tasks before") \
	F(COUNT, count, "count", UINT, "Number of elements; of an update only if the job changed its queue") \
	F(FIELDS, fields, "fields", TEXTS, "Fields of the specification that changed") \
	F(FROM_QUEUE, from_queue, "from_queue", TEXT, "Queue that the job was in before: its earlier events are in that queue's set") \
	F(TO_QUEUE, to_queue, "to_queue", TEXT, "Queue that the job is in now: its later events are in that queue's set") \
	F(REQUEUES, requeues, "requeues", BOOL, "The element waits again: the event requeued follows") \
	F(FAILURES, failures, "failures", UINT, "Failed attempts that count against the limit of requeues") \
	F(NOT_BEFORE_US, not_before_us, "not_before_us", TIME, "End of the pause before the restart") \
	F(START_US, start_us, "start_us", TIME, "Start of the attempt") \
	F(END_US, end_us, "end_us", TIME, "End of the attempt") \
	F(CPU_US, cpu_us, "cpu_us", UINT, "Cpu time in microseconds, of all tasks") \
	F(MAX_RSS_BYTES, max_rss_bytes, "max_rss_bytes", BYTES, "Peak memory of the task that used the most") \
	F(READ_BYTES, read_bytes, "read_bytes", BYTES, "Bytes read by all tasks") \
	F(WRITTEN_BYTES, written_bytes, "written_bytes", BYTES, "Bytes written by all tasks")

/* Its bits are sets of the fields above. */
enum job_event_field {
#define F(FIELD, member, name, type, help) JOB_EVENT_AT_##FIELD,
	JOB_EVENT_FIELD_TABLE(F)
#undef F
	JOB_EVENT_FIELDS
};
#define HAS(FIELD) (UINT64_C(1) << JOB_EVENT_AT_##FIELD)
#define HAS_END (HAS(ATTEMPT) | HAS(REASON) | HAS(EXIT_CODE) | HAS(EXIT_SIGNAL))
#define HAS_FOR (HAS(FOR_JOB) | HAS(FOR_ELEMENT) | HAS(FOR_QUEUE) | HAS(FOR_USER) | HAS(FOR_SHARE) | HAS(SHARE))

#define JOB_EVENT_TABLE(X) \
	X(SUBMITTED, "submitted", HAS(USER) | HAS(NAME) | HAS(PRIORITY) | HAS(PRIORITY_CLASS) | HAS(ACCOUNT) | HAS(LABELS) | HAS(TASKS) | HAS(COUNT), \
	  "The job was accepted") \
	X(QUEUED, "queued", 0, \
	  "The job, or these elements, wait for room only: they are not held, and what they depend on has come, or the pause before a restart is over") \
	X(LEASED, "leased", HAS(ATTEMPT) | HAS(NODES), \
	  "An attempt begins: nodes are reserved") \
	X(PENDING, "pending", HAS(ATTEMPT), \
	  "The nodes were ordered to set the tasks up") \
	X(RUNNING, "running", HAS(ATTEMPT) | HAS(START_US), \
	  "All tasks have started") \
	X(SUCCEEDED, "succeeded", HAS_END, \
	  "The element has ended well") \
	X(FAILED, "failed", HAS_END | HAS(CATEGORY) | HAS(FAULT), \
	  "The element has ended, and is not run again") \
	X(CANCELLING, "cancelling", HAS(ATTEMPT) | HAS(BY) | HAS(REASON), \
	  "A cancel was requested; the tasks are being ended") \
	X(CANCELLED, "cancelled", HAS_END | HAS(BY), \
	  "The elements have ended by a cancel, or because a dependency can never be met") \
	X(PREEMPTING, "preempting", HAS(ATTEMPT) | HAS(BY) | HAS(REASON) | HAS_FOR, \
	  "The element is being preempted; its tasks are being ended") \
	X(PREEMPTED, "preempted", HAS_END | HAS(BY) | HAS(REQUEUES) | HAS_FOR, \
	  "The preempted element has ended") \
	X(LEASE_EXPIRED, "lease_expired", HAS(ATTEMPT) | HAS(NODES) | HAS(REASON), \
	  "Nodes had no contact with the controller for longer than the lease, and ended the tasks") \
	X(REQUEUED, "requeued", HAS_END | HAS(BY) | HAS(CATEGORY) | HAS(FAULT) | HAS(FAILURES) | HAS(NOT_BEFORE_US), \
	  "The attempt has ended, and the element waits again; without an attempt: its lease was withdrawn before an order left") \
	X(REPRIORITISED, "reprioritised", HAS(BY) | HAS(PRIORITY) | HAS(OLD_PRIORITY), \
	  "The priority was changed") \
	X(HELD, "held", HAS(BY), \
	  "The job is held: no element starts") \
	X(RELEASED, "released", HAS(BY), \
	  "The job is no longer held") \
	X(UPDATED, "updated", HAS(BY) | HAS(FIELDS) | HAS(FROM_QUEUE) | HAS(TO_QUEUE) | HAS(COUNT), \
	  "The specification was changed") \
	X(SCALED, "scaled", HAS(ATTEMPT) | HAS(BY) | HAS(TASKS) | HAS(OLD_TASKS) | HAS(REASON), \
	  "The number of tasks was changed; an event updated follows if other fields changed too. With an attempt: a task has joined a running elastic job, or one that had joined is taken back or has failed; tasks and old_tasks are the tasks that run") \
	X(USAGE, "usage", HAS(ATTEMPT) | HAS(START_US) | HAS(END_US) | HAS(CPU_US) | HAS(MAX_RSS_BYTES) | HAS(READ_BYTES) | HAS(WRITTEN_BYTES), \
	  "What an attempt used; just before the event of its end") \
	X(SUSPENDED, "suspended", HAS(ATTEMPT) | HAS(BY), \
	  "The tasks are stopped, and keep their room") \
	X(RESUMED, "resumed", HAS(ATTEMPT) | HAS(BY), \
	  "The tasks go on") \
	X(UNREACHABLE, "unreachable", HAS(ATTEMPT) | HAS(REASON), \
	  "A node of the element is silent: what its tasks do is not known") \
	X(REACHABLE, "reachable", HAS(ATTEMPT), \
	  "All nodes of the element answer again") \
	X(ENDING, "ending", HAS(ATTEMPT) | HAS(BY) | HAS(REASON), \
	  "The tasks are being ended for another reason")
/* clang-format on */

struct job_event_kind {
	Armada__JobEventKind kind;
	const char *name;
	uint64_t fields;
	const char *help;
};

enum job_event_type {
	JOB_EVENT_TEXT,
	JOB_EVENT_TEXTS,
	JOB_EVENT_UINT,
	JOB_EVENT_INT,
	JOB_EVENT_TIME,
	JOB_EVENT_BYTES,
	JOB_EVENT_REAL,
	JOB_EVENT_BOOL,
	JOB_EVENT_CATEGORY,
	JOB_EVENT_FAULT,
};

struct job_event_field_info {
	const char *name, *help;
	enum job_event_type type;
	size_t at, size; /* of the member */
	size_t count_at; /* of the number of TEXTS */
};

/* NULL: a kind of a newer release. */
const struct job_event_kind *job_event_kind(int kind);
/* NULL: no kind of that name. */
const struct job_event_kind *job_event_kind_named(const char *name);
const struct job_event_kind *job_event_kinds(size_t *ret_count);
const struct job_event_field_info *job_event_field(enum job_event_field field);
/* The names in JSON; "" for 0, and for one of a newer release "other". */
const char *failure_category_name(int category);
const char *fault_name(int fault);
