/*
 * Pages of a change (outcome.h). Input: a request. Output: the sums of its pages, or the sentence that the
 * command would print where nothing was done.
 */
#include "armrestd/outcome.h"

#include "cmd/listing/job_rows.h"
#include "cmd/listing/listing.h"
#include "util/mem.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>

enum { LOOKUPS_MAX = 100 };

static void add_problem(struct outcome *o, const char *sentence)
{
	if (o->problem_count < OUTCOME_PROBLEMS)
		o->problems[o->problem_count++] = sentence;
}

/*
 *	X(kind, Request, Reply, what only some replies have)
 */
/* clang-format off */
#define MISSING (o->refused += r->refused, add_missing(o, r->missing, r->n_missing))
#define KINDS(X) \
	X(cancel, CancelRequest, CancelReply, \
	  (o->matched += r->matched, o->done += r->cancelled, o->ending += r->ending, o->ended += r->already_ended, \
	   o->signalled += r->signalled, o->not_running += r->not_running, add_missing(o, r->missing, r->n_missing))) \
	X(hold, HoldRequest, HoldReply, o->done += r->changed) \
	X(suspend, SuspendRequest, SuspendReply, (o->done += r->changed, o->refused += r->refused)) \
	X(requeue, RequeueRequest, RequeueReply, (o->done += r->requeued, o->waiting += r->waiting, MISSING)) \
	X(update, UpdateJobRequest, UpdateJobReply, (o->done += r->changed, MISSING)) \
	X(preempt, PreemptRequest, PreemptReply, (o->done += r->preempted, MISSING))
/* clang-format on */

/* Only the first page has them. */
static void add_missing(struct outcome *o, Armada__JobRange *const *list, size_t count)
{
	if (count) {
		o->missing = list;
		o->missing_count = count;
	}
}

#define X(kind, Request, Reply, members)                                                           \
	static uint64_t *after_##kind(void *request)                                               \
	{                                                                                          \
		return &((Armada__##Request *)request)->after_id;                                  \
	}                                                                                          \
	static void add_##kind(const void *reply, struct outcome *o)                               \
	{                                                                                          \
		const Armada__##Reply *r = reply;                                                  \
                                                                                                   \
		for (size_t i = 0; i < r->n_problems; i++)                                         \
			add_problem(o, r->problems[i]);                                            \
		o->denied += r->denied;                                                            \
		o->next_after_id = r->next_after_id;                                               \
		members;                                                                           \
	}
KINDS(X)
#undef X

/* clang-format off */
const struct change
	change_cancel = {MSG_CANCEL, MSG_CANCEL_REPLY, after_cancel, add_cancel, NULL},
	change_hold = {MSG_HOLD, MSG_HOLD_REPLY, after_hold, add_hold, ""},
	change_suspend = {MSG_SUSPEND, MSG_SUSPEND_REPLY, after_suspend, add_suspend, ""},
	change_requeue = {MSG_REQUEUE, MSG_REQUEUE_REPLY, after_requeue, add_requeue, "; submit it again to run it again"},
	change_update = {MSG_UPDATE_JOB, MSG_UPDATE_JOB_REPLY, after_update, add_update, ""},
	change_preempt = {MSG_PREEMPT, MSG_PREEMPT_REPLY, after_preempt, add_preempt, ""};
/* clang-format on */

/* A job that is not in memory has ended, or never existed; *ret_why: the first sentence about one. */
static int look_up(struct exchange *x, const struct change *k, struct outcome *o,
		   const char **ret_why, struct err *err)
{
	for (size_t i = 0; i < o->missing_count && i < LOOKUPS_MAX; i++) {
		Armada__JobRange *m = o->missing[i];
		const char *sentence;
		uint64_t ended = 0;
		int rc = job_rows_in_history(x->c, m, &ended, err);

		if (rc < 0)
			return rc;
		if (!k->ended)
			o->ended += ended;
		/* an id of a range may be missing */
		if (m->first != m->last || (ended && !k->ended))
			continue;
		if (ended)
			sentence = arena_printf(x->arena, "job %" PRIu64 " has ended%s", m->first,
						k->ended);
		else
			sentence = arena_printf(x->arena, "there is no job %" PRIu64 "%s", m->first,
						m->has_elements ? " with these elements" : "");
		add_problem(o, sentence);
		*ret_why = *ret_why ? *ret_why : sentence;
	}
	return 0;
}

/* -ENOENT: no job in memory that the caller sees is selected. */
static int check_any(struct exchange *x, const Armada__JobFilter *f, struct err *err)
{
	Armada__ListJobsRequest q = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;
	int rc;

	q.filter = (Armada__JobFilter *)f;
	q.limit = 1;
	rc = exchange_ask(x, MSG_LIST_JOBS, &q, MSG_LIST_JOBS_REPLY, &r, err);
	if (rc == 0 && !r->n_rows)
		return err_set(err, -ENOENT, "there are no such jobs, or they have ended");
	return rc;
}

static int judge(const struct outcome *o, const char *absent, struct err *err)
{
	const char *why = o->problem_count ? o->problems[0] : NULL;

	if (o->denied && why)
		return err_set(err, -EPERM, "%s", why);
	if (o->denied)
		return err_set(err, -EPERM, "%" PRIu64 " of them belong%s to other users",
			       o->denied, plural(o->denied, "s", ""));
	if (o->refused)
		return err_set(err, -EBADE, "%s", why ? why : "the job cannot be changed now");
	return absent ? err_set(err, -ENOENT, "%s", absent) : 0;
}

static bool did_something(const struct outcome *o)
{
	return o->done || o->waiting || o->ending || o->ended || o->signalled;
}

int outcome_ask(struct exchange *x, const struct change *k, void *request,
		const Armada__JobFilter *f, struct outcome *ret, struct err *err)
{
	const char *absent = NULL;
	struct outcome o = {0};
	int rc;

	do {
		void *reply;

		rc = exchange_ask(x, k->request, request, k->reply, &reply, err);
		if (rc < 0)
			return rc;
		k->add(reply, &o);
		*k->after_id(request) = o.next_after_id;
	} while (o.next_after_id);
	rc = look_up(x, k, &o, &absent, err);
	if (rc == 0 && !did_something(&o)) {
		rc = judge(&o, absent, err);
		if (rc == 0)
			rc = check_any(x, f, err);
	}
	*ret = o;
	return rc;
}

void outcome_count(struct exchange *x, const char *name, uint64_t n)
{
	if (!x->json)
		x->json = listing_json_new();
	json_object_set_new(x->json, name, json_integer((json_int_t)n));
}

void outcome_rest(struct exchange *x, const struct outcome *o)
{
	outcome_count(x, "denied", o->denied);
	outcome_count(x, "refused", o->refused);
	json_object_set_new(x->json, "problems",
			    column_strings_json(o->problems, o->problem_count));
}
