/* actl hold, release, suspend, resume, requeue, requeuehold. */
#include "cmd/actl/job.h"

#include "client/known.h"
#include "cmd/actl/paged_request.h"
#include "cmd/actl/select.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>

/* Reports why nothing changed: no such job exists, or all are in the wanted state already. */
static int report_nothing_done(struct actl *a, const struct filter *f, const char *words,
			       struct err *err)
{
	Armada__ListJobsRequest q = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *reply;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.limit = 1;
	rc = connection_ask(a->c, MSG_LIST_JOBS, &q, MSG_LIST_JOBS_REPLY, a->arena, 0, &reply, err);
	if (rc < 0)
		return rc;
	if (!reply->n_rows)
		return err_set(err, -ENOENT, "there are no such jobs, or they have ended");
	printf("Nothing to do: none of them is %s\n", words);
	return 0;
}

static int hold_jobs(struct actl *a, const struct filter *f, struct err *err)
{
	const bool release = a->alternate;
	Armada__HoldRequest q = ARMADA__HOLD_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.release = release;
	rc = paged_request_ask(a->c, release ? &paged_release : &paged_hold, &q, &t, err);
	if (rc < 0)
		return rc;
	if (!t.done && !t.denied)
		return report_nothing_done(
			a, f, release ? "pending and held" : "pending and not held", err);
	if (t.done)
		printf("%s %" PRIu64 " job%s\n", release ? "Released" : "Held", t.done,
		       plural(t.done, "", "s"));
	return paged_request_end(&t, t.denied ? paged_request_denied(&t, err) : 0, err);
}

static int report_requeued(const struct tally *t, bool hold, struct err *err)
{
	if (t->done)
		printf("Requeued %s%" PRIu64 " running\n", hold ? "and held " : "", t->done);
	if (t->waiting && hold)
		printf("Held %" PRIu64 " that %s already pending\n", t->waiting,
		       plural(t->waiting, "was", "were"));
	else if (t->waiting)
		printf("%" PRIu64 " already pending\n", t->waiting);
	if (t->absent < 0)
		return t->absent;
	if (t->denied)
		return paged_request_denied(t, err);
	if (t->refused)
		return err_set(err, -EBADE, "%" PRIu64 " of them cannot be requeued", t->refused);
	return t->done || t->waiting ? 0 : err_set(err, -ENOENT, "there are no such jobs");
}

static int suspend_jobs(struct actl *a, const struct filter *f, struct err *err)
{
	const bool resume = a->alternate;
	Armada__SuspendRequest q = ARMADA__SUSPEND_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.resume = resume;
	rc = paged_request_ask(a->c, resume ? &paged_resume : &paged_suspend, &q, &t, err);
	if (rc < 0)
		return rc;
	if (t.done)
		printf("%s %" PRIu64 " running\n", resume ? "Resumed" : "Suspended", t.done);
	if (t.denied)
		return paged_request_denied(&t, err);
	if (t.refused)
		return err_set(err, -EBADE, "%" PRIu64 " of them cannot be suspended", t.refused);
	return t.done ? 0
		      : report_nothing_done(
				a, f, resume ? "suspended" : "running and not suspended", err);
}

static int requeue_jobs(struct actl *a, const struct filter *f, struct err *err)
{
	Armada__RequeueRequest q = ARMADA__REQUEUE_REQUEST__INIT;
	struct tally t;
	int rc;

	q.filter = (Armada__JobFilter *)&f->message;
	q.hold = a->alternate;
	rc = paged_request_ask(a->c, &paged_requeue, &q, &t, err);
	return rc < 0 ? rc : paged_request_end(&t, report_requeued(&t, q.hold, err), err);
}

/* Runs the verb with a filter made from the words. */
static int for_selected(struct actl *a,
			int (*run)(struct actl *a, const struct filter *f, struct err *err),
			struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = actl_select(&f, a->args, a->count, err);
	if (rc == 0)
		rc = known_check(a->c, &f, NULL, NULL, err);
	if (rc == 0)
		rc = run(a, &f, err);
	filter_done(&f);
	return rc;
}

int actl_hold(struct actl *a, struct err *err)
{
	return for_selected(a, hold_jobs, err);
}

int actl_suspend(struct actl *a, struct err *err)
{
	return for_selected(a, suspend_jobs, err);
}

int actl_requeue(struct actl *a, struct err *err)
{
	return for_selected(a, requeue_jobs, err);
}
