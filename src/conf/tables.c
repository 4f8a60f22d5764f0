/*
 * The option tables of armada.conf (tables.h): one row for each key, with type, default, range,
 * check, the place of its value in struct conf, and the paragraph of armada.conf(5). The rows of the
 * section limits are in limit_rows.h; those of queues, nodes and quotas come from their own tables
 * (queue_table.h, node_table.h, quota.h). After a change run `make manual`.
 */
#include "conf/tables.h"
#include "conf/classes.h"
#include "conf/conf.h"
#include "conf/controllers.h"
#include "conf/floating.h"
#include "conf/limit_rows.h"
#include "conf/quantity.h"
#include "conf/row.h"
#include "conf/selectors.h"
#include "conf/syntax_checks.h"
#include "util/mem.h"

/* A row whose value is stored as written, in the field f of struct s. */
#define CONF(...) __VA_ARGS__
#define OPTION_ROW(s, f, n, shape_, words, t, c, ...)                                              \
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
/* The absolute limits of each user in the cluster, and those of a named user. */
#define CLUSTER_QUOTA(k, n, u, type, greatest, what, more, ...)                                    \
	OPTION_ROW(conf, user_limits.of[k], n, LIMIT, what " of each user." more, type,            \
		   check_submit_rate, .min = 0, .max = greatest)
#define USER_QUOTA(k, n, u, type, greatest, what, more, ...)                                       \
	OPTION_ROW(conf_user, quota.of[k], n, LIMIT, what " of this user." more, type,             \
		   check_submit_rate, .min = 0, .max = greatest)
/* Those of an account, and of each user in it. */
#define ACCOUNT_QUOTA(k, n, u, type, greatest, what, more, ...)                                    \
	OPTION_ROW(conf_account, quota.of[k], n, LIMIT,                                            \
		   what " of the account, in all queues." more, type, check_submit_rate, .min = 0, \
		   .max = greatest)
#define ACCOUNT_USER_QUOTA(k, n, u, type, greatest, what, more, ...)                               \
	OPTION_ROW(conf_account, user_quota.of[k], user_##n, LIMIT,                                \
		   what " of each user of the account.", type, check_submit_rate, .min = 0,        \
		   .max = greatest)
#define QUEUE_ROW(n, shape, kept, right, called, bounds, words, ...)                               \
	OPTION_ROW(conf_queue, values[QUEUE_OF_##n], n, shape, words, bounds)
#define TEMPLATE_ROW(n, shape, kept, right, called, bounds, words, in, in_words, ...)              \
	TEMPLATE_ROW_##in(n, shape, in_words, bounds)
#define TEMPLATE_ROW_ALONE(...)
#define TEMPLATE_ROW_TEMPLATE(n, shape, words, ...)                                                \
	OPTION_ROW(conf, user_queues.template.values[QUEUE_OF_##n], n, shape, words, __VA_ARGS__)

/* A row of NODE_TABLE that is a key of armada.conf. */
#define IN_FILE(...)                               __VA_ARGS__,
#define NODE_ROW(member, registered, in_file, ...) in_file

/* clang-format off */
static const struct conf_row top_rows[] = {
	CHECKED(conf, STRING, cluster, cluster, "armada", check_name,
	    .help = "The cluster's name, as users see it. Letters, digits, dash, dot and underscore."),
	LIST(conf, STRINGS, controllers, controller_list, controller_count, check_controller,
	    .reload = true,
	    .help = "Addresses of the controllers, as \"host:port\" or the path of a socket, in "
		    "the order in which daemons and commands try them. Host names must resolve "
		    "on every node. \"NAME=ADDRESS\" also names the controller; without it the name "
		    "is the host, or the file name of the socket. More than one controller needs a "
		    "state plugin that several can share (armada-ha(7))."),
	CHECKED(conf, STRING, listen, listen, "", check_address,
	    .help = "Address on which this controller listens; empty: its own in controllers."),
	CHECKED(conf, STRING, controller_user, controller_user, "armada", check_user,
	    .help = "The user that armctld runs as. Nodes and commands accept a controller only "
		    "if MUNGE confirms that it runs as this user."),
	CHECKED(conf, STRING, agent_user, agent_user, "armada-node", check_user,
	    .help = "The user that the network process of armd runs as."),
	ROW(conf, BOOL, trust_kernel, trust_kernel, "true",
	    .help = "On the controller's own machine, the controller takes the user of a command from the "
		    "kernel, and the command the user of the controller, where they meet at the socket in "
		    "run_dir. Then neither makes a MUNGE credential. Who "
		    "may connect to that socket as another user acts as that user: see Security in "
		    "armada(7) before the socket is given to containers or to a program that forwards "
		    "connections. With false, MUNGE proves every user. Nodes and commands on other "
		    "machines always use MUNGE."),
	LIST(conf, STRINGS, admins, admins, admin_count, check_user, .reload = true,
	    .help = "Users who may do everything, besides root and controller_user."),
	LIST(conf, STRINGS, admin_groups, admin_groups, admin_group_count, check_user,
	    .reload = true, .help = "Groups whose members may do everything."),
	LIST(conf, STRINGS, permissions, permissions, permission_count, check_permission,
	    .reload = true,
	    .help = "Rights of users and groups in every queue, besides the queue's own "
		    "permissions. Each text has one subject and its rights: "
		    "\"user:ann=submit,cancel\", \"group:support=watch\", \"all=watch\". The "
		    "rights are submit, cancel (also hold, release, requeue and signal), "
		    "reprioritise, preempt and watch; see armada(7)."),
	ROW(conf, BOOL, private, private, "false", .reload = true,
	    .help = "Users see their own jobs, the jobs in queues that they own, and the jobs "
		    "in queues where a permission gives them a right on jobs of others. "
		    "Administrators see all jobs. A request for any other job is answered as for a "
		    "job that does not exist. With false every user sees every job, but not its "
		    "script or environment."),
	ROW(conf, BOOL, require_account, require_account, "false", .reload = true,
	    .help = "Refuse a job that names no account and whose user has no default in "
		    "accounts. With false such a job has no account."),
	CHECKED(conf, STRING, state_dir, state_dir, ARMADA_STATEDIR, check_path,
	    .help = "Directory of the controller's state. Private to controller_user. %n in it, in "
		    "run_dir and in listen stands for the name of the controller."),
	CHECKED(conf, STRING, spool_dir, spool_dir, ARMADA_SPOOLDIR, check_path,
	    .help = "Directory of the state that armd needs after a restart. Private to root."),
	CHECKED(conf, STRING, run_dir, run_dir, ARMADA_RUNDIR, check_path,
	    .help = "Directory of the daemons' sockets and pid files."),
	CHECKED(conf, STRING, plugin_dir, plugin_dir, ARMADA_PLUGINDIR, check_path,
	    .help = "Directory of the plugins, KIND_NAME.so. Only root or the daemon's own user "
		    "may have write permission."),
	ROW(conf, CHOICE, cpu_containment, cpu_containment, "bind",
	    .choices = "bind|quota|weight",
	    .help = "How tasks get the cpus that they ask for, unless their job or the node says "
		    "otherwise. bind: a task that asks for whole cpus runs on the cpus that are "
		    "assigned to it; parts of a cpu are a share when cpus are scarce. quota: every "
		    "task gets at most the cpu time that it asked for, on any cpu. weight: the "
		    "request is a share when cpus are scarce. A node that offers more cpus than its "
		    "machine has, or shares its cpus with another armd, binds no task. armd reads "
		    "this option from the file on its node."),
	CHECKED(conf, STRING, cpu_lock, cpu_lock, "", check_path,
	    .help = "File that tells armd whether another armd uses the cpus of this machine: "
		    "all of them lock it. Empty: /run/armada-cpus.lock for root, "
		    "/tmp/armada-cpus-UID.lock for other users. armd reads this option from the "
		    "file on its node."),
	ROW(conf, CHOICE, log_level, log_level, "info", .reload = true,
	    .choices = "error|warn|notice|info|debug",
	    .help = "The least important level of messages that is written to the log. actl log "
		    "changes it for an area of the controller while it runs."),
	CHECKED(conf, STRING, mail_program, mail_program, "", check_path,
	    .help = "Program that sends mail, such as /usr/bin/mail: it gets -s SUBJECT ADDRESS as "
		    "arguments and the text as input, runs as the user of armctld, and is killed after "
		    "a minute. It gains no privileges from set-user-ID or set-group-ID bits. Empty: no "
		    "mail is sent, and --mail-type is refused."),
	CHECKED(conf, STRING, arun_ports, arun_ports, "", check_ports, .reload = true,
	    .help = "Ports on which arun listens for the input and output of its tasks, as \"60000-61000\", "
		    "for a firewall between the nodes and the machines on which users type arun. Each arun "
		    "that runs tasks needs one port for each of its addresses. Empty: the system chooses. "
		    "arun reads this option from the file on its machine."),
	ROW(conf, CHOICE, log_format, log_format, "text", .reload = true, .choices = "text|json",
	    .help = "The form of the log. text: a line of text for each event; if journald reads it, an "
		    "entry with fields (ARMADA_JOB, ARMADA_NODE, ARMADA_QUEUE, ARMADA_USER). json: an "
		    "object of JSON on each line, with the same data as members."),
};

static const struct conf_row notify_rows[] = {
	CHECKED(conf_notify, STRING, name, name, NULL, check_name,
	    .help = "Name of the target, for actl show notify and the log."),
	CHECKED(conf_notify, STRING, plugin, plugin, "program", check_name,
	    .help = "Plugin of the kind notify: program or http, or one of the site."),
	CHECKED(conf_notify, STRING, target, target, NULL, check_text,
	    .help = "What the plugin notifies: the absolute path of a program, or a URL."),
	ROW(conf_notify, DURATION, timeout, timeout_us, "30s", .min = SEC(1), .max = MIN(60),
	    .help = "The plugin and its processes are killed if one end takes longer than this; then it "
		    "is tried again, after a pause that grows from a second to five minutes."),
};

static const struct conf_row gateway_rows[] = {
	CHECKED(conf_gateway, STRING, name, name, NULL, check_user, .reload = true,
	    .help = "The user that the gateway runs as."),
	LIST(conf_gateway, STRINGS, users, users, user_count, check_user, .reload = true,
	    .help = "Users for whom it may vouch. root and administrators must be listed here by name."),
	LIST(conf_gateway, STRINGS, groups, groups, group_count, check_user, .reload = true,
	    .help = "Groups for whose members it may vouch, except root and administrators."),
};

static const struct conf_row rest_rows[] = {
	ROW(conf, STRING, listen, rest.listen, "127.0.0.1:6821",
	    .help = "Where armrestd listens, as host:port; empty: not on a network. Without "
		    "tls_certificate only an address of the machine itself is accepted."),
	ROW(conf, STRING, socket, rest.socket, "",
	    .help = "Path of a Unix socket, whose peers need no token if gateways allows it; empty: none."),
	ROW(conf, STRING, tls_certificate, rest.tls_certificate, "",
	    .help = "File with the certificate of the server and its chain, in PEM; empty: no TLS."),
	ROW(conf, STRING, tls_key, rest.tls_key, "",
	    .help = "File with its key, in PEM."),
	ROW(conf, INT, rate, rest.rate, "100", .min = 1, .max = 1e6,
	    .help = "Requests that a user may make in a second."),
	ROW(conf, INT, burst, rest.burst, "200", .min = 1, .max = 1e6,
	    .help = "Requests that a user may make at once."),
	ROW(conf, INT, sessions, rest.sessions, "200", .min = 1, .max = 65536,
	    .help = "Maximum number of users with a session of the controller at once. The oldest idle "
		    "one is closed for another user."),
	ROW(conf, INT, streams, rest.streams, "200", .min = 1, .max = 65536,
	    .help = "Maximum number of event streams. Each has a thread, two open files and about 70 KiB of memory."),
	ROW(conf, INT, streams_per_user, rest.streams_per_user, "20", .min = 1, .max = 65536,
	    .help = "The same for each user."),
	ROW(conf, INT, connections, rest.connections, "1000", .min = 1, .max = 65536,
	    .help = "Maximum number of connections. A further one takes the place of the one that has waited "
		    "longest for the rest of a request; if all are being answered, it is refused."),
	ROW(conf, SIZE, body_size, rest.body_bytes, "4M", .min = KIB(1), .max = MIB(64),
	    .help = "Maximum size of the body of a request."),
	ROW(conf, DURATION, timeout, rest.timeout_us, "30s", .min = SEC(1), .max = MIN(60),
	    .help = "A connection on which nothing arrives, or nothing can be sent, for this time is closed, and "
		    "one whose request is not whole after twice this time."),
};

static const struct conf_row agent_rows[] = {
	ROW(conf, DURATION, heartbeat, nodes.heartbeat_us, "10s", .min = MS(100), .max = MIN(10),
	    .reload = true,
	    .help = "How often a node reports to the controller."),
	ROW(conf, DURATION, usage_interval, nodes.usage_us, "10s", .max = MIN(60), .reload = true,
	    .help = "How often a node reports what its running tasks have used, where it has changed "
		    "noticeably. The first report about a task comes about two seconds after its "
		    "start. Nodes sample every 5 seconds, so a shorter interval has little effect. A "
		    "change applies when a node registers again. 0: never; then usage is known only "
		    "when a job has ended."),
	ROW(conf, DURATION, node_timeout, nodes.node_timeout_us, "60s", .min = MS(500),
	    .max = MIN(60), .reload = true,
	    .help = "A node that is silent for this long is shown as unknown and gets no "
		    "new tasks. Its tasks continue. At least twice heartbeat."),
	ROW(conf, DURATION, lease, nodes.lease_us, "12h", .min = SEC(1), .max = DAY(90),
	    .reload = true,
	    .help = "How long a task may continue after the last contact of its node with the "
		    "controller. Then the node ends the task, so that the controller can run it on "
		    "another node. With a short lease the tasks of a lost node run again sooner. "
		    "With a long lease tasks survive a longer outage of the controller. Longer "
		    "than node_timeout."),
	ROW(conf, DURATION, lease_margin, nodes.lease_margin_us, "1m", .min = MS(100),
	    .max = DAY(1), .reload = true,
	    .help = "Safety margin: how long the controller waits after the end of a lease before "
		    "it runs the tasks on other nodes; 1/500 of the lease is added to it. The "
		    "margin covers clocks of different speed, and nodes that are slow to kill a task."),
	ROW(conf, BOOL, auto_register, nodes.auto_register, "true", .reload = true,
	    .help = "With true any node may register; with false only nodes that the section "
		    "nodes names."),
	ROW(conf, DURATION, avoid, nodes.avoid_us, "5m", .max = DAY(1), .reload = true,
	    .help = "How long a job is not started again on a node that could not start it."),
	ROW(conf, INT, drain_after, nodes.drain_after, "3", .max = 16, .reload = true,
	    .help = "A node that could not start this many different jobs in a row is drained, "
		    "with the last reason; 0: never."),
	CHECKED(conf, STRING, fence_program, nodes.fence_program, "", check_path,
	    .reload = true,
	    .help = "A program that switches off the power of the node whose name is its "
		    "argument. It must exit with 0 only if the node is known to be off (by "
		    "IPMI, for example). The controller runs it as controller_user, with an empty "
		    "environment, for a silent node with tasks. If it fails, it is run again "
		    "after a while. If it succeeds, the tasks of the node count as dead and run "
		    "again on other nodes, without waiting for the end of their leases."),
	ROW(conf, DURATION, fence_after, nodes.fence_after_us, "5m", .max = DAY(1), .reload = true,
	    .help = "How long a node must be silent before fence_program is run for it. At "
		    "least node_timeout."),
	ROW(conf, DURATION, fence_timeout, nodes.fence_timeout_us, "2m", .min = SEC(1),
	    .max = DAY(1), .reload = true,
	    .help = "A fence_program that runs for longer is killed and counts as failed."),
	CHECKED(conf, STRING, reboot_program, nodes.reboot_program, "", check_path,
	    .help = "The program that reboots a node. armd runs it as root, with the node's name "
		    "as its argument, for anode reboot, after all tasks of the node have ended. "
		    "Each node uses its own armada.conf; without the program, anode reboot is "
		    "refused."),
	ROW(conf, DURATION, reconnect_max, nodes.reconnect_max_us, "30s", .min = MS(50),
	    .max = MIN(10), .reload = true,
	    .help = "Maximum time that a node waits between two attempts to reach the "
		    "controller."),
};

static const struct conf_row scheduler_rows[] = {
	ROW(conf, DURATION, cycle_period, scheduler.cycle_period_us, "20ms", .min = MS(1),
	    .max = MIN(10), .reload = true,
	    .help = "Minimum time between the starts of two scheduling rounds. If a round starts "
		    "nothing, and began at least this time after the round before it, the next "
		    "round may begin at once."),
	ROW(conf, DURATION, max_round, scheduler.max_round_us, "5s", .min = MS(10), .max = MIN(10),
	    .reload = true,
	    .help = "A round that takes longer ends early; the next round continues at that "
		    "point."),
	ROW(conf, DURATION, share_interval, scheduler.share_interval_us, "1m", .min = SEC(1),
	    .max = 86400 * SEC(1), .reload = true,
	    .help = "Minimum time between two records of the queues' shares. The records are "
		    "shown by ashare --history, and fairness/decay restores its usage from them "
		    "after a restart of the controller. Unchanged shares are not recorded again."),
	CHECKED(conf, STRING, default_class, scheduler.default_class, "armada-default", check_name,
	    .reload = true,
	    .help = "The priority class of jobs that name none."),
	ROW(conf, INT, max_jobs_per_round, scheduler.max_jobs_per_round, "0", .max = 1e9,
	    .reload = true,
	    .help = "Maximum number of tasks that one round starts; 0: no limit. The "
		    "tasks that ntasks-per-node puts on one node count as one, here and in the rates "
		    "below."),
	LIST(conf, NUMBERS, max_resource_fraction_per_round, scheduler.max_fraction_per_round,
	    scheduler.max_fraction_count, check_resource, .min = 0, .max = 1, .reload = true,
	    .help = "For each resource, the part of the cluster (0 to 1) that one round may "
		    "allocate, as { cpu = 0.25; memory = 0.25; }. The limit is checked before "
		    "each job, so the last job may exceed it."),
	ROW(conf, DOUBLE, rate, scheduler.rate, "0", .max = 1e9, .reload = true,
	    .help = "Maximum number of tasks that the cluster starts in a second, on average; "
		    "0: no limit. Needs burst."),
	ROW(conf, INT, burst, scheduler.burst, "0", .max = 1e9, .reload = true,
	    .help = "Maximum number of tasks that the cluster starts at once before rate "
		    "applies. Jobs with more tasks that must start together are refused."),
	ROW(conf, DOUBLE, queue_rate, scheduler.queue_rate, "0", .max = 1e9, .reload = true,
	    .help = "The same as rate, for each queue. Needs queue_burst."),
	ROW(conf, INT, queue_burst, scheduler.queue_burst, "0", .max = 1e9, .reload = true,
	    .help = "The same as burst, for each queue."),
	ROW(conf, INT, queue_lookback, scheduler.queue_lookback, "0", .max = 1e9, .reload = true,
	    .help = "Number of pending jobs and elements of each queue that a round considers, "
		    "always the first ones; 0: all. If none of these fits, the ones after them "
		    "must wait, too."),
	ROW(conf, BOOL, hold_impossible, scheduler.hold_impossible, "false", .reload = true,
	    .help = "Accept jobs that could never start on the present nodes, even if these "
		    "were empty, and let them wait. This is for clusters whose nodes come and "
		    "go. With false such jobs are refused at submission, with the reason."),
	ROW(conf, DURATION, gang_timeout, scheduler.gang_timeout_us, "1h", .max = DAY(365),
	    .reload = true,
	    .help = "A gang of jobs that has lacked members for this long since its last "
		    "submission is held, with the reason GangTimeout; 0: never. Submitting the "
		    "missing members releases it."),
};

static const struct conf_row default_rows[] = {
	ROW(conf, CPU, cpus, defaults.cpu_milli, "1", .min = 1, .max = 1e9, .reload = true,
	    .help = "Cpus of a task that requests none."),
	ROW(conf, SIZE, memory_per_cpu, defaults.memory_per_cpu_bytes, "1G", .min = KIB(4),
	    .max = TIB(1024), .reload = true,
	    .help = "Memory for each cpu of a task that requests no memory."),
	ROW(conf, DURATION, time_limit, defaults.time_limit_us, "1d", .min = SEC(1), .max = YEARS,
	    .reload = true,
	    .help = "Time limit of a job that requests none, and whose queue and priority class "
		    "have no default_time."),
	ROW(conf, DURATION, grace, defaults.grace_us, "1s", .max = DAY(1), .reload = true,
	    .help = "Time between SIGTERM and SIGKILL for a job that sets none. From 1s to "
		    "limits.max_grace_period; 0 means 1s."),
	CHECKED(conf, STRING, output, defaults.output, "armada-%j.out", check_text, .reload = true,
	    .help = "Output file of a job that names none; %j is the job's id. The path is "
		    "relative to the directory of the submission."),
	CHECKED(conf, STRING, array_output, defaults.array_output, "armada-%A_%a.out", check_text,
	    .reload = true,
	    .help = "The same for arrays; %A is the job's id and %a the element's index."),
	CHECKED(conf, STRING, propagate, defaults.propagate, "ALL,-memlock,-nproc", check_propagate,
	    .reload = true,
	    .help = "Resource limits that tasks take from the shell of the submission: ALL, "
		    "NONE, or names (cpu, fsize, data, stack, core, rss, nproc, nofile, "
		    "memlock, as). A dash before a name excludes the limit. asubmit --propagate "
		    "overrides this option. Commands read it from the file on their own machine."),
};

static const struct conf_row user_queue_rows[] = {
	ROW(conf, BOOL, enabled, user_queues.enabled, "true", .reload = true,
	    .help = "A job submitted without a queue goes to the queue with the name of its "
		    "user. The queue is created when it is first needed."),
	QUEUE_TABLE(TEMPLATE_ROW, TEMPLATE_ROW)
};

static const struct conf_row user_limit_rows[] = {
	QUOTA_TABLE(CLUSTER_QUOTA)
	LIST(conf, STRINGS, max_resources, user_limits.resources, user_limits.resource_count, check_amount,
	    .reload = true,
	    .help = "Maximum amounts of any resources of running jobs of each user, as [\"fpga=4\", \"matlab=10\"]."),
};

static const struct conf_row security_rows[] = {
	ROW(conf, INT, min_uid, security.min_uid, "1000", .max = 4294967294.0, .reload = true,
	    .help = "Users with a lower uid may not submit jobs. Nodes also refuse tasks of "
		    "such users, by the min_uid of their own armada.conf."),
	ROW(conf, BOOL, allow_root_jobs, security.allow_root_jobs, "false", .reload = true,
	    .help = "Allow root to submit jobs, regardless of min_uid. Nodes run them only if "
		    "their own armada.conf allows it, too."),
	CHECKED(conf, STRING, groups, security.groups, "both", check_groups,
	    .help = "Supplementary groups of a task. both: the groups that its user has on the "
		    "controller and also on the node. controller: all groups that the user has "
		    "on the controller, for nodes that know no groups. armd reads this option "
		    "from the file on its node."),
};

static const struct conf_row hook_rows[] = {
	LIST(conf, STRINGS, discover, hooks.discover, hooks.discover_count, NULL,
	    .help = "Run as root when armd starts, and on anode refresh: it prints resources of the node, one "
		    "in a line, as fpga=2, fpga=/dev/fpga[0-1] or scratch=2T. They replace those of the same "
		    "name in nodes; the command line of armd replaces both. If it fails, armd does not start; "
		    "on anode refresh the node has those found when armd started, and armd logs why."),
	ROW(conf, DURATION, discover_timeout, hooks.discover_timeout_us, "30s", .min = SEC(1), .max = SEC(3600),
	    .help = "A discover program that takes longer is killed and counts as failed."),
	LIST(conf, STRINGS, health_check, hooks.health_check, hooks.health_check_count, NULL,
	    .help = "The health check: run as root when armd starts, and then every "
		    "health_interval. If it fails, the node is drained, and the first line of "
		    "its output is the reason. If it succeeds again, a node that was drained "
		    "for this reason is resumed."),
	ROW(conf, DURATION, health_interval, hooks.health_interval_us, "5m", .min = SEC(1),
	    .max = DAY(1),
	    .help = "Time from the end of one health check to the start of the next."),
	ROW(conf, DURATION, health_timeout, hooks.health_timeout_us, "1m", .min = SEC(1),
	    .max = DAY(1),
	    .help = "A health check that takes longer is killed and counts as failed."),
	LIST(conf, STRINGS, prolog, hooks.prolog, hooks.prolog_count, NULL,
	    .help = "Run as root before the first task of a job on the node. If it fails, the "
		    "job is requeued, and the node is drained if prolog_drains is true."),
	LIST(conf, STRINGS, epilog, hooks.epilog, hooks.epilog_count, NULL,
	    .help = "Run as root after the last task of a job on the node, also if the prolog "
		    "failed. The job ends when its epilog has ended. The epilog does not change "
		    "the result of the job."),
	ROW(conf, DURATION, timeout, hooks.timeout_us, "5m", .min = SEC(1), .max = DAY(1),
	    .help = "A prolog or epilog that takes longer is killed and counts as failed."),
	ROW(conf, BOOL, prolog_drains, hooks.prolog_drains, "true",
	    .help = "A node whose prolog fails is drained until an administrator resumes it."),
	ROW(conf, BOOL, epilog_drains, hooks.epilog_drains, "true",
	    .help = "A node whose epilog fails is drained until an administrator resumes it."),
	LIST(conf, STRINGS, task_prolog, hooks.task_prolog, hooks.task_prolog_count, NULL,
	    .help = "Run as the job's user before each task, in the containment of the task (its "
		    "control group, for example). If it fails, the task fails."),
	LIST(conf, STRINGS, task_epilog, hooks.task_epilog, hooks.task_epilog_count, NULL,
	    .help = "Run as the job's user after each task that started. Its result is ignored."),
	ROW(conf, DURATION, task_timeout, hooks.task_timeout_us, "1m", .min = SEC(1),
	    .max = DAY(1),
	    .help = "A task_prolog or task_epilog that takes longer is killed and counts as "
		    "failed."),
};

static const struct conf_row class_rows[] = {
	CHECKED(conf_class, STRING, name, name, NULL, check_name, .reload = true,
	    .help = "The name for --priority-class."),
	ROW(conf_class, INT, priority, priority, "1000", .min = 0, .max = 2147483647.0,
	    .reload = true,
	    .help = "Urgency of the class's jobs: a class of higher priority goes first. "
		    "(Among the jobs of one class, a job of lower priority goes first.)"),
	SHORTHAND(conf_class, BOOL, preemptible, preemptible, .reload = true,
	    .help = "Sets both of the next two options. If one of them is set, too, it must "
		    "have the same value."),
	ROW(conf_class, BOOL, fair_share_preemptible, fair_share_preemptible, "false",
	    .reload = true,
	    .help = "Jobs may be preempted to give another queue its fair share."),
	ROW(conf_class, BOOL, urgency_preemptible, urgency_preemptible, "true", .reload = true,
	    .help = "Jobs may be preempted by jobs of a more urgent class."),
	LIST(conf_class, NUMBERS, max_fraction_per_queue, max_fraction_per_queue,
	    max_fraction_count, check_resource, .min = 0, .max = 1, .reload = true,
	    .help = "For each resource, the largest part of the cluster (0 to 1) that the "
		    "class's jobs of one queue may use, as { cpu = 0.5; memory = 0.5; }."),
	LIST_OR_NONE(conf_class, users, users, user_count, check_user, .reload = true,
	    .help = "Users who may ask for the class, besides administrators, at a submission "
		    "or with actl update. If neither users nor groups are set, every user may; "
		    "with users = [ ] only administrators may. Without them, "
		    "system-cluster-critical and system-node-critical are for administrators."),
	LIST_OR_NONE(conf_class, groups, groups, group_count, check_user, .reload = true,
	    .help = "Groups whose members may ask for the class, too."),
	ROW(conf_class, DURATION, default_time, default_time_us, "0", .max = YEARS,
	    .reload = true,
	    .help = "Time limit of the class's jobs that request none, if their queue has no "
		    "default_time; 0: defaults.time_limit applies."),
	ROW(conf_class, DURATION, max_time, max_time_us, "0", .max = YEARS, .reload = true,
	    .help = "Maximum time limit that the class's jobs may request; 0: no limit. Jobs "
		    "that are already submitted keep their time limit."),
};

const struct conf_row conf_queue_rows[] = {
	CHECKED(conf_queue, STRING, name, name, NULL, check_name, .reload = true,
	    .help = "The queue's name."),
	QUEUE_TABLE(QUEUE_ROW, QUEUE_ROW)
};

static const struct conf_row resource_rows[] = {
	CHECKED(conf_resource, STRING, name, name, NULL, check_text,
	    .help = "The name: a lower-case letter, then letters, digits, _ or -."),
	CHECKED(conf_resource, STRING, unit, unit, "count", check_resource_unit,
	    .help = "count: whole numbers. size: bytes, written as 500G or 2T."),
};

static const struct conf_row floating_rows[] = {
	CHECKED(conf_floating, STRING, name, name, NULL, check_text,
	    .help = "The name: a lower-case letter, then letters, digits, _ or -."),
	ROW(conf_floating, INT, total, total, "0", .min = 0, .max = 1e9, .reload = true,
	    .help = "How many the cluster has."),
	LIST(conf_floating, NUMBERS, queues, queues, queue_count, check_name, .min = 0, .max = 1e9, .reload = true,
	    .help = "How many of them are reserved for a queue, as { cfd = 5; }. Jobs of other queues "
		    "leave free what the queue does not use of them."),
	CHECKED(conf_floating, STRING, source, source, "", check_path, .reload = true,
	    .help = "A program that says how many others use, who do not ask Armada: the users of a licence "
		    "server. armctld runs it as its own user, apart from its work, with two arguments: the "
		    "name of the resource, and how many the running jobs hold. It prints one whole number. "
		    "Empty: others use none."),
	ROW(conf_floating, DURATION, source_interval, source_interval_us, "1m", .min = SEC(1), .max = DAY(1),
	    .reload = true,
	    .help = "Time from the end of one run of source to the start of the next."),
	ROW(conf_floating, DURATION, source_timeout, source_timeout_us, "10s", .min = SEC(1), .max = DAY(1),
	    .reload = true,
	    .help = "A source that runs for longer is killed and counts as failed. While it fails, its last "
		    "number stays in effect."),
	ROW(conf_floating, DURATION, source_keep, source_keep_us, "1h", .max = YEARS, .reload = true,
	    .help = "After this time without an answer, the last number of source is dropped: others use none. "
		    "0: it stays."),
};

static const struct conf_row node_rows[] = {
	CHECKED(conf_node, STRING, name, name, NULL, check_text, .reload = true,
	    .help = "The node's name, or several as \"cn[01-64]\"."),
	NODE_TABLE(NODE_ROW)
};

static const struct conf_row user_rows[] = {
	CHECKED(conf_user, STRING, name, name, NULL, check_user, .reload = true,
	    .help = "The user's name."),
	QUOTA_TABLE(USER_QUOTA)
	LIST(conf_user, STRINGS, max_resources, quota.resources, quota.resource_count, check_amount,
	    .reload = true,
	    .help = "Maximum amounts of any resources of running jobs of this user, as [\"fpga=4\"]."),
};

static const struct conf_row account_rows[] = {
	CHECKED(conf_account, STRING, name, name, NULL, check_account, .reload = true,
	    .help = "The name for --account."),
	LIST_OR_NONE(conf_account, users, users, user_count, check_user, .reload = true,
	    .help = "Users who may name the account, besides administrators, at a submission or "
		    "with actl update. If neither users nor groups are set, every user may; with "
		    "users = [ ] only administrators and the users of default_for may."),
	LIST_OR_NONE(conf_account, groups, groups, group_count, check_user, .reload = true,
	    .help = "Groups whose members may name the account, too."),
	LIST(conf_account, STRINGS, default_for, default_for, default_count, check_user,
	    .reload = true,
	    .help = "Users whose jobs get the account if they name none. They may name it, too. "
		    "A user has at most one default. A user without one gets the only account "
		    "that the user may name; if there are several, the job has no account, and "
		    "no limit of an account applies to it (see require_account)."),
	QUOTA_TABLE(ACCOUNT_QUOTA)
	LIST(conf_account, STRINGS, max_resources, quota.resources, quota.resource_count, check_amount,
	    .reload = true,
	    .help = "Maximum amounts of any resources of running jobs of the account, as "
		    "[\"fpga=4\"]."),
	QUOTA_TABLE(ACCOUNT_USER_QUOTA)
	LIST(conf_account, STRINGS, user_max_resources, user_quota.resources,
	    user_quota.resource_count, check_amount, .reload = true,
	    .help = "Maximum amounts of any resources of running jobs of each user of the account."),
};
/* clang-format on */

#define SECTION(n, rows_, help_)                                                                   \
	{                                                                                          \
		.name = n, .rows = rows_, .count = ARRAY_SIZE(rows_), .help = help_                \
	}

const struct conf_section conf_sections[CONF_SECTIONS] = {
	SECTION(NULL, top_rows, "Options at the top level of the file:"),
	SECTION("agents", agent_rows, "The connection between nodes and the controller:"),
	SECTION("scheduler", scheduler_rows,
		"When scheduling rounds run, and how much they start. The limits delay starts; they "
		"never end running tasks:"),
	SECTION("defaults", default_rows, "Defaults of jobs that do not set a value:"),
	SECTION("limits", limit_rows,
		"Limits of requests. A request that exceeds a limit is refused:"),
	SECTION("user_queues", user_queue_rows, "Queues that are created for users automatically:"),
	SECTION("user_limits", user_limit_rows,
		"Limits of each user in the whole cluster, in all queues together. They also apply to "
		"administrators. A limit that is not set does not exist; 0 allows nothing. A job that "
		"would exceed a limit on running jobs waits. A submission that would exceed a limit on "
		"pending elements or on submissions is refused as a whole:"),
	SECTION("security", security_rows,
		"The users that may run jobs, and the groups of their tasks:"),
	SECTION("rest", rest_rows, "The gateway armrestd(8), which reads them when it starts:"),
	SECTION("hooks", hook_rows,
		"Programs that armd runs. armd reads them at its start from the armada.conf of its "
		"own node. Each is a list: the full path of the program, then its arguments; no "
		"shell is used. The program must belong to root, and no other user may be able to "
		"write it or a directory on its path. Its environment is PATH and the variables "
		"that armd(8) lists. Its input is empty. Processes that it leaves in the background "
		"are killed:"),
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
		     "Priority classes. Without the list there are four: armada-default (priority "
		     "1000, urgency preemptible), armada-preemptible (priority 900, also "
		     "fair-share preemptible), and for administrators system-cluster-critical "
		     "(priority 2000000000, urgency preemptible) and system-node-critical "
		     "(priority 2000001000, urgency preemptible). A cluster whose state an earlier "
		     "release made, with armada-default and armada-preemptible both at priority "
		     "1000, keeps these two as long as the list is missing; armctld logs it when "
		     "it starts. The options of each:"),
	LIST_SECTION("queues", conf_queue_rows, conf_queue, queues, queue_count, false, NULL,
		     "Queues that exist from the start; actl creates more. The options of each:"),
	LIST_SECTION(
		"resources", resource_rows, conf_resource, resources, resource_count, false, NULL,
		"Resources that nodes have and jobs request, besides cpu, memory and gpu. At most "
		"13. A change of the list needs a restart of armctld; running jobs continue. The "
		"options of each:"),
	{
		.name = "floating",
		.rows = floating_rows,
		.count = ARRAY_SIZE(floating_rows),
		.size = sizeof(struct conf_floating),
		.offset = offsetof(struct conf, floating),
		.count_offset = offsetof(struct conf, floating_count),
		.keyed = true,
		.settle = conf_settle_floating,
		.help = "Resources that belong to the cluster and not to a node, such as licences: a "
			"group with a member for each, NAME = TOTAL or NAME = { ... }. Jobs request "
			"them with --licenses. A change of the names needs a restart of armctld; "
			"running jobs continue. A reload changes totals: below what jobs hold, nothing "
			"is ended, and nothing starts until jobs have ended. The options of each:",
	},
	LIST_SECTION(
		"notify", notify_rows, conf_notify, notify, notify_count, false, NULL,
		"Targets that get each end of a job or an element at least once, in the order "
		"of the ends, whatever is restarted. A new target gets the ends from its start "
		"on. A process of the user of armctld runs each. A change needs a restart of "
		"armctld. The options of each:"),
	LIST_SECTION(
		"gateways", gateway_rows, conf_gateway, gateways, gateway_count, false, NULL,
		"Gateways that may vouch for users, such as armrestd(8), which knows from the kernel "
		"who connects to its Unix socket. A gateway that an attacker takes over can act as each "
		"of these users. Without the list nobody may act for another user without a token. The "
		"options of each:"),
	LIST_SECTION("nodes", node_rows, conf_node, node_list, node_count, true, NULL,
		     "Nodes and their expected resources. Other nodes may register, too, if "
		     "agents.auto_register is true. The options of each:"),
	LIST_SECTION("users", user_rows, conf_user, users, user_count, false, NULL,
		     "Users with limits of their own, which replace the limits of the same name in "
		     "user_limits. The options of each:"),
	LIST_SECTION(
		"accounts", account_rows, conf_account, accounts, account_count, false, NULL,
		"The accounts that jobs may name, and their limits. If the list is missing or empty, a "
		"job may name any account, and accounts have no limits. With it a job may name only "
		"an account of the list that its user may use, and a job that names none gets the "
		"default of its user. An account counts the jobs of all queues and users, also those "
		"of administrators; limits of queues and of users apply, too. A job that "
		"would exceed a limit on running jobs waits; a submission that would exceed another "
		"limit is refused as a whole. Jobs that were submitted before a change keep their "
		"account. A limit that is not set does not exist; 0 allows nothing. The options of each:"),
};

const struct conf_kind conf_kinds[] = {
	[ARMADA_PLUGIN_AUTH] = {"auth", "munge", "Identifies the user of a peer"},
	[ARMADA_PLUGIN_STATE] = {"state", "sqlite", "Makes the controller's state durable"},
	[ARMADA_PLUGIN_FAIRNESS] = {"fairness", "drf", "The cost of a queue's allocation"},
	[ARMADA_PLUGIN_ORDER] = {"order", "progressive", "The gang that is tried next"},
	[ARMADA_PLUGIN_PREEMPT] = {"preempt", "fairshare",
				   "The running tasks that a round may preempt"},
	[ARMADA_PLUGIN_SELECT] = {"select", "binpack",
				  "The best of the nodes on which a task fits"},
	[ARMADA_PLUGIN_CONTAIN] = {"contain", "auto", "Limits and kills the processes of a task"},
};

_Static_assert(ARRAY_SIZE(conf_kinds) <= CONF_PLUGIN_KINDS, "conf.plugins holds every kind");

const char *conf_list_default(const struct conf_row *row)
{
	return row->offset == offsetof(struct conf, controller_list) && row >= top_rows &&
			       row < top_rows + ARRAY_SIZE(top_rows)
		       ? "localhost:6870"
		       : NULL;
}
