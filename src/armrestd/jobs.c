/*
 * Routes that read jobs: listing, showing, explaining. Each makes the request that the command of that name
 * makes, and has its rows and its sentences.
 */
#include "armrestd/routes.h"
#include "armrestd/selection.h"

#include "client/filter.h"
#include "client/known.h"
#include "cmd/explain_json.h"
#include "cmd/listing/job_rows.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 100, PAGE_MAX = 1000 };

/* "812" or "812_7": the job, and the element after which the page begins. */
static int read_cursor(const struct exchange *x, uint64_t *ret_id, bool *ret_has,
		       uint32_t *ret_element, struct err *err)
{
	const char *text = exchange_query(x, "cursor");
	int rc = text ? job_id_parse(text, ret_id, ret_has, ret_element, err) : 0;

	return rc < 0 ? err_prefix(err, -EINVAL, "cursor") : 0;
}

static int page(struct exchange *x, const struct filter *f, const Armada__ListJobsReply **ret_reply,
		struct err *err)
{
	Armada__ListJobsRequest q = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__HistoryRequest h = ARMADA__HISTORY_REQUEST__INIT;
	int64_t limit = PAGE;
	uint32_t element = 0;
	uint64_t after = 0;
	bool has = false;
	int rc = exchange_number(x, "limit", 1, PAGE_MAX, &limit, err);

	if (rc == 0)
		rc = read_cursor(x, &after, &has, &element, err);
	if (rc < 0)
		return rc;
	q.filter = h.filter = (Armada__JobFilter *)&f->message;
	q.after_id = h.after_id = after;
	q.after_element = h.after_element = element;
	q.has_after_element = h.has_after_element = has;
	q.limit = h.limit = (uint32_t)limit;
	if (f->only_ended)
		return exchange_ask(x, MSG_HISTORY, &h, MSG_LIST_JOBS_REPLY, ret_reply, err);
	return exchange_ask(x, MSG_LIST_JOBS, &q, MSG_LIST_JOBS_REPLY, ret_reply, err);
}

int jobs_list(struct exchange *x, struct err *err)
{
	const Armada__ListJobsReply *r;
	struct filter f;
	char next[48];
	int rc;

	filter_init(&f);
	rc = selection_read(x, &f, err);
	if (rc == 0)
		rc = page(x, &f, &r, err);
	/* an empty page says nothing about a name that is misspelt */
	if (rc == 0 && !r->n_rows)
		rc = known_check(x->c, &f, NULL, NULL, err);
	filter_done(&f);
	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "jobs", selection_rows(r->rows, r->n_rows));
	if (r->more && r->next_has_element)
		snprintf(next, sizeof(next), "%" PRIu64 "_%" PRIu32, r->next_after_id,
			 r->next_after_element);
	else
		snprintf(next, sizeof(next), "%" PRIu64, r->next_after_id);
	json_object_set_new(x->json, "next", r->more ? json_string(next) : json_null());
	return 0;
}

static json_t *rows_json(const struct job_rows *rows)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rows->count; i++)
		json_array_append_new(list, listing_row_json(&job_listing, &rows->list[i]));
	return list;
}

static void answer_rows(struct exchange *x, const struct job_rows *rows)
{
	x->json = listing_json_new();
	json_object_set_new(x->json, "jobs", rows_json(rows));
}

static int by_start(const void *left, const void *right)
{
	return job_view_by_start(left, right);
}

/* The rows of aqueue --start. */
int jobs_starts(struct exchange *x, struct err *err)
{
	struct job_rows rows;
	struct filter f;
	int rc;

	filter_init(&f);
	job_rows_init(&rows);
	rows.most = ROWS_MAX;
	rc = selection_read(x, &f, err);
	if (rc == 0 && !f.message.n_states)
		rc = filter_add(&f, FILTER_STATES, "pending", err);
	if (rc == 0)
		rc = job_rows_fetch(&rows, x->c, &f, job_rows_kind_for(&f), err);
	if (rc == 0)
		rc = known_check(x->c, &f, job_rows_have, &rows, err);
	if (rc == 0 && rows.count)
		qsort(rows.list, rows.count, sizeof(*rows.list), by_start);
	if (rc == 0)
		answer_rows(x, &rows);
	job_rows_done(&rows);
	filter_done(&f);
	return rc;
}

static int show(struct exchange *x, bool with_script, bool with_env,
		const Armada__ShowJobReply **ret_reply, struct err *err)
{
	Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
	uint32_t element;
	bool has;
	int rc = selection_id(x, &q.job, &has, &element, err);

	q.with_script = with_script;
	q.with_env = with_env;
	return rc < 0 ? rc : exchange_ask(x, MSG_SHOW_JOB, &q, MSG_SHOW_JOB_REPLY, ret_reply, err);
}

int job_show(struct exchange *x, struct err *err)
{
	const Armada__ShowJobReply *r;
	int rc = show(x, false, false, &r, err);
	struct job_rows rows;
	struct filter f;

	if (rc < 0)
		return rc;
	filter_init(&f);
	job_rows_init(&rows);
	rows.most = ROWS_MAX;
	rc = filter_add(&f, FILTER_IDS, x->ids[0], err);
	if (rc == 0)
		rc = job_rows_fetch(&rows, x->c, &f, JOB_ROWS_ACTIVE, err);
	if (rc == 0) {
		x->json = listing_json_new();
		json_object_set_new(x->json, "job",
				    json_integer((json_int_t)strtoull(x->ids[0], NULL, 10)));
		json_object_set_new(x->json, "user", json_string(r->user));
		json_object_set_new(x->json, "submit_time", json_integer(r->submit_us));
		json_object_set_new(x->json, "jobs", rows_json(&rows));
	}
	job_rows_done(&rows);
	filter_done(&f);
	return rc;
}

int job_script(struct exchange *x, struct err *err)
{
	const Armada__ShowJobReply *r;
	int rc = show(x, true, false, &r, err);

	if (rc < 0)
		return rc;
	if (!r->script.len)
		return err_set(err, -ENOENT, "job %s has no script", x->ids[0]);
	buf_add(&x->text, r->script.data, r->script.len);
	return 0;
}

/* A member for each variable; the last of two with the same name counts, as in the job. */
int job_environment(struct exchange *x, struct err *err)
{
	const Armada__ShowJobReply *r;
	int rc = show(x, false, true, &r, err);
	json_t *env;

	if (rc < 0)
		return rc;
	env = json_object();
	for (size_t at = 0; at < r->env.len;) {
		const char *word = (const char *)r->env.data + at;
		size_t len = strnlen(word, r->env.len - at);
		const char *equals = memchr(word, '=', len);

		/* a value that is no UTF-8 is left out */
		if (equals)
			json_object_set_new(
				env, arena_printf(x->arena, "%.*s", (int)(equals - word), word),
				json_stringn(equals + 1, len - (size_t)(equals + 1 - word)));
		at += len + 1;
	}
	x->json = listing_json_new();
	json_object_set_new(x->json, "environment", env);
	return 0;
}

/* The rows of aqueue --attempts ID. */
int job_attempts(struct exchange *x, struct err *err)
{
	struct job_rows rows;
	struct filter f;
	uint32_t element;
	uint64_t job;
	bool has;
	int rc = selection_id(x, &job, &has, &element, err);

	filter_init(&f);
	job_rows_init(&rows);
	if (rc == 0)
		rc = filter_add(&f, FILTER_IDS, x->ids[0], err);
	if (rc == 0)
		rc = job_rows_fetch(&rows, x->c, &f, JOB_ROWS_ATTEMPTS, err);
	if (rc == 0 && !rows.count)
		rc = err_set(err, -ENOENT, "there is no job %s", x->ids[0]);
	if (rc == 0)
		answer_rows(x, &rows);
	job_rows_done(&rows);
	filter_done(&f);
	return rc;
}

int job_explain(struct exchange *x, struct err *err)
{
	Armada__ExplainRequest q = ARMADA__EXPLAIN_REQUEST__INIT;
	const Armada__ExplainReply *r;
	bool has;
	int rc = selection_id(x, &q.job, &has, &q.element, err);

	q.has_element = has;
	if (rc == 0)
		rc = exchange_ask(x, MSG_EXPLAIN, &q, MSG_EXPLAIN_REPLY, &r, err);
	if (rc == 0)
		x->json = explain_json(r, clock_us(CLOCK_REALTIME));
	return rc;
}
