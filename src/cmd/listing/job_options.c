#include "cmd/listing/job_options.h"

#include "util/mem.h"

static const struct opt rows[] = {
	{"job", "jobs", 'j', "IDS", FILTER_OPTION(struct job_request, filter, FILTER_IDS),
	 "Only these jobs: 12, 12-15, 12_3, 12_[1-5,7]"},
	{"user", "users", 'u', "USERS", FILTER_OPTION(struct job_request, filter, FILTER_USERS),
	 "Only jobs of these users"},
	{"me", NULL, 0, NULL, FILTER_OPTION(struct job_request, filter, FILTER_ME),
	 "Only your own jobs"},
	{"queue", "queues partition -p", 'q', "QUEUES",
	 FILTER_OPTION(struct job_request, filter, FILTER_QUEUES), "Only jobs in these queues"},
	{"job-set", "job-sets jobset jobsets", 's', "NAMES",
	 FILTER_OPTION(struct job_request, filter, FILTER_JOB_SETS), "Only jobs of these job sets"},
	{"name", "names", 'n', "NAMES", FILTER_OPTION(struct job_request, filter, FILTER_NAMES),
	 "Only jobs with these names"},
	{"priority-class", "priority-classes class classes", 0, "CLASSES",
	 FILTER_OPTION(struct job_request, filter, FILTER_CLASSES),
	 "Only jobs of these priority classes"},
	{"account", "accounts", 'A', "ACCOUNTS",
	 FILTER_OPTION(struct job_request, filter, FILTER_ACCOUNTS), "Only jobs of these accounts"},
	{"label", "labels", 0, "LABELS", FILTER_OPTION(struct job_request, filter, FILTER_LABELS),
	 "Only jobs with all these labels: team=physics, or run (any value), or !run (none)"},
	{"state", "states", 't', "STATES", FILTER_OPTION(struct job_request, filter, FILTER_STATES),
	 "Only jobs in these states; all includes jobs that have ended"},
	{"nodelist", "nodes node", 'w', "NODES",
	 FILTER_OPTION(struct job_request, filter, FILTER_NODES), "Only jobs that use these nodes"},
};

const struct opt_table job_options = {"Which jobs", rows, ARRAY_SIZE(rows)};
