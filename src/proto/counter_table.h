/*
 * The table of what the controller counts and measures: the rows of COUNTERS, of actl show counters and, with
 * armada_ before their names, of the metrics of armrestd.
 *
 * COUNTER_TABLE: X(ROW, name, type, unit, label, help). The type is COUNT (it only grows, from 0 at the start
 * of the controller; the name of its metric ends in _total), GAUGE or HISTOGRAM. Unit and label may be empty.
 * Names and meanings never change; rows are added. `make manual` writes the table into armrestd(8).
 */
#pragma once

#include <stddef.h>

/* clang-format off */
#define COUNTER_TABLE(X) \
	X(QUEUE_OLDEST_PENDING, "queue_oldest_pending_seconds", GAUGE, "seconds", "queue", \
	  "How long the oldest pending job of a queue has waited since its submission; held jobs do not count") \
	X(QUEUE_SHARE_LACKING, "queue_share_lacking", GAUGE, "fraction", "queue", \
	  "Sharing incentive: what a queue lacks of the cluster after the last round, to the smaller of its demand and its share by weight; (other) is the sum of the further queues") \
	X(QUEUE_ENVY, "queue_envy", GAUGE, "fraction", "queue", \
	  "Envy: the part of its demand that a queue would run more with what another queue has after the last round, by their weights; (other) is the most of the further queues") \
	X(QUEUE_PREEMPTED, "queue_preempted_cluster_seconds", COUNT, "seconds", "queue", \
	  "Preemption waste: run time of the elements of a queue that rounds preempted, in seconds of the whole cluster; it is lost unless the jobs save their work. (other) is the sum of the further queues") \
	X(PREEMPTED, "preempted_elements", COUNT, "", "reason", \
	  "Elements that were preempted: for queues below their share, for more urgent classes, of scavenging jobs, or by request") \
	X(JOB_EVENTS, "job_events", COUNT, "", "event", \
	  "Job events, as awatch shows them; one about several elements of an array counts once") \
	X(REFUSED, "requests_refused", COUNT, "", "exit_code", \
	  "Requests that were refused, by the exit code of the command: 77 is a missing right, 75 try again") \
	X(ROUNDS, "rounds", COUNT, "", "end", \
	  "Scheduling rounds: done, cut short by max_round, failed with a plugin, or idle because no job waited") \
	X(DECISIONS, "round_decisions", COUNT, "", "", \
	  "Elements that rounds decided to start or to preempt") \
	X(ROUND_TIMES, "round_seconds", HISTOGRAM, "seconds", "", \
	  "Times of scheduling rounds") \
	X(COMMIT_TIMES, "commit_seconds", HISTOGRAM, "seconds", "", \
	  "Times to write records durably, with their waits for space and for copies") \
	X(HISTORY_LAG, "history_lag_records", GAUGE, "", "", \
	  "Records of the log whose rows are not in the history yet") \
	X(HISTORY_LAG_TIME, "history_lag_seconds", GAUGE, "seconds", "", \
	  "How long the oldest of these rows has waited; rows are collected for a second") \
	X(MEMORY, "memory_allocated_bytes", GAUGE, "bytes", "", \
	  "Memory that the controller uses, at its last look, each 10 s")
/* clang-format on */

enum counter {
#define X(ROW, name, type, unit, label, help) COUNTER_##ROW,
	COUNTER_TABLE(X)
#undef X
		COUNTER_ROWS
};

enum counter_type { COUNTER_COUNT, COUNTER_GAUGE, COUNTER_HISTOGRAM };

struct counter_info {
	const char *name;
	enum counter_type type;
	const char *unit, *label, *help;
};

const struct counter_info *counter_info(enum counter row);
