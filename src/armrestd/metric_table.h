/*
 * The table of the metrics that the gateway makes from replies of the controller. The rows of
 * proto/counter_table.h follow them on the page.
 *
 * METRIC_TABLE: X(METRIC, name, type, unit, label, help). The type is COUNTER (the name ends in _total) or
 * GAUGE. Unit and label may be empty. Names and meanings never change; rows are added. `make manual` writes
 * the table into armrestd(8).
 */
#pragma once

/* clang-format off */
#define METRIC_TABLE(X) \
	X(UP, "up", GAUGE, "", "", \
	  "1: the controller answers the gateway") \
	X(CLUSTER, "cluster_info", GAUGE, "", "cluster, release", \
	  "The cluster and the release of its controller; always 1") \
	X(START_TIME, "controller_start_time_seconds", GAUGE, "seconds", "", \
	  "When the controller started, in seconds since 1970") \
	X(EPOCH, "controller_epoch", GAUGE, "", "", \
	  "The number of starts of a controller") \
	X(LOG_RECORDS, "log_records_total", COUNTER, "", "", \
	  "Records of the log") \
	X(JOBS, "jobs", GAUGE, "", "", \
	  "Jobs in memory") \
	X(ELEMENTS, "elements", GAUGE, "", "state", \
	  "Elements of jobs by state") \
	X(STALE, "stale_messages_total", COUNTER, "", "", \
	  "Messages of past attempts or epochs that were dropped since the controller started") \
	X(PROBLEM, "controller_problem", GAUGE, "", "", \
	  "1: the controller's machine has a fault, such as a full disk (actl ping)") \
	X(NOT_LIMITED, "nodes_not_limited", GAUGE, "", "", \
	  "Nodes whose tasks are limited by less than the site wants") \
	X(CPUS_WEAKER, "nodes_cpus_weaker", GAUGE, "", "", \
	  "Nodes whose tasks get their cpus otherwise than cpu_containment says") \
	X(ROUND_START, "round_start_time_seconds", GAUGE, "seconds", "", \
	  "When the last round began, in seconds since 1970") \
	X(ROUND_DURATION, "round_duration_seconds", GAUGE, "seconds", "", \
	  "How long the last round took") \
	X(ROUND_END, "round_end", GAUGE, "", "end", \
	  "How the last round ended; 1 for one of them") \
	X(ROUND_STARTED, "round_started_elements", GAUGE, "", "", \
	  "Elements that the last round started") \
	X(ROUND_PREEMPTED, "round_preempted_elements", GAUGE, "", "", \
	  "Elements that the last round preempted") \
	X(ROUND_REFUSED, "round_refused_decisions", GAUGE, "", "", \
	  "Decisions of the last round that did not fit the state any more") \
	X(SHARE, "queue_share", GAUGE, "fraction", "queue", \
	  "Share of the cluster that a queue uses, after the last round; (other): of all further queues, as in the next ones") \
	X(FAIR_SHARE, "queue_fair_share", GAUGE, "fraction", "queue", \
	  "The share of a queue by weight") \
	X(ENTITLED, "queue_entitled_share", GAUGE, "fraction", "queue", \
	  "The fair share of a queue, with a part of what other queues cannot use") \
	X(QUEUE_PREEMPTED, "queue_round_preempted_elements", GAUGE, "", "queue", \
	  "Elements of a queue that the last round preempted") \
	X(FAIRNESS, "fairness", GAUGE, "", "property", \
	  "Properties of the allocation after the last round (ashare --properties)") \
	X(QUEUE_PENDING, "queue_pending_elements", GAUGE, "", "queue", \
	  "Pending elements of a queue; (other): of all further queues") \
	X(QUEUE_RUNNING, "queue_running_elements", GAUGE, "", "queue", \
	  "Running elements of a queue; (other): of all further queues") \
	X(QUEUES, "queues", GAUGE, "", "", \
	  "Queues") \
	X(NODES, "nodes", GAUGE, "", "state", \
	  "Nodes by state") \
	X(CONTAINMENT, "nodes_containment", GAUGE, "", "containment", \
	  "Nodes by their mode of containment") \
	X(CAPACITY, "resource_capacity", GAUGE, "", "resource", \
	  "Resources of the connected nodes; cpu in millicores, memory in bytes") \
	X(ALLOCATED, "resource_allocated", GAUGE, "", "resource", \
	  "Resources of the connected nodes that jobs have") \
	X(LIMIT_USED, "limit_used", GAUGE, "", "limit", \
	  "The use of a limit of actl show limits by all users together") \
	X(LIMIT, "limit", GAUGE, "", "limit", \
	  "The limits of actl show limits, for all users together")
/* clang-format on */
