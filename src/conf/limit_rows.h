/*
 * The section limits of armada.conf: the bounds of what users and nodes make the controller keep. Only
 * tables.c includes it.
 */
#pragma once

#include "conf/conf.h"
#include "conf/row.h"

/* clang-format off */
static const struct conf_row limit_rows[] = {
	ROW(conf, SIZE, script_size, limits.script_bytes, "1M", .min = KIB(1), .max = MIB(3),
	    .reload = true,
	    .help = "Maximum size of a script."),
	ROW(conf, SIZE, env_size, limits.env_bytes, "512K", .min = KIB(1), .max = MIB(3),
	    .reload = true,
	    .help = "Maximum size of a job's environment."),
	ROW(conf, SIZE, args_size, limits.args_bytes, "128K", .min = KIB(1), .max = MIB(1),
	    .reload = true,
	    .help = "Maximum length of a job's command line."),
	ROW(conf, INT, array_elements, limits.array_elements, "10000000", .min = 1,
	    .max = 4294967295.0, .reload = true,
	    .help = "Maximum number of elements of one array."),
	ROW(conf, INT, tasks_per_job, limits.tasks_per_job, "10000", .min = 1, .max = 1e6,
	    .reload = true,
	    .help = "Maximum number of tasks of one element of a job."),
	ROW(conf, INT, jobs_per_request, limits.jobs_per_request, "10000", .min = 1, .max = 1e6,
	    .reload = true,
	    .help = "Maximum number of jobs that one message may submit."),
	ROW(conf, INT, jobs_in_memory, limits.jobs_in_memory, "5000000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of unfinished jobs in the cluster; further jobs are refused "
		    "until some have ended. The last 2 % are kept for administrators."),
	ROW(conf, INT, jobs_per_user, limits.jobs_per_user, "4000000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of unfinished jobs of one user. An array is one job."),
	ROW(conf, SIZE, stored_per_user, limits.stored_per_user, "1G", .min = MIB(1),
	    .max = TIB(1024), .reload = true,
	    .help = "Maximum size of the scripts, environments and descriptions of all "
		    "unfinished jobs of one user. A script, an environment or a description that "
		    "several of these jobs use is counted once."),
	ROW(conf, SIZE, stored_total, limits.stored_total, "8G", .min = MIB(1), .max = TIB(1024),
	    .reload = true,
	    .help = "The same for the jobs of all users. The last 2 % are kept for "
		    "administrators."),
	ROW(conf, SIZE, history_backlog, limits.history_backlog, "1G", .min = MIB(1),
	    .max = TIB(1024), .reload = true,
	    .help = "Maximum memory of ended jobs that wait to be written to the history. Beyond "
		    "it submissions and updates of jobs are refused, and beyond twice as much no "
		    "job is started. It is reached only if the history cannot be written."),
	ROW(conf, DURATION, max_grace_period, limits.max_grace_us, "5m", .min = SEC(1),
	    .max = DAY(1), .reload = true,
	    .help = "Maximum time between SIGTERM and SIGKILL that a job may request."),
	ROW(conf, DURATION, max_time_limit, limits.max_time_limit_us, "0", .max = YEARS,
	    .reload = true,
	    .help = "Maximum time limit that a job may request; 0: no limit. Queues and "
		    "priority classes may have a shorter max_time."),
	ROW(conf, INT, max_requeues, limits.max_requeues, "16", .min = 1, .max = 1e6,
	    .reload = true,
	    .help = "Maximum number of requeues of a job after failures, unless asubmit "
		    "--requeue=N sets it. A loss of the node counts, for example; a preemption "
		    "and an orderly shutdown of the machine do not."),
	ROW(conf, DURATION, restart_pause, limits.restart_pause_us, "10s", .max = DAY(1),
	    .reload = true,
	    .help = "Pause before the second restart of a job after failures of its own "
		    "(asubmit --on-task-failure); 0: no pauses. It doubles with each further one. "
		    "The first restart has none, nor has a job after a preemption, a requeue by "
		    "a user or a failure of its node. Jobs of a gang pause together; a restart counts for all."),
	ROW(conf, DURATION, restart_pause_max, limits.restart_pause_max_us, "5m", .max = DAY(1),
	    .reload = true, .help = "Maximum of these pauses."),
	ROW(conf, DURATION, submit_key, limits.submit_key_us, "1d", .min = SEC(1), .max = DAY(90),
	    .reload = true,
	    .help = "How long the key of a submission is remembered. A client that lost the "
		    "reply and repeats the submission within this time gets the same job."),
	ROW(conf, INT, submit_keys_per_user, limits.submit_keys_per_user, "100000", .min = 1,
	    .max = 1e9, .reload = true,
	    .help = "Maximum number of submission keys of one user that are remembered. Above "
		    "it, the oldest key of the user is forgotten. Named keys (asubmit "
		    "--submit-key) are counted by themselves; above the limit, new ones are refused."),
	ROW(conf, INT, submit_keys, limits.submit_keys, "1000000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of submission keys of all users together that are "
		    "remembered. Above it, the oldest of all keys is forgotten. Named keys are counted "
		    "by themselves."),
	ROW(conf, INT, job_sets_per_user, limits.job_sets_per_user, "20000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of job sets without jobs whose event numbers are remembered, "
		    "of those that one user began. Above it, the set that has been without jobs "
		    "for the longest time is forgotten. Its events then begin at a higher number "
		    "if the name is used again."),
	ROW(conf, INT, job_sets, limits.job_sets, "200000", .min = 1, .max = 1e9, .reload = true,
	    .help = "The same for all users together."),
	ROW(conf, INT, tokens_per_user, limits.tokens_per_user, "100", .min = 1, .max = 1e6,
	    .reload = true,
	    .help = "Maximum number of tokens of one user (actl token create) that have not "
		    "expired; above it, new ones are refused."),
	ROW(conf, INT, tokens, limits.tokens, "100000", .min = 1, .max = 1e6, .reload = true,
	    .help = "The same for all users together. The last 2 % are kept for administrators."),
	ROW(conf, INT, watches_per_connection, limits.watches_per_conn, "1000", .min = 1,
	    .max = 1e9, .reload = true,
	    .help = "Maximum number of job sets whose events are sent to one connection."),
	ROW(conf, INT, watches_per_user, limits.watches_per_user, "2000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "The same for all connections of one user."),
	ROW(conf, INT, watches, limits.watches, "20000", .min = 1, .max = 1e9, .reload = true,
	    .help = "The same for all users together. The last 2 % are kept for administrators."),
	ROW(conf, SIZE, event_memory, limits.event_memory, "64M", .min = 64 << 10, .max = 1e12,
	    .reload = true,
	    .help = "Memory for recent job events, which are kept once for all who watch them. A "
		    "reader that is behind them is served from the history."),
	ROW(conf, INT, waits_per_connection, limits.waits_per_conn, "10000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of jobs that one connection may wait for."),
	ROW(conf, INT, waits_per_user, limits.waits_per_user, "50000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of jobs that the connections of one user may wait for."),
	ROW(conf, INT, waits, limits.waits, "500000", .min = 1, .max = 1e9, .reload = true,
	    .help = "Maximum number of jobs that all connections may wait for. The last 2 % are "
		    "kept for administrators."),
	ROW(conf, INT, output_reads_per_user, limits.output_reads_per_user, "8", .min = 1, .max = 1000,
	    .reload = true,
	    .help = "Maximum number of parts of output files that nodes read for one user at once "
		    "(actl show output); more are refused."),
	ROW(conf, INT, output_reads, limits.output_reads, "64", .min = 1, .max = 1000, .reload = true,
	    .help = "The same for all users together. Each may take 1 MiB of memory."),
	ROW(conf, DURATION, output_read_timeout, limits.output_read_timeout_us, "30s", .min = SEC(1),
	    .max = MIN(60), .reload = true,
	    .help = "How long the controller waits for a node that reads output. The node itself "
		    "gives up after 20 seconds."),
	ROW(conf, INT, steps_per_job, limits.steps_per_job, "10000", .min = 0, .max = 1e6,
	    .reload = true,
	    .help = "Maximum number of running steps of a job, or of an element of an array, that have "
		    "an id (aqueue --steps). Further ones run without an id, and are not listed."),
	ROW(conf, INT, step_tasks, limits.step_tasks, "1000000", .min = 0, .max = 1e8,
	    .reload = true,
	    .help = "Maximum number of tasks that the running steps with an id have in all jobs "
		    "together. Each takes 8 bytes of memory, and each step some hundred."),
	ROW(conf, INT, ended_steps_per_job, limits.ended_steps_per_job, "100", .min = 0, .max = 10000,
	    .reload = true,
	    .help = "How many ended steps of a running job, or of a running element of an array, are "
		    "still listed; the oldest ones leave first."),
	ROW(conf, INT, ended_steps, limits.ended_steps, "100000", .min = 0, .max = 1e7,
	    .reload = true,
	    .help = "The same for all jobs together."),
	ROW(conf, INT, conns_per_uid, limits.conns_per_uid, "256", .min = 1, .max = 65536,
	    .help = "Maximum number of connections of one user."),
	ROW(conf, INT, conns, limits.conns, "16384", .min = 1, .max = 1e6,
	    .help = "Maximum number of connections of all users together. Nodes and "
		    "administrators are not counted."),
	ROW(conf, INT, requests_per_second, limits.requests_per_second, "0", .max = 1e6,
	    .help = "Maximum rate at which requests of one user are served; 0: no limit."),
	ROW(conf, INT, requests_burst, limits.requests_burst, "1000", .min = 1, .max = 1e6,
	    .help = "Maximum number of requests of one user at once, before requests_per_second "
		    "applies."),
	ROW(conf, INT, handshakes_per_address, limits.handshakes_per_address, "64", .min = 1,
	    .max = 65536,
	    .help = "Maximum number of connections from one address (on the Unix socket: of one "
		    "user) that have not authenticated yet. If one more arrives, the oldest of "
		    "them that has sent nothing for at least 20 ms is closed; if there is none, "
		    "the new connection is closed."),
	ROW(conf, INT, handshakes, limits.handshakes, "1024", .min = 1, .max = 1e6,
	    .help = "The same for all addresses together."),
	ROW(conf, INT, large_requests_per_user, limits.large_requests_per_user, "8", .min = 1,
	    .max = 65536,
	    .help = "Maximum number of requests over 64 KiB of one user that are received at a "
		    "time. Further large requests are received later."),
	ROW(conf, INT, large_requests, limits.large_requests, "32", .min = 1, .max = 65536,
	    .help = "The same for all users together, except for administrators."),
	ROW(conf, SIZE, output_per_connection, limits.output_per_connection, "1M", .min = KIB(64),
	    .max = MIB(64),
	    .help = "Maximum size of the answers that wait to be sent on one connection. While "
		    "it is exceeded, no further requests are taken from the connection."),
	ROW(conf, SIZE, output_per_user, limits.output_per_user, "16M", .min = MIB(1), .max = MIB(1024),
	    .help = "Maximum size of the answers that wait to be sent to one user. While it is "
		    "exceeded, no further requests are taken from the connections of this user."),
	ROW(conf, SIZE, output_total, limits.output_total, "128M", .min = MIB(8), .max = MIB(65536),
	    .help = "Maximum size of the answers that wait to be sent to all users. While it is "
		    "exceeded, requests are taken from nodes and administrators only."),
	ROW(conf, SIZE, commit_per_user, limits.commit_per_user, "2M", .min = KIB(64), .max = MIB(1024),
	    .help = "Maximum size of the changes by one user (jobs with their scripts, mostly) that "
		    "wait to be on disk. While it is exceeded, no further requests are taken from "
		    "this user, so that those of others need not wait longer."),
	ROW(conf, DURATION, output_timeout, limits.output_timeout_us, "30s", .min = SEC(1),
	    .max = SEC(3600),
	    .help = "Time that a client has to read the answers that wait for it, or to send the "
		    "rest of a large request. A connection that needs longer is closed. A reader of job "
		    "events that takes none for half of the time loses its watch, with the number at "
		    "which awatch goes on."),
	ROW(conf, INT, log_lines_per_minute, limits.log_lines, "60", .max = 1e6, .reload = true,
	    .help = "Maximum number of log lines in a minute that one user, one node or one "
		    "address causes with its messages and connections. The maximum for all users "
		    "together, and that for all addresses together, is ten times as high; that "
		    "for all nodes together is a hundred times as high. The lines about the jobs of one "
		    "user have ten times the number of their own, and those about all jobs a hundred "
		    "times. Further lines are "
		    "counted, and the count is logged. 0: no limit."),
};
/* clang-format on */
