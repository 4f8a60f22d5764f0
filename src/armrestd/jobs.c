/*
 * Routes of jobs: listing, showing, changing. Each makes the request that the command of that name makes,
 * and has its rows and its sentences.
 */
#include "armrestd/outcome.h"
#include "armrestd/routes.h"
#include "armrestd/selection.h"

#include "client/filter.h"
#include "cmd/explain_json.h"
#include "cmd/listing/job_rows.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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

static int show(struct exchange *x, bool script, const Armada__ShowJobReply **ret_reply,
		struct err *err)
{
	Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
	uint32_t element;
	bool has;
	int rc = selection_id(x, &q.job, &has, &element, err);

	q.with_script = script;
	return rc < 0 ? rc : exchange_ask(x, MSG_SHOW_JOB, &q, MSG_SHOW_JOB_REPLY, ret_reply, err);
}

int job_show(struct exchange *x, struct err *err)
{
	const Armada__ShowJobReply *r;
	int rc = show(x, false, &r, err);
	struct job_rows rows;
	struct filter f;

	if (rc < 0)
		return rc;
	filter_init(&f);
	job_rows_init(&rows);
	rc = filter_add(&f, FILTER_IDS, x->ids[0], err);
	if (rc == 0)
		rc = job_rows_fetch(&rows, x->c, &f, JOB_ROWS_ACTIVE, err);
	if (rc == 0) {
		x->json = listing_json_new();
		json_object_set_new(x->json, "job",
				    json_integer((json_int_t)strtoull(x->ids[0], NULL, 10)));
		json_object_set_new(x->json, "user", json_string(r->user));
		json_object_set_new(x->json, "submit_time", json_integer(r->submit_us));
		json_object_set_new(x->json, "jobs", json_array());
		for (size_t i = 0; i < rows.count; i++)
			json_array_append_new(json_object_get(x->json, "jobs"),
					      listing_row_json(&job_listing, &rows.list[i]));
	}
	job_rows_done(&rows);
	filter_done(&f);
	return rc;
}

int job_script(struct exchange *x, struct err *err)
{
	const Armada__ShowJobReply *r;
	int rc = show(x, true, &r, err);

	if (rc < 0)
		return rc;
	if (!r->script.len)
		return err_set(err, -ENOENT, "job %s has no script", x->ids[0]);
	buf_add(&x->text, r->script.data, r->script.len);
	return 0;
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

/* Asks for what is done with the jobs of the path. of: the member of the request that selects them. */
static int ask_of_ids(struct exchange *x, enum msg_type type, const void *request,
		      Armada__JobFilter **of, enum msg_type want, void *ret_reply, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = filter_add(&f, FILTER_IDS, x->ids[0], err) < 0 ? -EINVAL : 0;
	*of = &f.message;
	if (rc == 0)
		rc = exchange_ask(x, type, request, want, ret_reply, err);
	*of = NULL;
	filter_done(&f);
	return rc;
}

int job_cancel(struct exchange *x, struct err *err)
{
	Armada__CancelRequest q = ARMADA__CANCEL_REQUEST__INIT;
	const char *reason = exchange_query(x, "reason");
	const Armada__CancelReply *r;
	struct outcome o;
	int rc;

	q.reason = (char *)(uintptr_t)(reason ? reason : "");
	rc = ask_of_ids(x, MSG_CANCEL, &q, &q.filter, MSG_CANCEL_REPLY, &r, err);
	if (rc < 0)
		return rc;
	o = (struct outcome){r->denied,     0,           r->cancelled + r->ending, r->problems,
			     r->n_problems, r->n_missing};
	rc = outcome_judge(x, &o, err);
	if (rc < 0)
		return rc;
	outcome_count(x, "cancelled", r->cancelled);
	outcome_count(x, "ending", r->ending);
	outcome_count(x, "already_ended", r->already_ended);
	return 0;
}

static int hold(struct exchange *x, bool release, struct err *err)
{
	Armada__HoldRequest q = ARMADA__HOLD_REQUEST__INIT;
	const Armada__HoldReply *r;
	struct outcome o;
	int rc;

	q.release = release;
	rc = ask_of_ids(x, MSG_HOLD, &q, &q.filter, MSG_HOLD_REPLY, &r, err);
	if (rc < 0)
		return rc;
	o = (struct outcome){r->denied, 0, r->changed, r->problems, r->n_problems, 0};
	rc = outcome_judge(x, &o, err);
	if (rc == 0)
		outcome_count(x, release ? "released" : "held", r->changed);
	return rc;
}

int job_hold(struct exchange *x, struct err *err)
{
	return hold(x, false, err);
}

int job_release(struct exchange *x, struct err *err)
{
	return hold(x, true, err);
}

static int suspend(struct exchange *x, bool resume, struct err *err)
{
	Armada__SuspendRequest q = ARMADA__SUSPEND_REQUEST__INIT;
	const Armada__SuspendReply *r;
	struct outcome o;
	int rc;

	q.resume = resume;
	rc = ask_of_ids(x, MSG_SUSPEND, &q, &q.filter, MSG_SUSPEND_REPLY, &r, err);
	if (rc < 0)
		return rc;
	o = (struct outcome){r->denied, r->refused, r->changed, r->problems, r->n_problems, 0};
	rc = outcome_judge(x, &o, err);
	if (rc == 0)
		outcome_count(x, resume ? "resumed" : "suspended", r->changed);
	return rc;
}

int job_suspend(struct exchange *x, struct err *err)
{
	return suspend(x, false, err);
}

int job_resume(struct exchange *x, struct err *err)
{
	return suspend(x, true, err);
}

int job_requeue(struct exchange *x, struct err *err)
{
	Armada__RequeueRequest q = ARMADA__REQUEUE_REQUEST__INIT;
	const Armada__RequeueReply *r;
	struct outcome o;
	int64_t also_hold = 0;
	int rc = exchange_number(x, "hold", 0, 1, &also_hold, err);

	q.hold = also_hold;
	if (rc == 0)
		rc = ask_of_ids(x, MSG_REQUEUE, &q, &q.filter, MSG_REQUEUE_REPLY, &r, err);
	if (rc < 0)
		return rc;
	o = (struct outcome){r->denied,   r->refused,    r->requeued + r->waiting,
			     r->problems, r->n_problems, r->n_missing};
	rc = outcome_judge(x, &o, err);
	if (rc < 0)
		return rc;
	outcome_count(x, "requeued", r->requeued);
	outcome_count(x, "waiting", r->waiting);
	return 0;
}
