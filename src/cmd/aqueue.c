/*
 * aqueue: list jobs.
 *
 * Pending and running jobs come from the memory of the controller, ended jobs from the history
 * (listing/job_rows.c). The rows are printed as a table, in a format of the user, or as JSON. An id
 * that was named and does not exist is an error.
 */
#include "cmd/common/command.h"
#include "cmd/listing/job_rows.h"
#include "util/bisect.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>

struct request {
	struct job_request which;
	bool expand, detail, start;
};

/* Columns of --detail and --start. */
static const char detail_format[] =
	"id,queue,name,user,st,elapsed,nodes,cpu_time,max_rss,read_bytes,"
	"written_bytes,groups,why,reason,dependency,begin,expected";
static const char start_format[] = "id,queue,name,user,st,expected,node_count,where";

static const struct opt rows[] = {
	{"array", NULL, 'r', NULL, OPT_FLAG(struct request, expand),
	 "Show each pending element of an array on a line of its own"},
	{"detail", "long", 'l', NULL, OPT_FLAG(struct request, detail),
	 "Show the whole reason, and what jobs that have ended used"},
	{"start", NULL, 0, NULL, OPT_FLAG(struct request, start),
	 "List pending jobs, ordered by their expected start"},
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

/* Reports an id that was named and does not exist. An id of a range may be missing. */
static int check_found(const struct request *r, const struct job_rows *found, struct err *err)
{
	const Armada__JobFilter *f = &r->which.filter.message;

	/* with other conditions, an existing job need not match */
	if (f->n_states || f->n_users || f->n_queues || f->n_job_sets || f->n_names || f->n_nodes ||
	    f->n_priority_classes)
		return 0;
	for (size_t i = 0; i < f->n_ids; i++) {
		if (f->ids[i]->first == f->ids[i]->last && !has_job(found, f->ids[i]->first))
			return err_set(err, -ENOENT, "there is no job %" PRIu64, f->ids[i]->first);
	}
	if (f->n_ids && !found->count)
		return err_set(err, -ENOENT, "there are no such jobs");
	return 0;
}

/* By expected start; jobs without one come last, ordered by id. */
static int by_start(const void *left, const void *right)
{
	const Armada__JobRow *a = (*(const struct job_view *const *)left)->row;
	const Armada__JobRow *b = (*(const struct job_view *const *)right)->row;

	if (a->expected_us != b->expected_us)
		return !b->expected_us || (a->expected_us && a->expected_us < b->expected_us) ? -1
											      : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

static int show(const struct request *r, struct err *err)
{
	struct connection *c = NULL;
	struct job_rows found;
	const void **list;
	int rc, absent = 0;

	job_rows_init(&found);
	rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = job_rows_fetch(&found, c, &r->which.filter, r->expand, err);
	if (rc == 0)
		absent = check_found(r, &found, err);
	if (rc == 0 && (absent == 0 || found.count)) {
		list = arena_zalloc(found.arena, found.count + 1, sizeof(*list));
		for (size_t i = 0; i < found.count; i++)
			list[i] = &found.list[i];
		if (r->start)
			qsort(list, found.count, sizeof(*list), by_start);
		rc = listing_print(&job_listing, &r->which.listing, list, found.count, stdout, err);
	}
	job_rows_done(&found);
	connection_free(c);
	return rc < 0 ? rc : absent;
}

static int run(int argc, char **argv, struct err *err)
{
	struct request r = {0};
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0;
	int rc;

	filter_init(&r.which.filter);
	rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = filter_add(&r.which.filter, FILTER_IDS, operands[i], err);
	if (!r.which.listing.format)
		r.which.listing.format = r.start    ? start_format
					 : r.detail ? detail_format
						    : getenv("AQUEUE_FORMAT");
	if (rc == 0 && r.start && !r.which.filter.message.n_states)
		rc = filter_add(&r.which.filter, FILTER_STATES, "pending", err);
	if (rc == 0)
		rc = listing_check(&job_listing, &r.which.listing, err);
	if (rc == 0)
		rc = show(&r, err);
	filter_done(&r.which.filter);
	return rc;
}

static void columns_help(struct buf *out)
{
	listing_help(&job_listing, out);
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
