/*
 * The one table of the fields of a queue.
 *
 * A row defines everything about a field: its members of QueueSpec with the flag that an update sets, the
 * right that a change takes, its key in armada.conf with type, default, range and paragraph, its option of
 * `actl queue create` and `update`, and its column of `actl queue list`, which is also its key in JSON.
 * armada.conf and --show-config, reconfigure, updates and their rights, the command line, listings,
 * completion and both manual pages follow from it, in the order of the rows. A reload may change every
 * field.
 *
 * A new field is a row, the member of QueueSpec with its flag, and the code that acts on it; then
 * `make manual`.
 */
#pragma once

#include "conf/quota.h"

/* How QueueSpec holds a field. */
enum queue_shape {
	QUEUE_SHAPE_DOUBLE,
	QUEUE_SHAPE_BOOL,
	QUEUE_SHAPE_TEXT,
	QUEUE_SHAPE_SECONDS, /* rounded up from a duration */
	QUEUE_SHAPE_USERS,
	QUEUE_SHAPE_GROUPS,
	QUEUE_SHAPE_PERMITS,
	QUEUE_SHAPE_FRACTIONS, /* { cpu = 0.5; } */
	QUEUE_SHAPE_CLASSES,   /* "armada-default:cpu=0.5,memory=0.5" */
	QUEUE_SHAPE_RESOURCES, /* "cpu=2" */
	QUEUE_SHAPE_LABELS,    /* "key=value" */
	QUEUE_SHAPE_LIMIT,     /* one limit of a list, by kind */
	QUEUE_SHAPES,
};

/*
 * X(name in armada.conf,
 *   shape, members of QueueSpec: ONE(value, flag), LIST(list) or LIMIT_OF(list, kind),
 *   the users that may change it: OWNERS (and administrators) or ADMINISTRATORS; its name in the error,
 *   CONF(type, check of its texts, default and range), paragraph of armada.conf(5),
 *   TEMPLATE: user_queues has it, too, and its paragraph there; or ALONE, NULL,
 *   OPTION(name, other names, value, sentence, further lines of actl(1)),
 *   COLUMN(name, heading, aligned RIGHT or LEFT, or WIDE: LEFT and cut first, sentence))
 *
 * FLAG(...) is a row without option and column: actl has commands for it. Each user of the table defines
 * ONE, CONF and the other groups that it reads.
 */
/* clang-format off */
/* A line of actl(1) for each option that takes a duration. */
#define QUEUE_DURATION "A duration, as\n.BR armada (7)\ndescribes them; a number without a unit is in minutes."
#define QUEUE_TABLE(X, FLAG) \
	X(priority_factor, DOUBLE, ONE(priority_factor, priority_factor), ADMINISTRATORS, "priority factor", \
	  CONF(DOUBLE, NULL, .def = "1", .min = 1e-6, .max = 1e6), "A lower factor means a larger share.", \
	  TEMPLATE, "Priority factor of the queues that are created automatically. A lower factor means a larger share. This and " \
	  "the following options are those of queues. They apply when such a queue is created; existing queues do not change.", \
	  OPTION("factor", "priority-factor", "N", "Priority factor: lower means a larger share", NULL), \
	  COLUMN("factor", "FACTOR", RIGHT, "Priority factor: lower means a larger share")) \
	X(owners, USERS, LIST(owners), OWNERS, "owners", \
	  CONF(STRINGS, check_user, .def = NULL), \
	  "Users that own the queue. They may submit to it, cancel, change and preempt its jobs, and manage it: its " \
	  "permissions, cordon, labels and defaults, and the limits of each user in it. The users must exist.", \
	  ALONE, NULL, OPTION("owners", NULL, "USERS", "Users that own the queue", NULL), \
	  COLUMN("owners", "OWNERS", WIDE, "Users that own the queue")) \
	X(group_owners, GROUPS, LIST(group_owners), OWNERS, "group owners", \
	  CONF(STRINGS, check_user, .def = NULL), "Groups that own the queue.", ALONE, NULL, \
	  OPTION("group-owners", NULL, "GROUPS", "Groups that own the queue", NULL), \
	  COLUMN("group_owners", "GROUPS", WIDE, "Groups that own the queue")) \
	X(permissions, PERMITS, LIST(permissions), OWNERS, "permissions", \
	  CONF(STRINGS, check_permission, .def = NULL), \
	  "Rights of other users and groups in the queue, one text for each subject, as at the top level: " \
	  "\"group:hpc=submit,watch\". A queue without owners, group_owners and permissions is open: every user may " \
	  "submit.", \
	  TEMPLATE, "Rights of other users and groups in such a queue.", \
	  OPTION("permission", "permissions", "SUBJECT=VERBS", \
	    "Rights of a subject, as group:hpc=submit,watch; may be repeated. The list replaces the present one; " \
	    "none: no permissions", \
	    "The subject is a user\n.RB ( user:ann=submit,cancel ),\na group\n.RB ( group:hpc=submit,watch )\n" \
	    "or all users\n.RB ( all=watch ).\nThe rights are submit, cancel, reprioritise, preempt and watch; see\n" \
	    ".BR armada (7)."), \
	  COLUMN("permissions", "PERMISSIONS", WIDE, "Rights of other users and groups")) \
	FLAG(cordoned, BOOL, ONE(cordoned, set_cordoned), OWNERS, "cordon", \
	  CONF(BOOL, NULL, .def = "false"), \
	  "Start no jobs of the queue; new jobs are accepted and wait. If the file does not set it, a cordon set by " \
	  "actl remains.", \
	  ALONE, NULL, OPTION(NULL, NULL, NULL, NULL, NULL), COLUMN(NULL, NULL, LEFT, NULL)) \
	X(limits, FRACTIONS, LIST(limits), ADMINISTRATORS, "limits as fractions of the cluster", \
	  CONF(NUMBERS, check_resource, .min = 0, .max = 1), \
	  "For each resource, the largest fraction of the cluster (0 to 1) that jobs of the queue may use in all " \
	  "classes together, as { cpu = 0.5; }. Running jobs are not ended.", \
	  TEMPLATE, "For each resource, the largest fraction of the cluster that jobs of such a queue may use.", \
	  OPTION("limits", "limit", "RESOURCE=PART,...", \
	    "Fraction of the cluster that its jobs may use, as cpu=0.5,memory=0.5; none: no limit", NULL), \
	  COLUMN("limits", "LIMITS", WIDE, "Fractions of the cluster that its jobs may use")) \
	X(class_limits, CLASSES, LIST(class_limits), ADMINISTRATORS, "limits of priority classes", \
	  CONF(STRINGS, check_share, .def = NULL), \
	  "For a priority class, the largest fraction of the cluster (0 to 1) that its jobs in this queue may use, as " \
	  "[\"armada-default:cpu=0.5,memory=0.5\"]. The max_fraction_per_queue of the class applies, too.", \
	  TEMPLATE, "Fractions for priority classes in such a queue, as [\"armada-default:cpu=0.5,memory=0.5\"].", \
	  OPTION("class-limits", "class-limit", "CLASS:RESOURCE=PART,...", \
	    "Fractions for one priority class; may be repeated", NULL), \
	  COLUMN("class_limits", "CLASSLIMITS", WIDE, "Fractions of the cluster for priority classes")) \
	QUOTA_TABLE_FOR(QUEUE_QUOTA, X) \
	QUOTA_TABLE_FOR(QUEUE_USER_QUOTA, X) \
	X(max_resources, RESOURCES, LIST(max_resources), ADMINISTRATORS, "limits", \
	  CONF(STRINGS, check_amount, .def = NULL), \
	  "Maximum amounts of any resources of running jobs in the queue, all users together, as [\"fpga=4\", " \
	  "\"matlab=10\"].", \
	  TEMPLATE, "Maximum amounts of any resources of running jobs in such a queue, as [\"fpga=4\"].", \
	  OPTION("max-resources", NULL, "RESOURCE=N,...", \
	    "Maximum amounts of any resources of running jobs, as fpga=4,matlab=10; none: no limits", NULL), \
	  COLUMN("max_resources", "MAXRES", WIDE, "Maximum amounts of any resources of running jobs")) \
	X(user_max_resources, RESOURCES, LIST(user_max_resources), OWNERS, "limits of each user", \
	  CONF(STRINGS, check_amount, .def = NULL), \
	  "Maximum amounts of any resources of running jobs of each user in the queue, as [\"fpga=4\"].", \
	  ALONE, NULL, \
	  OPTION("user-max-resources", NULL, "RESOURCE=N,...", \
	    "Maximum amounts of any resources of running jobs of each user, as fpga=4; none: no limits", NULL), \
	  COLUMN("user_max_resources", "UMAXRES", WIDE, "Maximum amounts of any resources of running jobs of each user")) \
	X(default_class, TEXT, ONE(default_class, set_default_class), OWNERS, "default class", \
	  CONF(STRING, check_name, .def = ""), \
	  "The priority class of the queue's jobs that name none; empty: scheduler.default_class applies.", \
	  TEMPLATE, "The priority class of jobs in such a queue that name none.", \
	  OPTION("default-class", NULL, "CLASS", \
	    "Default priority class of its jobs; none: the class of the cluster", NULL), \
	  COLUMN("default_class", "DEFCLASS", LEFT, "Default priority class of its jobs")) \
	X(default_resources, RESOURCES, LIST(default_resources), OWNERS, "default resources", \
	  CONF(STRINGS, check_amount, .def = NULL), \
	  "Default resources of a task in the queue, as [\"cpu=2\", \"memory=4G\", \"gpu=1\"]. For other resources " \
	  "the section defaults applies.", \
	  TEMPLATE, "Default resources of a task in such a queue, as [\"cpu=2\", \"memory=4G\"].", \
	  OPTION("default-resources", NULL, "RESOURCE=N,...", \
	    "Default resources of a task, as cpu=2,memory=4G; none: the defaults of the cluster", NULL), \
	  COLUMN("default_resources", "DEFRES", WIDE, "Default resources of a task")) \
	X(default_time, SECONDS, ONE(default_time_s, set_default_time), OWNERS, "default time", \
	  CONF(DURATION, NULL, .def = "0", .max = YEARS), \
	  "Time limit of the queue's jobs that request none; 0: that of their priority class applies, or else " \
	  "defaults.time_limit.", \
	  TEMPLATE, "Time limit of jobs in such a queue that request none; 0: that of their priority class applies, or else defaults.time_limit.", \
	  OPTION("default-time", NULL, "TIME", \
	    "Default time limit of its jobs; none: the default of the class or the cluster", \
	    QUEUE_DURATION), \
	  COLUMN("default_time", "DEFTIME", RIGHT, "Default time limit of its jobs; seconds in JSON, 0: none")) \
	X(max_time, SECONDS, ONE(max_time_s, set_max_time), ADMINISTRATORS, "max time", \
	  CONF(DURATION, NULL, .def = "0", .max = YEARS), \
	  "Maximum time limit that its jobs may request; 0: no limit. Of several maximums the shortest " \
	  "applies. A job that requests no time limit gets this maximum if its default is longer. Jobs that are " \
	  "already submitted keep their time limit.", \
	  TEMPLATE, "Maximum time limit that jobs in such a queue may request; 0: no limit.", \
	  OPTION("max-time", NULL, "TIME", "Maximum time limit of its jobs; none: no limit of the queue", \
	    "Jobs that are already submitted keep their time limit.\n" QUEUE_DURATION), \
	  COLUMN("max_time", "MAXTIME", RIGHT, "Maximum time limit of its jobs; seconds in JSON, 0: none")) \
	X(extend_time, SECONDS, ONE(extend_time_s, set_extend_time), ADMINISTRATORS, "extend time", \
	  CONF(DURATION, NULL, .def = "0", .max = YEARS), \
	  "By how much the owner of a running job may extend its time limit, in all; 0: not at all. The maximums of time " \
	  "limits apply too. Administrators may set any limit.", \
	  TEMPLATE, "By how much the owner of a running job in such a queue may extend its time limit; 0: not at all.", \
	  OPTION("extend-time", NULL, "TIME", "By how much owners may extend the limit of a running job; none: not", \
	    QUEUE_DURATION), \
	  COLUMN("extend_time", "EXTEND", RIGHT, \
	    "By how much owners may extend the time limit of a running job; seconds in JSON, 0: not at all")) \
	X(lease, SECONDS, ONE(lease_s, set_lease), ADMINISTRATORS, "lease", CONF(DURATION, NULL, .def = "0", .max = DAY(90)), \
	  "The lease of the queue's jobs that request none; 0: agents.lease applies.", \
	  TEMPLATE, "The lease of jobs in such a queue that request none; 0: agents.lease applies.", \
	  OPTION("lease", NULL, "TIME", \
	    "Lease: time that its tasks continue without the controller; none: the lease of the cluster", \
	    QUEUE_DURATION), \
	  COLUMN("lease", "LEASE", RIGHT, \
	    "Lease: time that its tasks continue without the controller; seconds in JSON, 0: the lease of the cluster")) \
	X(constraint, TEXT, ONE(constraint, set_constraint), ADMINISTRATORS, "constraint", CONF(STRING, check_selectors, .def = ""), \
	  "Labels that the nodes of its jobs must have, besides those that a job requests, as \"rack=r1\" or \"gpu=a100|gpu=h100\"; as for " \
	  "asubmit --constraint. Empty: any nodes. Waiting jobs follow a change; running jobs stay where they are.", \
	  TEMPLATE, "Labels that the nodes of jobs in such a queue must have.", OPTION("constraint", NULL, "LABELS", \
	    "Labels that the nodes of its jobs must have, as rack=r1; none: any nodes", "Written as for\n.B asubmit \\-\\-constraint\n.RB ( asubmit (1))."), \
	  COLUMN("constraint", "CONSTRAINT", WIDE, "Labels that the nodes of its jobs must have")) \
	X(labels, LABELS, LIST(labels), OWNERS, "labels", \
	  CONF(STRINGS, check_label, .def = NULL), \
	  "Labels as \"key=value\", for people and scripts. They are displayed and have no other effect.", \
	  TEMPLATE, "Labels of such a queue.", \
	  OPTION("labels", "label", "KEY=VALUE,...", "Labels of the queue; none: no labels", NULL), \
	  COLUMN("labels", "LABELS", WIDE, "Labels of the queue"))

/* The absolute limits (conf/quota.h) of all its jobs, and of the jobs of each user in it. */
#define QUEUE_QUOTA(X, k, n, u, t, greatest, what, more, option, heading, column, ...) \
	X(n, LIMIT, LIMIT_OF(quota, k), ADMINISTRATORS, "limits", \
	  CONF(t, check_submit_rate, .min = 0, .max = greatest), \
	  what " in the queue, all users together." more, \
	  TEMPLATE, what " in such a queue." more, \
	  OPTION option, COLUMN(#n, heading, RIGHT, column))
#define QUEUE_USER_QUOTA(X, k, n, u, t, greatest, what, more, o, h, c, option, heading, column) \
	X(user_##n, LIMIT, LIMIT_OF(user_quota, k), OWNERS, "limits of each user", \
	  CONF(t, check_submit_rate, .min = 0, .max = greatest), \
	  what " of each user in the queue." more, \
	  ALONE, NULL, \
	  OPTION option, COLUMN("user_" #n, heading, RIGHT, column))
/* clang-format on */

/* The index of each row: QUEUE_OF_owners. */
#define QUEUE_OF(name, ...) QUEUE_OF_##name,
enum queue_index { QUEUE_TABLE(QUEUE_OF, QUEUE_OF) QUEUE_FIELDS };
#undef QUEUE_OF
