/*
 * actl preempt: preempt running jobs.
 *
 * The jobs are selected by ids, words and options; a job must match all of them. The options are
 * parsed here, because some have another meaning for other verbs: --queue of update is the new
 * queue of a job. With --dry-run, the selected jobs are listed, and the controller counts what it
 * would preempt.
 */
#include "cmd/actl/preempt.h"

#include "client/jobstate.h"
#include "client/known.h"
#include "cmd/actl/paged_request.h"
#include "cmd/actl/select.h"
#include "cmd/common/command.h"
#include "cmd/listing/job_rows.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>

struct request {
	struct filter filter;
	const char *reason;
	bool hold, dry_run;
};

static const struct opt rows[] = {
	{"node", "nodes nodelist", 'w', "NODES",
	 FILTER_OPTION(struct request, filter, FILTER_NODES),
	 "Jobs that run on these nodes; they avoid the nodes for a while (drain them first)"},
	{"queue", "queues partition -p", 'q', "QUEUES",
	 FILTER_OPTION(struct request, filter, FILTER_QUEUES), "Jobs of these queues"},
	{"class", "classes priority-class priority-classes", 0, "CLASSES",
	 FILTER_OPTION(struct request, filter, FILTER_CLASSES), "Jobs of these priority classes"},
	{"user", "users", 'u', "USERS", FILTER_OPTION(struct request, filter, FILTER_USERS),
	 "Jobs of these users"},
	{"job-set", "job-sets jobset jobsets", 's', "NAMES",
	 FILTER_OPTION(struct request, filter, FILTER_JOB_SETS), "Jobs of these job sets"},
	{"name", "names", 'n', "NAMES", FILTER_OPTION(struct request, filter, FILTER_NAMES),
	 "Jobs with these names"},
	{"account", "accounts", 'A', "ACCOUNTS",
	 FILTER_OPTION(struct request, filter, FILTER_ACCOUNTS), "Jobs of these accounts"},
	{"label", "labels", 0, "LABELS", FILTER_OPTION(struct request, filter, FILTER_LABELS),
	 "Jobs with all these labels: key=value, key or !key"},
	{"reason", NULL, 0, "TEXT", OPT_TEXT(struct request, reason),
	 "Reason, which is shown to the owners of the jobs"},
	{"hold", NULL, 0, NULL, OPT_FLAG(struct request, hold),
	 "Also hold the jobs (arrays with all elements) until actl release"},
	{"dry-run", NULL, 0, NULL, OPT_FLAG(struct request, dry_run),
	 "Print what would be preempted, and preempt nothing"},
};

const struct opt_table actl_preempt_options = {"preempt (a job must match every option)", rows,
					       ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&actl_preempt_options, &command_options, NULL};

static int ask(struct connection *c, const struct request *r, struct tally *ret_tally,
	       struct err *err)
{
	Armada__PreemptRequest q = ARMADA__PREEMPT_REQUEST__INIT;

	q.filter = (Armada__JobFilter *)&r->filter.message;
	q.reason = (char *)(r->reason ? r->reason : "");
	q.hold = r->hold;
	q.dry_run = r->dry_run;
	return paged_request_ask(c, &paged_preempt, &q, ret_tally, err);
}

static bool holds_nodes(const Armada__JobRow *row)
{
	return !job_state(row->state)->ended && row->n_nodes;
}

/*
 * Prints the selected jobs. Other jobs of their gangs would be preempted too; these are only
 * counted.
 */
static int print_selected(struct connection *c, const struct request *r, struct err *err)
{
	struct job_rows found;
	int rc;

	job_rows_init(&found);
	rc = job_rows_fetch(&found, c, &r->filter, JOB_ROWS_ACTIVE, err);
	for (size_t i = 0; rc == 0 && i < found.count; i++) {
		const Armada__JobRow *row = found.list[i].row;
		CLEANUP_BUF struct buf id = {0}, nodes = {0};

		if (!holds_nodes(row))
			continue;
		job_row_id(row, &id);
		job_row_nodes(row, &nodes);
		printf("%s %s %s %s on %s%s%s\n", (char *)id.data, job_state(row->state)->name,
		       row->user, row->name, (char *)nodes.data,
		       row->gang_id[0] ? ", with all of gang " : "", row->gang_id);
	}
	job_rows_done(&found);
	return rc;
}

static int report(const struct request *r, const struct tally *t, struct err *err)
{
	if (r->dry_run)
		fprintf(stderr, "actl: %" PRIu64 " would be preempted\n", t->done);
	else if (t->done)
		printf("Preempted %" PRIu64 "%s\n", t->done,
		       r->hold ? ", and held their jobs" : "");
	if (t->absent < 0)
		return t->absent;
	if (t->denied)
		return err_set(err, -EPERM,
			       "%" PRIu64 " of them may not be preempted by you: this needs the "
			       "right preempt in their queue, or an administrator",
			       t->denied);
	if (t->refused)
		return err_set(err, -EBADE, "%" PRIu64 " of them cannot be preempted", t->refused);
	return t->done ? 0 : err_set(err, -ENOENT, "no running job matches");
}

static int preempt(struct connection *c, const struct request *r, struct err *err)
{
	struct tally t;
	int rc = r->dry_run ? print_selected(c, r, err) : 0;

	if (rc == 0)
		rc = ask(c, r, &t, err);
	return rc < 0 ? rc : paged_request_end(&t, report(r, &t, err), err);
}

int actl_preempt(int argc, char **argv, struct err *err)
{
	CLEANUP_FREE const char **operands = NULL;
	struct request r = {0};
	struct connection *c = NULL;
	size_t count = 0;
	int rc;

	filter_init(&r.filter);
	rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);
	if (rc == 0)
		rc = actl_select(&r.filter, operands, count, err);
	if (rc == 0 && filter_is_empty(&r.filter))
		rc = err_set(err, -EINVAL,
			     "nothing selected; give ids, or --node, --queue, --class, --user, "
			     "--job-set, --account, --label or --name");
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = known_check(c, &r.filter, NULL, NULL, err);
	if (rc == 0)
		rc = preempt(c, &r, err);
	connection_free(c);
	filter_done(&r.filter);
	return rc;
}
