/*
 * What a queue has: the one table of its fields.
 *
 * A row says everything of a field that is said of no other: where it is kept (members of QueueSpec, with
 * the flag that an update sets), who may change it, its key in armada.conf with type, default, range and
 * paragraph, its option of `actl queue create` and `update`, and its column of `actl queue list`, which is
 * its key in JSON too. armada.conf and --show-config, a reconfigure, updates and who may make them, the
 * command line, listings, completion and both manual pages follow from it. The order of the rows is that
 * in which all of them show the fields. A reload may change every field.
 *
 * A new field is a row, the member of QueueSpec with its flag, and the code that acts on it; then
 * `make manual`.
 */
#pragma once

#include "conf/most.h"

/* How QueueSpec holds a field. */
enum queue_shape {
	QUEUE_SHAPE_DOUBLE,
	QUEUE_SHAPE_BOOL,
	QUEUE_SHAPE_TEXT,
	QUEUE_SHAPE_SECONDS, /* of part of one all */
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
 *   who may change it: OWNERS (and administrators) or ADMINISTRATORS, what it is called when they may not,
 *   CONF(type, check of its texts, default and range), paragraph of armada.conf(5),
 *   TEMPLATE: user_queues has it too, its paragraph there; or ALONE, NULL,
 *   OPTION(name, other names, value, sentence, further lines of actl(1)),
 *   COLUMN(name, heading, aligned RIGHT or LEFT, or WIDE: LEFT and cut first, sentence))
 *
 * FLAG(...) is a row without option and column of its own: actl has words for it. Who uses the table says
 * what ONE, CONF and the other groups are, as far as it uses them.
 */
/* clang-format off */
#define QUEUE_TABLE(X, FLAG) \
	X(priority_factor, DOUBLE, ONE(priority_factor, priority_factor), ADMINISTRATORS, "priority factor", \
	  CONF(DOUBLE, NULL, .def = "1", .min = 1e-6, .max = 1e6), "A lower factor means a larger share.", \
	  TEMPLATE, "Priority factor of the queues made so. A lower factor means a larger share. This and what " \
	  "follows is as in queues, and is read when such a queue is made: those that are there stay as they are.", \
	  OPTION("factor", "priority-factor", "N", "Priority factor: lower means a larger share", NULL), \
	  COLUMN("factor", "FACTOR", RIGHT, "Priority factor: lower means a larger share")) \
	X(owners, USERS, LIST(owners), OWNERS, "owners", \
	  CONF(STRINGS, check_user, .def = NULL), \
	  "Users who may submit to the queue, cancel, change and preempt its jobs, and manage it: who else may do " \
	  "what, its cordon, labels and defaults, and what each user may have in it. They must exist.", \
	  ALONE, NULL, OPTION("owners", NULL, "USERS", "Users who own the queue", NULL), \
	  COLUMN("owners", "OWNERS", WIDE, "Users who own it")) \
	X(group_owners, GROUPS, LIST(group_owners), OWNERS, "group owners", \
	  CONF(STRINGS, check_user, .def = NULL), "Groups whose members may do so.", ALONE, NULL, \
	  OPTION("group-owners", NULL, "GROUPS", "Groups who own the queue", NULL), \
	  COLUMN("group_owners", "GROUPS", WIDE, "Groups who own it")) \
	X(permissions, PERMITS, LIST(permissions), OWNERS, "permissions", \
	  CONF(STRINGS, check_permission, .def = NULL), \
	  "What users and groups may do in the queue besides its owners, one text for each: " \
	  "\"group:hpc=submit,watch\", as at the top level. A queue without owners, group_owners and permissions " \
	  "is open: everybody may submit.", \
	  TEMPLATE, "What others than its user may do in such a queue.", \
	  OPTION("permission", "permissions", "SUBJECT=VERBS", \
	    "A subject and its rights, as group:hpc=submit,watch; repeat for each subject. The list replaces the " \
	    "present one; none deletes it", \
	    "Users who may do something as\n.BR user:ann=submit,cancel ,\ngroups as\n.BR group:hpc=submit,watch ,\n" \
	    "everybody as\n.BR all=watch .\nThe verbs are submit, cancel, reprioritise, preempt and watch; see\n" \
	    ".BR armada (7)."), \
	  COLUMN("permissions", "PERMISSIONS", WIDE, "Who else may do what")) \
	FLAG(cordoned, BOOL, ONE(cordoned, set_cordoned), OWNERS, "cordon", \
	  CONF(BOOL, NULL, .def = "false"), \
	  "The queue starts none of its jobs; new ones are taken and wait. Where the file does not say it, a cordon " \
	  "of actl stays.", \
	  ALONE, NULL, OPTION(NULL, NULL, NULL, NULL, NULL), COLUMN(NULL, NULL, LEFT, NULL)) \
	X(limits, FRACTIONS, LIST(limits), ADMINISTRATORS, "limits as parts of the cluster", \
	  CONF(NUMBERS, check_resource, .min = 0, .max = 1), \
	  "For each resource, the largest part of the cluster (0 to 1) that jobs of the queue may hold in all " \
	  "classes together, as { cpu = 0.5; }. What runs is left alone.", \
	  TEMPLATE, "Limits of the queues made so, as those of queues.", \
	  OPTION("limits", "limit", "RESOURCE=PART,...", \
	    "The part of the cluster its jobs may hold, as cpu=0.5,memory=0.5; none: no limits", NULL), \
	  COLUMN("limits", "LIMITS", WIDE, "Parts of the cluster that its jobs may hold")) \
	X(class_limits, CLASSES, LIST(class_limits), ADMINISTRATORS, "limits of classes", \
	  CONF(STRINGS, check_share, .def = NULL), \
	  "For a priority class, the largest part of the cluster (0 to 1) that the class's jobs in this queue may " \
	  "hold, as [\"armada-default:cpu=0.5,memory=0.5\"]. The class's own max_fraction_per_queue holds too.", \
	  TEMPLATE, "Limits of a class in such a queue, as \"armada-default:cpu=0.5,memory=0.5\".", \
	  OPTION("class-limits", "class-limit", "CLASS:RESOURCE=PART,...", \
	    "The same for its jobs of one priority class; once for each class", NULL), \
	  COLUMN("class_limits", "CLASSLIMITS", WIDE, "The same, by priority class")) \
	MOST_TABLE_FOR(QUEUE_MOST, X) \
	MOST_TABLE_FOR(QUEUE_USER_MOST, X) \
	X(default_class, TEXT, ONE(default_class, set_default_class), OWNERS, "default class", \
	  CONF(STRING, check_name, .def = ""), \
	  "The priority class of the queue's jobs that name none; empty leaves it to scheduler.default_class.", \
	  TEMPLATE, "The priority class of its jobs that name none.", \
	  OPTION("default-class", NULL, "CLASS", \
	    "Priority class of its jobs that name none; none: the cluster's", NULL), \
	  COLUMN("default_class", "DEFCLASS", LEFT, "Priority class of its jobs that name none")) \
	X(default_resources, RESOURCES, LIST(default_resources), OWNERS, "default resources", \
	  CONF(STRINGS, check_amount, .def = NULL), \
	  "What a task of the queue's jobs gets that does not ask, as [\"cpu=2\", \"memory=4G\", \"gpu=1\"]; what " \
	  "is not said is as in defaults.", \
	  TEMPLATE, "What a task of its jobs gets that does not ask, as [\"cpu=2\", \"memory=4G\"].", \
	  OPTION("default-resources", NULL, "RESOURCE=N,...", \
	    "What a task gets that does not ask, as cpu=2,memory=4G; none: the cluster's", NULL), \
	  COLUMN("default_resources", "DEFRES", WIDE, "What a task gets that does not ask")) \
	X(default_time, SECONDS, ONE(default_time_s, set_default_time), OWNERS, "default time", \
	  CONF(DURATION, NULL, .def = "0", .max = YEARS), \
	  "Run time of the queue's jobs that ask for none; 0 leaves it to their priority class, and then to " \
	  "defaults.time_limit.", \
	  TEMPLATE, "Run time of its jobs that ask for none; 0 says nothing.", \
	  OPTION("default-time", NULL, "TIME", \
	    "Time limit of its jobs that ask for none; none: their class says, or the cluster", \
	    "Written as for\n.B asubmit \\-\\-time\n.RB ( asubmit (1))."), \
	  COLUMN("default_time", "DEFTIME", RIGHT, \
	    "Time limit of its jobs that ask for none; seconds in JSON, 0: none")) \
	X(max_time, SECONDS, ONE(max_time_s, set_max_time), ADMINISTRATORS, "max time", \
	  CONF(DURATION, NULL, .def = "0", .max = YEARS), \
	  "The longest run time that its jobs may ask for; 0 is no limit. Of several limits the shortest holds, and " \
	  "cuts what is only a default. What was accepted before keeps its run time.", \
	  TEMPLATE, "The longest run time that its jobs may ask for; 0 is no limit.", \
	  OPTION("max-time", NULL, "TIME", "The longest that its jobs may ask for; none: no limit of its own", \
	    "Jobs that were accepted before keep their time."), \
	  COLUMN("max_time", "MAXTIME", RIGHT, \
	    "The longest that its jobs may ask for; seconds in JSON, 0: none")) \
	X(lease, SECONDS, ONE(lease_s, set_lease), ADMINISTRATORS, "lease", \
	  CONF(DURATION, NULL, .def = "0", .max = DAY(90)), \
	  "agents.lease for the jobs of the queue that ask for none; 0 is as there.", \
	  TEMPLATE, "agents.lease for the jobs of such a queue that ask for none; 0 is as there.", \
	  OPTION("lease", NULL, "TIME", \
	    "How long its jobs' tasks outlive the controller; none: as in all the cluster", NULL), \
	  COLUMN("lease", "LEASE", RIGHT, \
	    "How long its tasks outlive the controller; seconds in JSON, 0: as all")) \
	X(labels, LABELS, LIST(labels), OWNERS, "labels", \
	  CONF(STRINGS, check_label, .def = NULL), \
	  "Labels as \"key=value\", for people and scripts: they are shown, and change nothing.", \
	  TEMPLATE, "Labels of the queues made so.", \
	  OPTION("labels", "label", "KEY=VALUE,...", "Labels of the queue; none: none", NULL), \
	  COLUMN("labels", "LABELS", WIDE, "Its labels"))

/* The absolute limits (conf/most.h): of all its jobs, and of those of each user in it. */
#define QUEUE_MOST(X, k, n, u, t, greatest, what, more, option, heading, column, ...) \
	X(n, LIMIT, LIMIT_OF(most, k), ADMINISTRATORS, "limits", \
	  CONF(t, check_submit_rate, .min = 0, .max = greatest), \
	  "The most " what ", of all jobs of the queue together." more, \
	  TEMPLATE, "The most " what ", of all jobs of such a queue together." more, \
	  OPTION option, COLUMN(#n, heading, RIGHT, column))
#define QUEUE_USER_MOST(X, k, n, u, t, greatest, what, more, o, h, c, option, heading, column) \
	X(user_##n, LIMIT, LIMIT_OF(user_most, k), OWNERS, "limits of each user", \
	  CONF(t, check_submit_rate, .min = 0, .max = greatest), \
	  "The most " what ", of each user in the queue." more, \
	  ALONE, NULL, \
	  OPTION option, COLUMN("user_" #n, heading, RIGHT, column))
/* clang-format on */

/* Of each row its place in the table: QUEUE_OF_owners. */
#define QUEUE_OF(name, ...) QUEUE_OF_##name,
enum queue_index { QUEUE_TABLE(QUEUE_OF, QUEUE_OF) QUEUE_FIELDS };
#undef QUEUE_OF

struct conf_row;

/* A row, without what armada.conf knows by itself. */
struct queue_field {
	const char *name; /* in armada.conf */
	enum queue_shape shape;
	int kind; /* enum most_kind, of a QUEUE_SHAPE_LIMIT */
	/* Offsets in QueueSpec; count: of lists. Without a flag of its own it is said where it is not 0. */
	size_t at, count, flag;
	bool owners_may;   /* change it: not administrators alone */
	const char *words; /* "max time" */
	struct {
		const char *name, *aliases, *arg, *help, *more;
	} option; /* name NULL: none, nor a column */
	struct {
		const char *name, *heading;
		enum { QUEUE_LEFT, QUEUE_RIGHT, QUEUE_WIDE } side;
		const char *help;
	} column;
};
extern const struct queue_field queue_fields[QUEUE_FIELDS];

/* By its name in armada.conf; NULL: a queue has none. */
const struct queue_field *queue_field_find(const char *name);
/* Its row of `queues`. */
const struct conf_row *queue_field_conf(const struct queue_field *f);
