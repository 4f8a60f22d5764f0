/*
 * Routes that change jobs: cancel, signal, hold, release, requeue, suspend, resume, preempt. The jobs are
 * those of the path and of the query, as a command takes ids and options.
 */
#include "armrestd/outcome.h"
#include "armrestd/routes.h"
#include "armrestd/selection.h"
#include "client/jobstate.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/listing.h"
#include "util/signals.h"

#include <errno.h>

/* Asks with the jobs of the exchange. filter: the member of the request that selects them. */
static int ask(struct exchange *x, const struct change *k, void *request,
	       Armada__JobFilter **filter, struct outcome *ret, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = selection_jobs(x, &f, err);
	*filter = &f.message;
	if (rc == 0)
		rc = outcome_ask(x, k, request, &f.message, ret, err);
	*filter = NULL;
	filter_done(&f);
	return rc;
}

/* What acancel --dry-run prints. */
static int list_cancelled(struct exchange *x, struct err *err)
{
	struct job_rows found;
	json_t *list = json_array();
	uint64_t count = 0;
	struct filter f;
	int rc;

	filter_init(&f);
	job_rows_init(&found);
	found.most = ROWS_MAX;
	rc = selection_jobs(x, &f, err);
	if (rc == 0)
		rc = job_rows_fetch(&found, x->c, &f, JOB_ROWS_ACTIVE, err);
	for (size_t i = 0; rc == 0 && i < found.count; i++) {
		const Armada__JobRow *row = found.list[i].row;

		if (job_state(row->state)->ended)
			continue;
		json_array_append_new(list, listing_row_json(&job_listing, &found.list[i]));
		count += row->count ? row->count : 1;
	}
	if (rc == 0) {
		outcome_count(x, "would_cancel", count);
		json_object_set(x->json, "jobs", list);
	}
	json_decref(list);
	job_rows_done(&found);
	filter_done(&f);
	return rc;
}

static int read_signal(const struct exchange *x, Armada__CancelRequest *q, struct err *err)
{
	const char *text = exchange_query(x, "signal");
	bool batch;
	int rc = exchange_flag(x, "batch", &batch, err);

	if (rc == 0 && text && (rc = signal_parse(text, &q->signal, err)) < 0)
		return err_prefix(err, -EINVAL, "signal");
	q->signal_script = batch;
	if (rc == 0 && batch && !text)
		return err_set(err, -EINVAL,
			       "batch needs signal; a job is always cancelled as a whole");
	return rc;
}

int jobs_cancel(struct exchange *x, struct err *err)
{
	Armada__CancelRequest q = ARMADA__CANCEL_REQUEST__INIT;
	struct outcome o;
	bool dry_run;
	int rc = exchange_flag(x, "dry_run", &dry_run, err);

	q.reason = exchange_text(x, "reason");
	if (rc == 0)
		rc = read_signal(x, &q, err);
	if (rc < 0)
		return rc;
	if (dry_run)
		return list_cancelled(x, err);
	rc = ask(x, &change_cancel, &q, &q.filter, &o, err);
	if (rc == 0 && q.signal && !o.signalled)
		rc = err_set(err, -EBADE, "no task could be signalled");
	if (rc < 0)
		return rc;
	if (q.signal) {
		outcome_count(x, "signalled", o.signalled);
		outcome_count(x, "not_running", o.not_running);
	} else {
		outcome_count(x, "cancelled", o.done);
		outcome_count(x, "ending", o.ending);
	}
	outcome_count(x, "already_ended", o.ended);
	outcome_rest(x, &o);
	return 0;
}

static int hold(struct exchange *x, bool release, struct err *err)
{
	Armada__HoldRequest q = ARMADA__HOLD_REQUEST__INIT;
	struct outcome o;
	int rc;

	q.release = release;
	rc = ask(x, &change_hold, &q, &q.filter, &o, err);
	if (rc < 0)
		return rc;
	outcome_count(x, release ? "released" : "held", o.done);
	outcome_rest(x, &o);
	return 0;
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
	struct outcome o;
	int rc;

	q.resume = resume;
	rc = ask(x, &change_suspend, &q, &q.filter, &o, err);
	if (rc < 0)
		return rc;
	outcome_count(x, resume ? "resumed" : "suspended", o.done);
	outcome_rest(x, &o);
	return 0;
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
	struct outcome o;
	bool also_hold;
	int rc = exchange_flag(x, "hold", &also_hold, err);

	q.hold = also_hold;
	if (rc == 0)
		rc = ask(x, &change_requeue, &q, &q.filter, &o, err);
	if (rc < 0)
		return rc;
	outcome_count(x, "requeued", o.done);
	outcome_count(x, "waiting", o.waiting);
	outcome_rest(x, &o);
	return 0;
}

int job_preempt(struct exchange *x, struct err *err)
{
	Armada__PreemptRequest q = ARMADA__PREEMPT_REQUEST__INIT;
	struct outcome o;
	bool also_hold, dry_run = false;
	int rc = exchange_flag(x, "hold", &also_hold, err);

	if (rc == 0)
		rc = exchange_flag(x, "dry_run", &dry_run, err);
	if (rc < 0)
		return rc;
	q.reason = exchange_text(x, "reason");
	q.hold = also_hold;
	q.dry_run = dry_run;
	rc = ask(x, &change_preempt, &q, &q.filter, &o, err);
	if (rc == 0 && !o.done)
		rc = err_set(err, -ENOENT, "no running job matches");
	if (rc < 0)
		return rc;
	outcome_count(x, dry_run ? "would_preempt" : "preempted", o.done);
	outcome_rest(x, &o);
	return 0;
}
