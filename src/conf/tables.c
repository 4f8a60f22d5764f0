#include "conf/tables.h"
#include "conf/conf.h"
#include "conf/syntax_checks.h"
#include "util/mem.h"

#define MS(n)  ((n)*1e3)
#define SEC(n) ((n)*1e6)
#define MIN(n) ((n)*60e6)
#define DAY(n) ((n)*86400e6)
#define KIB(n) ((n)*1024.0)
#define MIB(n) ((n)*1048576.0)
#define TIB(n) ((n)*1099511627776.0)

#define YEARS DAY(3660)

/* A row of type T named n whose value is the field f of struct s. */
#define ROW(s, T, n, f, d, ...)                                                                    \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, .def = d, __VA_ARGS__},             \
		.offset = offsetof(struct s, f),                                                   \
	}
#define CHECKED(s, T, n, f, d, c, ...)                                                             \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, .def = d, __VA_ARGS__},             \
		.offset = offsetof(struct s, f), .check = c,                                       \
	}
/* A row without a default that stands for others. */
#define SHORTHAND(s, T, n, f, ...)                                                                 \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, __VA_ARGS__},                       \
		.offset = offsetof(struct s, f), .shorthand = true,                                \
	}
#define LIST(s, T, n, f, k, c, ...)                                                                \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, __VA_ARGS__},                       \
		.offset = offsetof(struct s, f), .count_offset = offsetof(struct s, k),            \
		.check = c,                                                                        \
	}

/* A row whose value is kept as written in the field f of struct s. */
#define CONF(...) __VA_ARGS__
#define SAID(s, f, n, shape_, words, t, c, ...)                                                    \
	{                                                                                          \
		.opt = {.name = #n,                                                                \
			.type = ARMADA_OPTION_##t,                                                 \
			.reload = true,                                                            \
			.help = words,                                                             \
			__VA_ARGS__},                                                              \
		.offset = offsetof(struct s, f),                                                   \
		.check = c,                                                                        \
		.as_written = true,                                                                \
		.none = QUEUE_SHAPE_##shape_ == QUEUE_SHAPE_LIMIT,                                 \
	},
/* The absolute limits: of each user in the cluster, and of a user that is named. */
#define CLUSTER_MOST(k, n, u, type, greatest, what, more, ...)                                     \
	SAID(conf, user_limits.of[k], n, LIMIT, "The most " what ", of each user." more, type,     \
	     check_submit_rate, .min = 0, .max = greatest)
#define USER_MOST(k, n, u, type, greatest, what, more, ...)                                        \
	SAID(conf_user, most.of[k], n, LIMIT, "The most " what ", of this user." more, type,       \
	     check_submit_rate, .min = 0, .max = greatest)
#define QUEUE_ROW(n, shape, kept, right, called, bounds, words, ...)                               \
	SAID(conf_queue, said[QUEUE_OF_##n], n, shape, words, bounds)
#define TEMPLATE_ROW(n, shape, kept, right, called, bounds, words, in, in_words, ...)              \
	TEMPLATE_ROW_##in(n, shape, in_words, bounds)
#define TEMPLATE_ROW_ALONE(...)
#define TEMPLATE_ROW_TEMPLATE(n, shape, words, ...)                                                \
	SAID(conf, user_queues.like.said[QUEUE_OF_##n], n, shape, words, __VA_ARGS__)

/* A row of NODE_TABLE that armada.conf knows. */
#define IN_FILE(...)                               __VA_ARGS__,
#define NODE_ROW(member, registered, in_file, ...) in_file

/* clang-format off */
static const struct conf_row top_rows[] = {
	CHECKED(conf, STRING, cluster, cluster, "armada", check_name,
	    .help = "The cluster's name, as users see it. Letters, digits, dash, dot and underscore."),
	LIST(conf, STRINGS, controllers, controllers, controller_count, check_address,
	    .reload = true,
	    .help = "Where the controllers are, as \"host:port\" or the path of a socket, in the "
		    "order in which daemons and commands try them. Host names must resolve on every "
		    "node."),
	CHECKED(conf, STRING, listen, listen, "", check_address,
	    .help = "Where this controller listens; empty means the first of controllers."),
	CHECKED(conf, STRING, controller_user, controller_user, "armada", check_user,
	    .help = "The user that armctld runs as. Nodes and commands accept a controller only "
		    "when MUNGE says that this user is at the other end."),
	CHECKED(conf, STRING, agent_user, agent_user, "armada-node", check_user,
	    .help = "The user that the network process of armd runs as."),
	LIST(conf, STRINGS, admins, admins, admin_count, check_user, .reload = true,
	    .help = "Users who may do everything, besides root and controller_user."),
	LIST(conf, STRINGS, admin_groups, admin_groups, admin_group_count, check_user,
	    .reload = true, .help = "Groups whose members may do everything."),
	LIST(conf, STRINGS, permissions, permissions, permission_count, check_permission,
	    .reload = true,
	    .help = "What users and groups may do in every queue, besides the queue's own "
		    "permissions, one text for each of them: \"user:ann=submit,cancel\", "
		    "\"group:support=watch\", \"all=watch\". The verbs are submit, cancel (hold, "
		    "release, requeue and signal too), reprioritise, preempt and watch; armada(7) says "
		    "more of them."),
	ROW(conf, BOOL, private, private, "false", .reload = true,
	    .help = "Users see their own jobs, those in queues that they own, and those in queues "
		    "where a permission lets them watch or do something else to jobs of others; "
		    "administrators see all. For everybody else these jobs do not exist. "
		    "Otherwise everybody sees every job, though not its script or environment."),
	CHECKED(conf, STRING, state_dir, state_dir, ARMADA_STATEDIR, check_path,
	    .help = "Where the controller keeps its state. Private to controller_user."),
	CHECKED(conf, STRING, spool_dir, spool_dir, ARMADA_SPOOLDIR, check_path,
	    .help = "Where armd keeps what it must know after a restart. Private to root."),
	CHECKED(conf, STRING, run_dir, run_dir, ARMADA_RUNDIR, check_path,
	    .help = "Where the daemons keep their sockets and pid files."),
	CHECKED(conf, STRING, plugin_dir, plugin_dir, ARMADA_PLUGINDIR, check_path,
	    .help = "Where plugins are: KIND_NAME.so, writable by root or the daemon's own user "
		    "alone."),
	ROW(conf, CHOICE, log_level, log_level, "info", .reload = true,
	    .choices = "error|warn|notice|info|debug",
	    .help = "The least important lines that are written to the log."),
};

static const struct conf_row agent_rows[] = {
	ROW(conf, DURATION, heartbeat, nodes.heartbeat_us, "10s", .min = MS(100), .max = MIN(10),
	    .reload = true, .help = "How often a node tells the controller that it is alive."),
	ROW(conf, DURATION, node_timeout, nodes.node_timeout_us, "60s", .min = MS(500),
	    .max = MIN(60), .reload = true,
	    .help = "A node that is silent for this long is shown as lost and gets no new work. Its "
		    "tasks run on. At least twice heartbeat."),
	ROW(conf, DURATION, lease, nodes.lease_us, "12h", .min = SEC(1), .max = DAY(90),
	    .reload = true,
	    .help = "How long a task may run on after its node last spoke with the controller; then "
		    "the node itself ends it. Only after that may the task be run elsewhere, so a "
		    "short lease returns lost work sooner and a long one survives a longer outage "
		    "of the controller. Longer than node_timeout."),
	ROW(conf, DURATION, lease_margin, nodes.lease_margin_us, "1m", .min = MS(100),
	    .max = DAY(1), .reload = true,
	    .help = "How much longer than the node the controller waits until it takes a lease to "
		    "be over, besides a five hundredth of the lease: for clocks that do not run "
		    "alike, and for a node that is slow to kill."),
	ROW(conf, BOOL, auto_register, nodes.auto_register, "true", .reload = true,
	    .help = "Nodes join by themselves. Otherwise only those may that nodes names."),
	ROW(conf, DURATION, avoid, nodes.avoid_us, "5m", .max = DAY(1), .reload = true,
	    .help = "A job is not started again for so long on a node that could not start it."),
	ROW(conf, INT, drain_after, nodes.drain_after, "3", .max = 16, .reload = true,
	    .help = "A node that could not start so many different jobs in a row is drained, with "
		    "the last reason; 0 is never."),
	CHECKED(conf, STRING, fence_program, nodes.fence_program, "", check_path,
	    .reload = true,
	    .help = "A program that puts the power of the node off that is its argument, and ends "
		    "with 0 only when it knows that it is off (by IPMI, say). It is run for a silent "
		    "node with tasks, by the controller's user and with an empty environment, and "
		    "again after a while if it ends otherwise. Then these tasks are lost for "
		    "certain and run again elsewhere, without waiting for their leases."),
	ROW(conf, DURATION, fence_after, nodes.fence_after_us, "5m", .max = DAY(1), .reload = true,
	    .help = "How long a node is silent before fence_program is run for it. At least "
		    "node_timeout."),
	ROW(conf, DURATION, fence_timeout, nodes.fence_timeout_us, "2m", .min = SEC(1),
	    .max = DAY(1), .reload = true,
	    .help = "A fence_program that runs for longer is killed, and has proved nothing."),
	CHECKED(conf, STRING, reboot_program, nodes.reboot_program, "", check_path,
	    .help = "What armd runs, as root and with the node's name as its argument, when anode "
		    "reboot has drained the node and nothing runs there any more. Each node obeys "
		    "its own armada.conf in this; without it anode reboot is refused."),
	ROW(conf, DURATION, reconnect_max, nodes.reconnect_max_us, "30s", .min = MS(50),
	    .max = MIN(10), .reload = true,
	    .help = "The longest wait of a node between two tries to reach the controller."),
};

static const struct conf_row scheduler_rows[] = {
	ROW(conf, DURATION, cycle_period, scheduler.cycle_period_us, "20ms", .min = MS(1),
	    .max = MIN(10), .reload = true,
	    .help = "The least time between the starts of two scheduling rounds, except after one "
		    "that found nothing to start."),
	ROW(conf, DURATION, max_round, scheduler.max_round_us, "5s", .min = MS(10), .max = MIN(10),
	    .reload = true,
	    .help = "A round that takes longer ends early; the next takes up where it ended."),
	ROW(conf, DURATION, share_interval, scheduler.share_interval_us, "1m", .min = SEC(1),
	    .max = 86400 * SEC(1), .reload = true,
	    .help = "How often, at most, the shares of the queues are noted: for ashare --history, "
		    "and so that what fairness/decay remembers of use is known again after a "
		    "restart of the controller. What is as it was is not noted again."),
	CHECKED(conf, STRING, default_class, scheduler.default_class, "armada-default", check_name,
	    .reload = true, .help = "The priority class of jobs that name none."),
	ROW(conf, INT, max_jobs_per_round, scheduler.max_jobs_per_round, "0", .max = 1e9,
	    .reload = true,
	    .help = "The most tasks that one round starts; 0 is no limit. Tasks that share a node "
		    "by request count as one, here and in the rates below."),
	LIST(conf, NUMBERS, max_resource_fraction_per_round, scheduler.max_fraction_per_round,
	    scheduler.max_fraction_count, check_resource, .min = 0, .max = 1, .reload = true,
	    .help = "For each resource, the part of the cluster (0 to 1) that one round hands out, "
		    "as { cpu = 0.25; memory = 0.25; }. It is looked at before each job, so the "
		    "last one may exceed it."),
	ROW(conf, DOUBLE, rate, scheduler.rate, "0", .max = 1e9, .reload = true,
	    .help = "How many tasks the cluster starts in a second, on average; 0 is no limit. "
		    "Needs burst."),
	ROW(conf, INT, burst, scheduler.burst, "0", .max = 1e9, .reload = true,
	    .help = "How many tasks it starts at once after a quiet time, before rate holds it "
		    "back. Jobs whose tasks are more, and must start together, are refused."),
	ROW(conf, DOUBLE, queue_rate, scheduler.queue_rate, "0", .max = 1e9, .reload = true,
	    .help = "The same as rate for each queue by itself. Needs queue_burst."),
	ROW(conf, INT, queue_burst, scheduler.queue_burst, "0", .max = 1e9, .reload = true,
	    .help = "The same as burst for each queue by itself."),
	ROW(conf, INT, queue_lookback, scheduler.queue_lookback, "0", .max = 1e9, .reload = true,
	    .help = "How many waiting jobs and elements of each queue a round looks at, always the "
		    "first of them; 0 is all. What does not fit then holds up what stands further "
		    "down."),
	ROW(conf, BOOL, hold_impossible, scheduler.hold_impossible, "false", .reload = true,
	    .help = "Accept jobs that could never start on the nodes of today, were they empty, and "
		    "let them wait: for clusters whose nodes come and go. Otherwise such jobs are "
		    "refused when they are submitted, and told why."),
};

static const struct conf_row default_rows[] = {
	ROW(conf, CPU, cpus, defaults.cpu_milli, "1", .min = 1, .max = 1e9, .reload = true,
	    .help = "Cpus of a task that asks for none."),
	ROW(conf, SIZE, memory_per_cpu, defaults.memory_per_cpu_bytes, "1G", .min = KIB(4),
	    .max = TIB(1024), .reload = true,
	    .help = "Memory of a task that asks for none, for each of its cpus."),
	ROW(conf, DURATION, time_limit, defaults.time_limit_us, "1d", .min = SEC(1), .max = YEARS,
	    .reload = true, .help = "Run time of a job that asks for none, and whose queue and "
	    "priority class have no default_time."),
	ROW(conf, DURATION, grace, defaults.grace_us, "1s", .max = DAY(1), .reload = true,
	    .help = "Time between SIGTERM and SIGKILL for a job that sets none. From 1s to "
		    "limits.max_grace_period; 0 is taken for 1s."),
	CHECKED(conf, STRING, output, defaults.output, "armada-%j.out", check_text, .reload = true,
	    .help = "Output file of a job that names none; %j is the job's id. Relative to the "
		    "directory the job was submitted from."),
	CHECKED(conf, STRING, array_output, defaults.array_output, "armada-%A_%a.out", check_text,
	    .reload = true,
	    .help = "The same for arrays; %A is the job's id and %a the element's index."),
	CHECKED(conf, STRING, propagate, defaults.propagate, "ALL,-memlock,-nproc", check_propagate,
	    .reload = true,
	    .help = "Which limits of the shell they were submitted from tasks run under: ALL, NONE, or "
		    "names (cpu, fsize, data, stack, core, rss, nproc, nofile, memlock, as), each left "
		    "out with a dash; asubmit --propagate says otherwise. Read by the commands."),
};

static const struct conf_row limit_rows[] = {
	ROW(conf, SIZE, script_size, limits.script_bytes, "1M", .min = KIB(1), .max = MIB(3),
	    .reload = true, .help = "The largest script that is accepted."),
	ROW(conf, SIZE, env_size, limits.env_bytes, "512K", .min = KIB(1), .max = MIB(3),
	    .reload = true, .help = "The largest environment that a job may bring."),
	ROW(conf, SIZE, args_size, limits.args_bytes, "128K", .min = KIB(1), .max = MIB(1),
	    .reload = true, .help = "The longest command line of a job."),
	ROW(conf, INT, array_elements, limits.array_elements, "10000000", .min = 1,
	    .max = 4294967295.0, .reload = true, .help = "The most elements of one array."),
	ROW(conf, INT, tasks_per_job, limits.tasks_per_job, "10000", .min = 1, .max = 1e6,
	    .reload = true, .help = "The most tasks of one element of a job."),
	ROW(conf, INT, jobs_per_request, limits.jobs_per_request, "10000", .min = 1, .max = 1e6,
	    .reload = true, .help = "The most jobs that one message may submit."),
	ROW(conf, INT, jobs_in_memory, limits.jobs_in_memory, "5000000", .min = 1, .max = 1e9,
	    .reload = true,
	    .help = "The most unfinished jobs of the cluster; more are refused until some are "
		    "done."),
	ROW(conf, DURATION, max_grace_period, limits.max_grace_us, "5m", .min = SEC(1),
	    .max = DAY(1), .reload = true,
	    .help = "The longest time between SIGTERM and SIGKILL that a job may ask for."),
	ROW(conf, DURATION, max_time_limit, limits.max_time_limit_us, "0", .max = YEARS,
	    .reload = true,
	    .help = "The longest run time that a job may ask for; 0 is no limit. Queues and priority "
		    "classes may have a shorter max_time of their own."),
	ROW(conf, INT, max_requeues, limits.max_requeues, "16", .min = 1, .max = 1e6,
	    .reload = true,
	    .help = "How often a job is started again after failures that were nobody's decision "
		    "and not its own, if it does not say (asubmit --requeue=N)."),
	ROW(conf, DURATION, submit_key, limits.submit_key_us, "1d", .min = SEC(1), .max = DAY(90),
	    .reload = true,
	    .help = "How long a submission is remembered, so that a client that repeats it after a "
		    "lost answer gets the same job."),
	ROW(conf, INT, conns_per_uid, limits.conns_per_uid, "256", .min = 1, .max = 65536,
	    .help = "The most connections of one user."),
	ROW(conf, INT, requests_per_second, limits.requests_per_second, "0", .max = 1e6,
	    .help = "The rate at which one user's requests are served; 0 is no limit."),
	ROW(conf, INT, requests_burst, limits.requests_burst, "1000", .min = 1, .max = 1e6,
	    .help = "How many requests a user may make beyond the rate at once."),
};

static const struct conf_row user_queue_rows[] = {
	ROW(conf, BOOL, enabled, user_queues.enabled, "true", .reload = true,
	    .help = "A job submitted without a queue goes to a queue of its user's name, which is "
		    "made when it is first needed."),
	QUEUE_TABLE(TEMPLATE_ROW, TEMPLATE_ROW)
};

static const struct conf_row user_limit_rows[] = {
	MOST_TABLE(CLUSTER_MOST)
};

static const struct conf_row security_rows[] = {
	ROW(conf, INT, min_uid, security.min_uid, "1000", .max = 4294967294.0, .reload = true,
	    .help = "Users with a lower uid may not submit jobs. Nodes run no tasks of theirs either, "
		    "by what their own armada.conf says."),
	ROW(conf, BOOL, allow_root_jobs, security.allow_root_jobs, "false", .reload = true,
	    .help = "Let root submit jobs, whatever min_uid says. Nodes run them where their own "
		    "armada.conf says so too."),
	CHECKED(conf, STRING, groups, security.groups, "both", check_groups,
	    .help = "Supplementary groups of a task: both are those that its user has for the "
		    "controller and on the node; controller is all that the controller saw, where "
		    "nodes know no groups. Read by armd."),
};

static const struct conf_row hook_rows[] = {
	LIST(conf, STRINGS, health_check, hooks.health_check, hooks.health_check_count, NULL,
	    .help = "Run by root at the start of armd and then every health_interval. When it fails, "
		    "the node is drained with the first line of what it wrote; when it succeeds "
		    "again, the node is resumed, if that was why it was drained."),
	ROW(conf, DURATION, health_interval, hooks.health_interval_us, "5m", .min = SEC(1),
	    .max = DAY(1), .help = "How long from the end of one to the next."),
	ROW(conf, DURATION, health_timeout, hooks.health_timeout_us, "1m", .min = SEC(1),
	    .max = DAY(1), .help = "One that takes longer is killed and has failed."),
	LIST(conf, STRINGS, prolog, hooks.prolog, hooks.prolog_count, NULL,
	    .help = "Run by root before the first task of a job on the node. When it fails, the job "
		    "is requeued, and the node drained if prolog_drains says so."),
	LIST(conf, STRINGS, epilog, hooks.epilog, hooks.epilog_count, NULL,
	    .help = "Run by root after the last task of a job on the node, also when the prolog "
		    "failed. The job is over when it is; how it ended is not changed by it."),
	ROW(conf, DURATION, timeout, hooks.timeout_us, "5m", .min = SEC(1), .max = DAY(1),
	    .help = "Prologs and epilogs that take longer are killed and have failed."),
	ROW(conf, BOOL, prolog_drains, hooks.prolog_drains, "true",
	    .help = "A node whose prolog fails is drained until an administrator resumes it."),
	ROW(conf, BOOL, epilog_drains, hooks.epilog_drains, "true",
	    .help = "The same for its epilog."),
	LIST(conf, STRINGS, task_prolog, hooks.task_prolog, hooks.task_prolog_count, NULL,
	    .help = "Run by the job's user before each task, contained as the task is. When it "
		    "fails, so does the task."),
	LIST(conf, STRINGS, task_epilog, hooks.task_epilog, hooks.task_epilog_count, NULL,
	    .help = "Run by the job's user after each task that began. What becomes of it changes "
		    "nothing."),
	ROW(conf, DURATION, task_timeout, hooks.task_timeout_us, "1m", .min = SEC(1),
	    .max = DAY(1), .help = "Those of tasks that take longer are killed and have failed."),
};

static const struct conf_row class_rows[] = {
	CHECKED(conf_class, STRING, name, name, NULL, check_name, .reload = true,
	    .help = "The name that jobs give as --priority-class."),
	ROW(conf_class, INT, priority, priority, "1000", .min = 0, .max = 2147483647.0,
	    .reload = true,
	    .help = "How urgent its jobs are: a class of higher priority goes first. Not to be confused "
		    "with a job's priority, of which the lower runs first."),
	SHORTHAND(conf_class, BOOL, preemptible, preemptible, .reload = true,
	    .help = "Short for both of the next two options; where one of them is said too, that "
		    "one counts."),
	ROW(conf_class, BOOL, fair_share_preemptible, fair_share_preemptible, "false",
	    .reload = true,
	    .help = "Jobs may be preempted to give another queue its fair share."),
	ROW(conf_class, BOOL, urgency_preemptible, urgency_preemptible, "true", .reload = true,
	    .help = "Jobs may be preempted by jobs of a more urgent class."),
	LIST(conf_class, NUMBERS, max_fraction_per_queue, max_fraction_per_queue,
	    max_fraction_count, check_resource, .min = 0, .max = 1, .reload = true,
	    .help = "For each resource, the largest part of the cluster (0 to 1) that the class's "
		    "jobs of one queue may hold, as { cpu = 0.5; memory = 0.5; }."),
	ROW(conf_class, DURATION, default_time, default_time_us, "0", .max = YEARS,
	    .reload = true,
	    .help = "Run time of the class's jobs that ask for none, where their queue has no "
		    "default_time; 0 leaves it to defaults.time_limit."),
	ROW(conf_class, DURATION, max_time, max_time_us, "0", .max = YEARS, .reload = true,
	    .help = "The longest run time that its jobs may ask for; 0 is no limit. What was "
		    "accepted before keeps its run time."),
};

const struct conf_row conf_queue_rows[] = {
	CHECKED(conf_queue, STRING, name, name, NULL, check_name, .reload = true,
	    .help = "The queue's name."),
	QUEUE_TABLE(QUEUE_ROW, QUEUE_ROW)
};

static const struct conf_row node_rows[] = {
	CHECKED(conf_node, STRING, name, name, NULL, check_text, .reload = true,
	    .help = "The node's name, or several as \"cn[01-64]\"."),
	NODE_TABLE(NODE_ROW)
};

static const struct conf_row user_rows[] = {
	CHECKED(conf_user, STRING, name, name, NULL, check_user, .reload = true,
	    .help = "The user's name."),
	MOST_TABLE(USER_MOST)
};
/* clang-format on */

#define SECTION(n, rows_, help_)                                                                   \
	{                                                                                          \
		.name = n, .rows = rows_, .count = ARRAY_SIZE(rows_), .help = help_                \
	}

const struct conf_section conf_sections[CONF_SECTIONS] = {
	SECTION(NULL, top_rows, "At the top level of the file:"),
	SECTION("agents", agent_rows, "How nodes and the controller keep in touch:"),
	SECTION("scheduler", scheduler_rows,
		"When scheduling rounds run, and how much they start. Limits hold back what is "
		"started; they never end what runs:"),
	SECTION("defaults", default_rows, "What a job gets that does not ask:"),
	SECTION("limits", limit_rows, "What is refused:"),
	SECTION("user_queues", user_queue_rows, "Queues that users get by themselves:"),
	SECTION("user_limits", user_limit_rows,
		"What each user may have in the whole cluster, in all queues together. Administrators "
		"are users too. What is not said has no limit; 0 is one. Limits on what runs keep jobs "
		"waiting, those on what waits and is submitted refuse a submission as a whole:"),
	SECTION("security", security_rows, "Who may run jobs:"),
	SECTION("hooks", hook_rows,
		"Programs that armd runs. What counts is the armada.conf of the node itself, as it "
		"is when armd starts. Each is a list: the whole path of the program, then its "
		"arguments; there is no shell. It must belong to root, and nobody else may write "
		"to it or to a directory on its path. Its environment is PATH and the variables "
		"that armd(8) lists, nothing else; its input is empty; all that it leaves running "
		"in the background is killed:"),
};

#define LIST_SECTION(n, rows_, s, array, n_field, many_, settle_, help_)                           \
	{                                                                                          \
		.name = n, .rows = rows_, .count = ARRAY_SIZE(rows_), .size = sizeof(struct s),    \
		.offset = offsetof(struct conf, array),                                            \
		.count_offset = offsetof(struct conf, n_field), .many = many_, .settle = settle_,  \
		.help = help_                                                                      \
	}

const struct conf_list conf_lists[CONF_LISTS] = {
	LIST_SECTION("priority_classes", class_rows, conf_class, classes, class_count, false,
		     conf_settle_class,
		     "Priority classes. Without the list there are two, armada-default (priority "
		     "1000, urgency preemptible) and armada-preemptible (priority 1000, also "
		     "fair-share preemptible). Of each:"),
	LIST_SECTION("queues", conf_queue_rows, conf_queue, queues, queue_count, false, NULL,
		     "Queues that exist from the start; actl makes more. Of each:"),
	LIST_SECTION("nodes", node_rows, conf_node, node_list, node_count, true, NULL,
		     "What is expected of nodes. Nodes that are not named here may join too. Of "
		     "each:"),
	LIST_SECTION(
		"users", user_rows, conf_user, users, user_count, false, NULL,
		"Users with limits of their own: what is said here counts for them instead of the "
		"same key of user_limits. Of each:"),
};

const struct conf_kind conf_kinds[] = {
	[ARMADA_PLUGIN_AUTH] = {"auth", "munge", "who is at the other end"},
	[ARMADA_PLUGIN_STATE] = {"state", "sqlite", "makes the controller's state durable"},
	[ARMADA_PLUGIN_FAIRNESS] = {"fairness", "drf", "what a queue's allocation costs"},
	[ARMADA_PLUGIN_ORDER] = {"order", "progressive", "which gang is tried next"},
	[ARMADA_PLUGIN_PREEMPT] = {"preempt", "fairshare", "which running tasks are put back"},
	[ARMADA_PLUGIN_SELECT] = {"select", "binpack", "which of the fitting nodes is best"},
	[ARMADA_PLUGIN_CONTAIN] = {"contain", "auto", "limits and kills a task's processes"},
};

_Static_assert(ARRAY_SIZE(conf_kinds) <= CONF_PLUGIN_KINDS, "conf.plugins holds every kind");

const char *conf_list_default(const struct conf_row *row)
{
	return row->offset == offsetof(struct conf, controllers) && row >= top_rows &&
			       row < top_rows + ARRAY_SIZE(top_rows)
		       ? "localhost:6870"
		       : NULL;
}
