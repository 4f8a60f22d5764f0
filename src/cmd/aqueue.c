/*
 * aqueue: list jobs.
 *
 * Pending and running jobs come from the memory of the controller, ended jobs from the history
 * (listing/job_rows.c). The rows are printed as a table, in a format of the user, or as JSON. An id
 * that was named and does not exist is an error.
 */
#include "client/known.h"
#include "client/spec/time_parse.h"
#include "cmd/aqueue_steps.h"
#include "cmd/aqueue_watch.h"
#include "cmd/common/command.h"
#include "cmd/common/problems.h"
#include "cmd/listing/job_blocks.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/step_rows.h"
#include "cmd/listing/wrap.h"
#include "util/bisect.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct request {
	struct job_request which;
	bool expand, detail, start, attempts, watch, steps;
	bool columns; /* --format was given */
	const char *since;
};

/* Columns of --start. */
static const char start_format[] = "id,queue,name,user,st,expected,nodes,where";
/* The same where a job waits for its begin time. */
static const char begin_format[] = "id,queue,name,user,st,begin,expected,nodes,where";

static int check_since(const char *value, struct err *err)
{
	int64_t us;

	return time_parse_past(value, clock_us(CLOCK_REALTIME), &us, err);
}

static const struct opt rows[] = {
	{"since", "starttime", 'S', "TIME", OPT_CHECKED(struct request, since, check_since),
	 "Show also jobs that ended since then: 2h or 1d (ago), 12:30, today, 2027-01-31"},
	{"array", NULL, 'r', NULL, OPT_FLAG(struct request, expand),
	 "Show each element of an array on a line of its own"},
	{"detail", "long", 'l', NULL, OPT_FLAG(struct request, detail),
	 "Show all that is known of each job, in lines for reading"},
	{"attempts", "duplicates", 'D', NULL, OPT_FLAG(struct request, attempts),
	 "Show also each earlier attempt of requeued and preempted jobs"},
	{"start", NULL, 0, NULL, OPT_FLAG(struct request, start),
	 "List pending jobs, ordered by their expected start"},
	{"steps", NULL, 0, NULL, OPT_FLAG(struct request, steps),
	 "List the steps of running jobs instead: aqueue --steps 812, aqueue --steps 812.0"},
	{"watch", NULL, 0, NULL, OPT_FLAG(struct request, watch),
	 "List again whenever a job of the listing changes, until interrupted"},
	{"iterate", NULL, 'i', "SECONDS",
	 OPT_REFUSE("aqueue lists once; aqueue --watch lists again when a job changes"), NULL},
	{"sort", NULL, 0, "COLUMNS",
	 OPT_REFUSE("jobs are listed by id, or with --start by their expected start; sort(1) has "
		    "other orders"),
	 NULL},
};

static const struct opt_table own_options = {"What to show", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&job_options, &own_options, &listing_options,
						 &command_options, NULL};
static const char *const usages[] = {"[option...] [id...]", NULL};

/* Rows are sorted by job. */
static bool has_job(const struct job_rows *found, uint64_t job)
{
	size_t at = BISECT(0, found->count, i, found->list[i].row->job < job);

	return at < found->count && found->list[at].row->job == job;
}

/* Reports the ids that were named and do not exist. An id of a range may be missing. */
static int check_found(const struct request *r, const struct job_rows *found, struct err *err)
{
	const Armada__JobFilter *f = &r->which.filter.message;
	struct problems problems = {.before = "aqueue: error"};

	/* with other conditions, an existing job need not match */
	if (f->n_states || f->n_users || f->n_queues || f->n_job_sets || f->n_names || f->n_nodes ||
	    f->n_priority_classes || f->n_accounts || f->n_labels || f->since_us)
		return 0;
	for (size_t i = 0; i < f->n_ids; i++) {
		CLEANUP_FREE char *sentence = NULL;

		if (f->ids[i]->first != f->ids[i]->last || has_job(found, f->ids[i]->first))
			continue;
		sentence = xasprintf("there is no job %" PRIu64 "%s", f->ids[i]->first,
				     f->ids[i]->has_elements ? " with these elements" : "");
		problems_add(&problems, &sentence, 1);
	}
	if (problems.count)
		return problems_end(&problems, problems.count,
				    err_set(err, -ENOENT, "there are no such jobs"), err);
	if (f->n_ids && !found->count)
		return err_set(err, -ENOENT, "there are no such jobs");
	return 0;
}

static int by_start(const void *left, const void *right)
{
	return job_view_by_start(*(const struct job_view *const *)left,
				 *(const struct job_view *const *)right);
}

static bool any_begins(const struct job_rows *found)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].row->begin_us)
			return true;
	return false;
}

static int print_rows(const struct request *r, const struct job_rows *found, struct err *err)
{
	const void **list = arena_zalloc(found->arena, found->count + 1, sizeof(*list));
	struct listing_request how = r->which.listing;

	for (size_t i = 0; i < found->count; i++)
		list[i] = &found->list[i];
	if (r->start)
		qsort(list, found->count, sizeof(*list), by_start);
	if (r->detail && !r->columns && !how.json) {
		job_blocks_print(list, found->count, wrap_terminal(stdout), listing_colours(stdout),
				 stdout);
		return 0;
	}
	if (how.format == start_format && any_begins(found))
		how.format = begin_format;
	return listing_print(&job_listing, &how, list, found->count, stdout, err);
}

/* Named elements have a row each. Scripts, which choose columns or JSON, get one for each with tasks. */
static enum job_rows_kind kind_of(const struct request *r)
{
	enum job_rows_kind kind = job_rows_kind_for(&r->which.filter);

	if (r->attempts)
		return JOB_ROWS_ATTEMPTS;
	if (r->expand || kind == JOB_ROWS_ELEMENTS)
		return JOB_ROWS_ELEMENTS;
	return r->columns || r->which.listing.json ? kind : JOB_ROWS_JOBS;
}

/* w NULL: the listing is made once. */
static int show(const struct request *r, struct aqueue_watch *w, struct err *err)
{
	struct connection *c = NULL;
	struct job_rows found;
	int rc, absent = 0;

	job_rows_init(&found);
	rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = job_rows_fetch(&found, c, &r->which.filter, kind_of(r), err);
	if (rc == 0)
		rc = known_check(c, &r->which.filter, job_rows_have, &found, err);
	if (rc == 0)
		absent = check_found(r, &found, err);
	if (rc == 0 && (absent == 0 || found.count))
		rc = print_rows(r, &found, err);
	connection_free(c);
	fflush(stdout);
	if (rc == 0 && absent == 0 && w)
		rc = aqueue_watch_wait(w, &r->which.filter, &found, err);
	job_rows_done(&found);
	return rc < 0 ? rc : absent;
}

/* On a terminal each listing takes the place of the one before. A controller that is away may come back. */
static int show_again(const struct request *r, struct err *err)
{
	enum { AWAY_MS = 2000 };
	struct aqueue_watch *w = aqueue_watch_new();
	bool shown = false;
	int rc;

	do {
		if (isatty(STDOUT_FILENO))
			fputs("\033[H\033[2J", stdout);
		else if (shown)
			putchar('\n');
		rc = show(r, w, err);
		if (rc == -EAGAIN && shown) {
			sleep_ms(AWAY_MS);
			rc = 0;
		}
		shown = true;
	} while (rc == 0 && !ferror(stdout));
	aqueue_watch_free(w);
	return rc;
}

/* The jobs that ended since then, in addition to those that have not ended. */
static int add_since(struct request *r, struct err *err)
{
	struct filter *f = &r->which.filter;
	int rc = time_parse_past(r->since, clock_us(CLOCK_REALTIME), &f->message.since_us, err);

	if (rc == 0 && !f->message.n_states && !f->all_states)
		rc = filter_add(f, FILTER_STATES, "all", err);
	return rc;
}

/* Ids of steps come to the front of the operands; the others go to the filter. */
static int take_operands(struct request *r, const char **operands, size_t count, size_t *ret_steps,
			 struct err *err)
{
	int rc = 0;

	*ret_steps = 0;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (r->steps && step_id_is(operands[i]))
			operands[(*ret_steps)++] = operands[i];
		else
			rc = filter_add(&r->which.filter, FILTER_IDS, operands[i], err);
	}
	return rc;
}

static int show_steps(const struct request *r, const char *const *ids, size_t count,
		      struct err *err)
{
	int rc = aqueue_steps_check(&r->which.listing, err);

	if (rc == 0 && (r->expand || r->detail || r->start || r->attempts || r->watch || r->since))
		rc = err_set(err, -EINVAL,
			     "--steps excludes --array, --detail, --start, --attempts, --watch and "
			     "--since");
	return rc < 0 ? rc
		      : aqueue_steps(&r->which, ids, count,
				     !count || !filter_is_empty(&r->which.filter), err);
}

static int list_jobs(struct request *r, struct err *err)
{
	int rc = 0;

	r->columns = r->which.listing.format != NULL;
	if (!r->columns)
		r->which.listing.format = r->start ? start_format : getenv("AQUEUE_FORMAT");
	if (r->start && !r->which.filter.message.n_states)
		rc = filter_add(&r->which.filter, FILTER_STATES, "pending", err);
	if (rc == 0 && r->since)
		rc = add_since(r, err);
	if (rc == 0)
		rc = listing_check(&job_listing, &r->which.listing, err);
	if (rc == 0)
		rc = r->watch ? show_again(r, err) : show(r, NULL, err);
	return rc;
}

static int run(int argc, char **argv, struct err *err)
{
	struct request r = {0};
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0, steps = 0;
	int rc;

	filter_init(&r.which.filter);
	rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);
	if (rc == 0)
		rc = take_operands(&r, operands, count, &steps, err);
	if (rc == 0)
		rc = r.steps ? show_steps(&r, operands, steps, err) : list_jobs(&r, err);
	filter_done(&r.which.filter);
	return rc;
}

static void columns_help(struct buf *out)
{
	listing_help(&job_listing, out);
	buf_addstr(out, "--steps: ");
	listing_help(&step_listing, out);
}

static const struct command aqueue = {
	.name = "aqueue",
	.summary = "List pending and running jobs, and, by id or --state, jobs that have ended",
	.usages = usages,
	.tables = tables,
	.more_help = columns_help,
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&aqueue, argc, argv);
}
