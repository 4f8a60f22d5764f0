/*
 * Attempts in a listing (list.h).
 *
 * Jobs that are named come from the memory of the controller and from the history, as in aqueue, with all
 * their attempts. Otherwise the attempts of a period come from the accounting of the history, and jobs
 * that have not ended from the memory. Rows are ordered by job, element and attempt.
 */
#include "cmd/aacct/list.h"

#include "client/jobstate.h"
#include "client/known.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { TIMEOUT_MS = 90000 };

/* Names of sacct for our columns. They come first: ExitCode is exit, not exit_code. */
static const char *const names_of_sacct[] = {
	"id JobID",
	"job JobIDRaw ArrayJobID",
	"name JobName",
	"queue Partition",
	"class QOS",
	"user User UserName",
	"uid UID",
	"gid GID",
	"exit ExitCode DerivedExitCode",
	"elapsed_seconds ElapsedRaw",
	"elapsed Elapsed",
	"reserved_time CPUTime",
	"reserved_seconds CPUTimeRAW",
	"wait_time Planned Reserved",
	"time_limit Timelimit",
	"submit_time Submit",
	"eligible_time Eligible",
	"start_time Start",
	"end_time End",
	"cpus AllocCPUS NCPUS ReqCPUS",
	"memory ReqMem",
	"gpus AllocGPUS",
	"resources ReqTRES AllocTRES ReqGRES AllocGRES",
	"nodes NNodes AllocNodes",
	"nodelist NodeList",
	"tasks NTasks",
	"max_rss MaxRSS",
	"cpu_time TotalCPU",
	"user_time UserCPU",
	"system_time SystemCPU",
	"read_bytes MaxDiskRead TotalDiskRead DiskRead",
	"written_bytes MaxDiskWrite TotalDiskWrite DiskWrite",
	"chdir WorkDir",
	"output StdOut",
	"error StdErr",
	"submit_host SubmitHost",
	NULL,
};

const struct listing attempt_listing = {
	.key = "attempts",
	.standard = "id,name,queue,account,cpus,state,exit,attempt,elapsed,cpu_efficiency,max_rss",
	.columns = job_columns,
	.count = JOB_COLUMNS,
	.aliases = names_of_sacct,
	.aliases_first = true,
};

static void add(struct job_rows *rows, Armada__JobRow *row)
{
	GROW(rows->list, rows->cap, rows->count + 1);
	rows->list[rows->count++] = (struct job_view){.row = row, .now_us = rows->now_us};
}

static int fetch_ended(const struct aacct *a, struct job_rows *rows, struct connection *c,
		       struct err *err)
{
	Armada__AccountingRequest q = ARMADA__ACCOUNTING_REQUEST__INIT;
	const Armada__AccountingReply *reply;
	int rc;

	q.filter = (Armada__JobFilter *)&a->which.filter.message;
	q.from_us = a->start_us;
	q.to_us = a->end_us;
	do {
		rc = connection_ask(c, MSG_ACCOUNTING, &q, MSG_ACCOUNTING_REPLY, rows->arena,
				    TIMEOUT_MS, &reply, err);
		if (rc < 0)
			return rc;
		for (size_t i = 0; i < reply->n_rows; i++)
			add(rows, reply->rows[i]);
		q.has_after = true;
		q.after_end_us = reply->next_after_end_us;
		q.after_id = reply->next_after_id;
		q.after_element = reply->next_after_element;
		q.after_attempt = reply->next_after_attempt;
	} while (reply->more);
	return 0;
}

/* Jobs that have not ended: those that were submitted before the end of the period. */
static int fetch_active(const struct aacct *a, struct job_rows *rows, struct connection *c,
			struct err *err)
{
	struct filter f = a->which.filter;
	size_t kept = 0;
	int rc;

	if (f.message.n_states && f.only_ended)
		return 0;
	f.ended = false;
	rc = job_rows_fetch(rows, c, &f, JOB_ROWS_ACTIVE, err);
	for (size_t i = 0; rc == 0 && i < rows->count; i++)
		if (!job_state(rows->list[i].row->state)->ended &&
		    rows->list[i].row->submit_us < a->end_us)
			rows->list[kept++] = rows->list[i];
	rows->count = kept;
	return rc;
}

static int fetch_period(struct aacct *a, struct job_rows *rows, struct connection *c,
			struct err *err)
{
	int rc = fetch_active(a, rows, c, err);

	if (rc == 0 && (!a->which.filter.message.n_states || a->which.filter.ended))
		rc = fetch_ended(a, rows, c, err);
	job_rows_sort(rows);
	return rc;
}

/* Of named jobs: those of the period, if one was given. */
static bool in_period(const struct aacct *a, const Armada__JobRow *row)
{
	int64_t from_us = row->start_us ? row->start_us : row->submit_us;

	return (!a->start || !row->end_us || row->end_us >= a->start_us) &&
	       (!a->end || from_us < a->end_us);
}

static int fetch_named(struct aacct *a, struct job_rows *rows, struct connection *c,
		       struct err *err)
{
	size_t kept = 0;
	int rc = job_rows_fetch(rows, c, &a->which.filter, JOB_ROWS_ATTEMPTS, err);

	for (size_t i = 0; rc == 0 && i < rows->count; i++)
		if (in_period(a, rows->list[i].row))
			rows->list[kept++] = rows->list[i];
	rows->count = kept;
	return rc;
}

static bool has_job(const struct job_rows *rows, uint64_t job)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->list[i].row->job == job)
			return true;
	return false;
}

/* An id that was named alone and is not there; conditions besides may be the reason. */
static int check_ids(const struct aacct *a, const struct job_rows *rows, struct err *err)
{
	const Armada__JobFilter *f = &a->which.filter.message;

	if (f->n_states || f->n_users || f->n_queues || f->n_job_sets || f->n_names || f->n_nodes ||
	    f->n_priority_classes || f->n_accounts || f->n_labels || a->start || a->end)
		return 0;
	for (size_t i = 0; i < f->n_ids; i++)
		if (f->ids[i]->first == f->ids[i]->last && !has_job(rows, f->ids[i]->first))
			return err_set(err, -ENOENT, "there is no job %" PRIu64, f->ids[i]->first);
	return 0;
}

/* --truncate: no row begins before the period or ends after it. */
static void truncate_rows(const struct aacct *a, struct job_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		Armada__JobRow *row = arena_memdup(rows->arena, rows->list[i].row, sizeof(*row));

		if (row->start_us && row->start_us < a->start_us)
			row->start_us = a->start_us;
		if (row->end_us > a->end_us)
			row->end_us = a->end_us;
		rows->list[i].row = row;
		if (rows->list[i].now_us > a->end_us)
			rows->list[i].now_us = a->end_us;
	}
}

static int print(const struct aacct *a, const struct job_rows *rows, struct err *err)
{
	const void **list = arena_zalloc(rows->arena, rows->count + 1, sizeof(*list));

	for (size_t i = 0; i < rows->count; i++)
		list[i] = &rows->list[i];
	return listing_print(&attempt_listing, &a->which.listing, list, rows->count, stdout, err);
}

int list_attempts(struct aacct *a, struct connection *c, struct err *err)
{
	struct job_rows rows;
	int rc, absent = 0;

	job_rows_init(&rows);
	rc = a->which.filter.message.n_ids ? fetch_named(a, &rows, c, err)
					   : fetch_period(a, &rows, c, err);
	if (rc == 0)
		rc = known_check(c, &a->which.filter, job_rows_have, &rows, err);
	if (rc == 0)
		absent = check_ids(a, &rows, err);
	if (rc == 0 && a->truncate)
		truncate_rows(a, &rows);
	if (rc == 0 && (absent == 0 || rows.count))
		rc = print(a, &rows, err);
	job_rows_done(&rows);
	return rc < 0 ? rc : absent;
}
