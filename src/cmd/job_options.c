#include "cmd/job_options.h"

#include "util/mem.h"

#define FILTER_SETTER(fn, adder)                                                                   \
	static int fn(void *target, const char *value, struct err *err)                            \
	{                                                                                          \
		struct job_request *r = target;                                                    \
                                                                                                   \
		return adder(&r->filter, value, err);                                              \
	}

FILTER_SETTER(set_users, filter_add_users)
FILTER_SETTER(set_queues, filter_add_queues)
FILTER_SETTER(set_states, filter_add_states)
FILTER_SETTER(set_jobs, filter_add_ids)
FILTER_SETTER(set_job_sets, filter_add_job_sets)
FILTER_SETTER(set_names, filter_add_names)
FILTER_SETTER(set_classes, filter_add_classes)
FILTER_SETTER(set_nodes, filter_add_nodes)

static int set_me(void *target, const char *value, struct err *err)
{
	struct job_request *r = target;

	(void)value;
	return filter_add_me(&r->filter, err);
}

static const struct opt rows[] = {
	{"job", "jobs", 'j', "IDS", set_jobs, "Only these: 12, 12-15, 12_3, 12_[1-5,7]"},
	{"user", "users", 'u', "USERS", set_users, "Only jobs of these users"},
	{"me", NULL, 0, NULL, set_me, "Only your own jobs"},
	{"queue", "queues partition -p", 'q', "QUEUES", set_queues, "Only jobs of these queues"},
	{"job-set", "job-sets jobset jobsets", 's', "NAMES", set_job_sets, "Only jobs of these job sets"},
	{"name", "names", 'n', "NAMES", set_names, "Only jobs of these names"},
	{"priority-class", "priority-classes class classes", 0, "CLASSES", set_classes,
	 "Only jobs of these priority classes"},
	{"state", "states", 't', "STATES", set_states,
	 "Only jobs in these states; all shows ended jobs too"},
	{"nodelist", "nodes node", 'w', "NODES", set_nodes, "Only jobs on these nodes"},
};

const struct opt_table job_options = {"Which jobs", rows, ARRAY_SIZE(rows)};
