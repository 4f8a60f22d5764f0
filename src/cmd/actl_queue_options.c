#include "cmd/actl_queue.h"

#include "util/mem.h"

#include <errno.h>

/* X(row of `queues` in armada.conf, option, other names, value, help) */
/* clang-format off */
#define QUEUE_OPTIONS(X) \
	X(priority_factor, "factor", "priority-factor", "N", \
	  "Priority factor: lower means a larger share") \
	X(owners, "owners", NULL, "USERS", "Users who own the queue") \
	X(group_owners, "group-owners", NULL, "GROUPS", "Groups who own the queue") \
	X(permissions, "permission", "permissions", "SUBJECT=VERBS", \
	  "Who may do what, as group:hpc=submit,watch; once for each subject, and all together in " \
	  "place of what holds; none: nobody more") \
	X(limits, "limits", "limit", "RESOURCE=PART,...", \
	  "The part of the cluster its jobs may hold, as cpu=0.5,memory=0.5; none: no limits") \
	X(class_limits, "class-limits", "class-limit", "CLASS:RESOURCE=PART,...", \
	  "The same for its jobs of one priority class; once for each class") \
	X(max_running, "max-running", NULL, "N", "Most elements that run at once; none: no limit, as all below") \
	X(max_waiting, "max-waiting", NULL, "N", "Most elements that wait") \
	X(max_cpus, "max-cpus", NULL, "N", "Most cpus of what runs") \
	X(max_memory, "max-memory", NULL, "SIZE", "Most memory of what runs") \
	X(max_gpus, "max-gpus", NULL, "N", "Most gpus of what runs") \
	X(submit_rate, "submit-rate", NULL, "RATE", "Most jobs submitted, as 100/h, 10/m or 2/s") \
	X(submit_burst, "submit-burst", NULL, "N", "Most jobs submitted at once after a quiet time") \
	X(user_max_running, "user-max-running", NULL, "N", "The same for each user in the queue, and so on") \
	X(user_max_waiting, "user-max-waiting", NULL, "N", "Most elements of each user that wait") \
	X(user_max_cpus, "user-max-cpus", NULL, "N", "Most cpus of what each user runs") \
	X(user_max_memory, "user-max-memory", NULL, "SIZE", "Most memory of what each user runs") \
	X(user_max_gpus, "user-max-gpus", NULL, "N", "Most gpus of what each user runs") \
	X(user_submit_rate, "user-submit-rate", NULL, "RATE", "Most jobs submitted by each user") \
	X(user_submit_burst, "user-submit-burst", NULL, "N", "Most jobs submitted at once by each user") \
	X(default_class, "default-class", NULL, "CLASS", \
	  "Priority class of its jobs that name none; none: the cluster's") \
	X(default_resources, "default-resources", NULL, "RESOURCE=N,...", \
	  "What a task gets that does not ask, as cpu=2,memory=4G; none: the cluster's") \
	X(default_time, "default-time", NULL, "TIME", \
	  "Time limit of its jobs that ask for none; none: their class says, or the cluster") \
	X(max_time, "max-time", NULL, "TIME", \
	  "The longest that its jobs may ask for; none: no limit of its own") \
	X(lease, "lease", NULL, "TIME", \
	  "How long its jobs' tasks outlive the controller; none: as in all the cluster") \
	X(labels, "labels", "label", "KEY=VALUE,...", "Labels of the queue; none: none")
/* clang-format on */

static int read_row(struct actl *a, const char *row, const char *value, struct err *err)
{
	return queue_row_read(queue_row_find(row), value, a->arena, &a->queue, err);
}

#define SETTER(row, option, alias, arg, help)                                                      \
	static int set_##row(void *target, const char *value, struct err *err)                     \
	{                                                                                          \
		return read_row(target, #row, value, err);                                         \
	}
QUEUE_OPTIONS(SETTER)

static int cordon(struct actl *a, bool cordoned, struct err *err)
{
	if (a->queue.set_cordoned && a->queue.cordoned != cordoned)
		return err_set(err, -EINVAL, "--cordon and --uncordon exclude one another");
	a->queue.set_cordoned = true;
	a->queue.cordoned = cordoned;
	return 0;
}

static int set_cordon(void *target, const char *value, struct err *err)
{
	(void)value;
	return cordon(target, true, err);
}

static int set_uncordon(void *target, const char *value, struct err *err)
{
	(void)value;
	return cordon(target, false, err);
}

static int set_file(void *target, const char *value, struct err *err)
{
	struct actl *a = target;

	(void)err;
	a->file = value;
	return 0;
}

static int refuse_priority(void *target, const char *value, struct err *err)
{
	(void)target, (void)value;
	return err_set(err, -EINVAL,
		       "that is for jobs; a queue has a priority factor: --factor=N (lower means a "
		       "larger share)");
}

/* clang-format off */
#define OPTION(row, option, alias, arg, help) {option, alias, 0, arg, set_##row, help},
static const struct opt rows[] = {
	QUEUE_OPTIONS(OPTION)
	{"priority", "nice priority-class", 0, "N", refuse_priority, NULL},
	{"cordon", NULL, 0, NULL, set_cordon, "Start none of its jobs; new ones are taken and wait"},
	{"uncordon", NULL, 0, NULL, set_uncordon, "Undo --cordon"},
	{"file", NULL, 'f', "FILE", set_file,
	 "All queues of a file, written as in armada.conf: queues = ( ... ); -: standard input"},
};
/* clang-format on */

const struct opt_table queue_options = {"queue create, queue update", rows, ARRAY_SIZE(rows)};

bool queue_is_said(const struct actl *a)
{
	for (size_t i = 0; i < queue_row_count(); i++)
		if (queue_row_said(queue_row_at(i), &a->queue))
			return true;
	return false;
}
