/*
 * aacct: accounting of jobs: their attempts, with what they used, and sums over them.
 *
 * Options have the names and letters of sacct. Here are the options and the period; list.c lists attempts,
 * usage.c shows sums.
 */
#include "cmd/aacct/aacct.h"

#include "client/known.h"
#include "cmd/aacct/list.h"
#include "cmd/aacct/period.h"
#include "cmd/aacct/usage.h"
#include "cmd/common/command.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILTER(by) FILTER_OPTION(struct aacct, which.filter, by)

static int check_time(const char *text, struct err *err)
{
	int64_t us;

	return period_parse(text, clock_us(CLOCK_REALTIME), &us, err);
}

static int read_by(void *target, const void *unused, const char *value, struct err *err)
{
	(void)unused;
	return usage_read_by(target, value, err);
}

static const struct opt which_rows[] = {
	{"job", "jobs", 'j', "IDS", FILTER(FILTER_IDS),
	 "Only these jobs, with all their attempts: 12, 12-15, 12_3, 12_[1-5,7]"},
	{"user", "users uid", 'u', "USERS", FILTER(FILTER_USERS), "Only jobs of these users"},
	{"me", NULL, 0, NULL, FILTER(FILTER_ME), "Only your own jobs"},
	{"allusers", "all-users", 'a', NULL, OPT_FLAG(struct aacct, all_users),
	 "The jobs of all users, as far as you may see them; the default for root"},
	{"account", "accounts", 'A', "ACCOUNTS", FILTER(FILTER_ACCOUNTS),
	 "Only jobs of these accounts"},
	{"queue", "queues partition -r", 'q', "QUEUES", FILTER(FILTER_QUEUES),
	 "Only jobs in these queues"},
	{"job-set", "job-sets jobset jobsets", 0, "NAMES", FILTER(FILTER_JOB_SETS),
	 "Only jobs of these job sets"},
	{"name", "names", 0, "NAMES", FILTER(FILTER_NAMES), "Only jobs with these names"},
	{"priority-class", "priority-classes class classes qos", 0, "CLASSES",
	 FILTER(FILTER_CLASSES), "Only jobs of these priority classes"},
	{"label", "labels", 0, "LABELS", FILTER(FILTER_LABELS),
	 "Only jobs with all these labels: key=value, key or !key"},
	{"state", "states -t", 's', "STATES", FILTER(FILTER_STATES),
	 "Only attempts in these states"},
	{"nodelist", "nodes node -w", 'N', "NODES", FILTER(FILTER_NODES),
	 "Only attempts that used these nodes"},
};
static const struct opt_table which_table = {"Which attempts", which_rows, ARRAY_SIZE(which_rows)};

static const struct opt when_rows[] = {
	{"starttime", "start-time from", 'S', "TIME", OPT_CHECKED(struct aacct, start, check_time),
	 "Attempts that ran or ended since then: 2027-01-31, 08:00, yesterday, 7d (ago); "
	 "the default is today"},
	{"endtime", "end-time to", 'E', "TIME", OPT_CHECKED(struct aacct, end, check_time),
	 "Attempts that started before then; the default is now"},
	{"truncate", NULL, 'T', NULL, OPT_FLAG(struct aacct, truncate),
	 "Show of each attempt only its part in the period"},
};
static const struct opt_table when_table = {"Period", when_rows, ARRAY_SIZE(when_rows)};

static const struct opt what_rows[] = {
	{"usage", NULL, 0, NULL, OPT_FLAG(struct aacct, usage),
	 "Show sums of the period; from the first of this month, of all users, unless other "
	 "options say more"},
	{"efficiency", "eff", 0, NULL, OPT_FLAG(struct aacct, efficiency),
	 "Show which part of what they reserved jobs have used, those that wasted the most first"},
	{"by", NULL, 0, "WHAT", OPT_WITH(read_by, NULL),
	 "With --usage and --efficiency: sums by user (the default), account, queue, class, day or "
	 "label:KEY"},
};
static const struct opt_table what_table = {"Sums", what_rows, ARRAY_SIZE(what_rows)};

static const struct opt output_rows[] = {
	{"noheader", NULL, 'n', NULL, OPT_FLAG(struct listing_request, noheader),
	 "Print no header line"},
	{"format", "fields -O", 'o', "COLUMNS", OPT_WORD(struct listing_request, format),
	 "Columns to show, also by their names of sacct: id,State,MaxRSS, JobName%20"},
	{"json", NULL, 0, NULL, OPT_FLAG(struct listing_request, json), "Print everything as JSON"},
	{"csv", NULL, 0, NULL, OPT_FLAG(struct listing_request, csv),
	 "Print comma-separated values, with plain numbers as in JSON"},
	{"parsable2", "parseable2", 'P', NULL, OPT_FLAG(struct listing_request, parsable2),
	 "Print the columns with | in between"},
	{"parsable", "parseable", 'p', NULL, OPT_FLAG(struct listing_request, parsable),
	 "The same, with | also at the end of each line"},
	{"allocations", NULL, 'X', NULL, OPT_FLAG(struct aacct, own), NULL},
	{"duplicates", NULL, 'D', NULL, OPT_FLAG(struct aacct, own), NULL},
};
static const struct opt_table output_table = {"Output", output_rows, ARRAY_SIZE(output_rows)};

static const struct opt_table *const tables[] = {&which_table,  &when_table,      &what_table,
						 &output_table, &command_options, NULL};
static const char *const usages[] = {
	"[option...] [id...]",
	"--usage [--from=TIME] [--to=TIME] [--by=user|account|queue|class|day|label:KEY] [option...]",
	"--efficiency [--from=TIME] [--to=TIME] [option...]", NULL};

/* Without a word about users, people see their own jobs, as in sacct. */
static int choose_users(struct aacct *a, struct err *err)
{
	const Armada__JobFilter *f = &a->which.filter.message;

	if (a->usage || a->efficiency || a->all_users || geteuid() == 0 || f->n_ids || f->n_users ||
	    f->n_accounts || f->n_queues || f->n_job_sets || f->n_nodes)
		return 0;
	return filter_add(&a->which.filter, FILTER_ME, NULL, err);
}

static int set_period(struct aacct *a, struct err *err)
{
	bool sums = a->usage || a->efficiency;
	int rc = 0;

	a->now_us = clock_us(CLOCK_REALTIME);
	a->start_us = sums                            ? period_month(a->now_us)
		      : a->which.filter.message.n_ids ? 0
						      : period_day(a->now_us, 0);
	/* what ends now is part of it */
	a->end_us = a->now_us + 1000000;
	if (a->start)
		rc = period_parse(a->start, a->now_us, &a->start_us, err);
	if (rc == 0 && a->end)
		rc = period_parse(a->end, a->now_us, &a->end_us, err);
	if (rc == 0 && a->start_us >= a->end_us)
		return err_set(err, -EINVAL,
			       "the period is empty: its start (%s) is not before its end (%s)",
			       a->start ? a->start : "the default", a->end ? a->end : "now");
	return rc;
}

static int check(struct aacct *a, struct err *err)
{
	const struct listing_request *l = &a->which.listing;
	bool sums = a->usage || a->efficiency;

	if (a->usage && a->efficiency)
		return err_set(err, -EINVAL, "--usage and --efficiency are two listings: give one");
	if (a->by_given && !sums)
		return err_set(err, -EINVAL, "--by needs --usage or --efficiency");
	if (sums && a->truncate)
		return err_set(err, -EINVAL,
			       "--truncate is for attempts: sums are of the period only");
	if (sums && a->which.filter.message.n_nodes)
		return err_set(err, -EINVAL,
			       "--nodelist is for attempts: sums cannot be selected by node");
	if (sums && a->which.filter.message.n_labels)
		return err_set(err, -EINVAL,
			       "--label is for attempts: sums cannot be selected by label");
	if (l->json + l->csv + (l->parsable || l->parsable2) > 1)
		return err_set(err, -EINVAL, "--json, --csv and --parsable2 exclude each other");
	return listing_check(sums ? usage_listing(a) : &attempt_listing, l, err);
}

/* The history may know users and accounts that exist no more. */
static bool may_have_been(const void *answer, enum filter_by by, const char *name)
{
	(void)answer, (void)name;
	return by == FILTER_USERS || by == FILTER_ACCOUNTS;
}

static int show(struct aacct *a, struct err *err)
{
	struct connection *c = NULL;
	int rc = connection_new(&c, NULL, err);

	if (rc == 0 && (a->usage || a->efficiency)) {
		rc = known_check(c, &a->which.filter, may_have_been, NULL, err);
		if (rc == 0)
			rc = usage_print(a, c, err);
	} else if (rc == 0) {
		rc = list_attempts(a, c, err);
	}
	connection_free(c);
	return rc;
}

static int run(int argc, char **argv, struct err *err)
{
	struct aacct a = {0};
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0;
	int rc;

	filter_init(&a.which.filter);
	rc = opt_parse(tables, argc, argv, &a, &operands, &count, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = filter_add(&a.which.filter, FILTER_IDS, operands[i], err);
	if (!a.which.listing.format && !a.usage && !a.efficiency)
		a.which.listing.format = getenv("AACCT_FORMAT");
	if (rc == 0)
		rc = check(&a, err);
	if (rc == 0)
		rc = choose_users(&a, err);
	if (rc == 0)
		rc = set_period(&a, err);
	if (rc == 0)
		rc = show(&a, err);
	filter_done(&a.which.filter);
	return rc;
}

static void columns_help(struct buf *out)
{
	struct aacct sums = {0};

	listing_help(&attempt_listing, out);
	buf_addstr(out, "\nOf sums. ");
	listing_help(usage_listing(&sums), out);
}

static const struct command aacct = {
	.name = "aacct",
	.summary =
		"Show what jobs used: attempts, and sums by user, account, queue, class, day or label",
	.usages = usages,
	.tables = tables,
	.more_help = columns_help,
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&aacct, argc, argv);
}
