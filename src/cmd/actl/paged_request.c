/*
 * Requests about many jobs, which the controller answers in pages.
 *
 * Each kind of request is a row: its messages, and the functions that set the cursor and read a
 * reply. The pages are fetched one by one and added up; problems are printed as they arrive. The
 * first id that does not exist is looked up in the history, to report whether its job has ended or
 * never existed.
 */
#include "cmd/actl/paged_request.h"

#include "cmd/actl/progress.h"
#include "cmd/common/command.h"
#include "cmd/listing/job_rows.h"
#include "util/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/*
 *	X(kind, Request, Reply, members that only some replies have)
 */
/* clang-format off */
#define MISSING .refused = r->refused, .missing = r->missing, .n_missing = r->n_missing
#define READERS(X)                                                                                 \
	X(hold, HoldRequest, HoldReply, .done = r->changed)                                        \
	X(requeue, RequeueRequest, RequeueReply,                                                   \
	  .done = r->requeued, .waiting = r->waiting, MISSING)                                     \
	X(suspend, SuspendRequest, SuspendReply, .done = r->changed, .refused = r->refused)        \
	X(update, UpdateJobRequest, UpdateJobReply, .done = r->changed, MISSING)                   \
	X(preempt, PreemptRequest, PreemptReply, .done = r->preempted, MISSING)

#define X(kind, Request, Reply, ...)                                                               \
	static uint64_t *after_##kind(void *request)                                               \
	{                                                                                          \
		return &((Armada__##Request *)request)->after_id;                                  \
	}                                                                                          \
	static void read_##kind(const void *reply, struct page *ret)                               \
	{                                                                                          \
		const Armada__##Reply *r = reply;                                                  \
                                                                                                   \
		*ret = (struct page){.denied = r->denied, .problems = r->problems,                 \
				     .n_problems = r->n_problems,                                  \
				     .next_after_id = r->next_after_id, __VA_ARGS__};              \
	}
READERS(X)
#undef X

const struct paged_request
	paged_hold = {MSG_HOLD, MSG_HOLD_REPLY, "held", "", after_hold, read_hold},
	paged_release = {MSG_HOLD, MSG_HOLD_REPLY, "released", "", after_hold, read_hold},
	paged_requeue = {MSG_REQUEUE, MSG_REQUEUE_REPLY, "requeued", "; submit it again to run it again",
			 after_requeue, read_requeue},
	paged_suspend = {MSG_SUSPEND, MSG_SUSPEND_REPLY, "suspended", "", after_suspend, read_suspend},
	paged_resume = {MSG_SUSPEND, MSG_SUSPEND_REPLY, "resumed", "", after_suspend, read_suspend},
	paged_update = {MSG_UPDATE_JOB, MSG_UPDATE_JOB_REPLY, "updated", "", after_update, read_update},
	paged_preempt = {MSG_PREEMPT, MSG_PREEMPT_REPLY, "preempted", "", after_preempt, read_preempt};
/* clang-format on */

/* Reports the first missing id that is not part of a range: its job has ended, or never existed. */
static int report_missing(struct connection *c, const struct paged_request *kind,
			  const struct page *page, struct err *err)
{
	Armada__JobRange *one = NULL;
	uint64_t ended;
	int rc;

	for (size_t i = 0; !one && i < page->n_missing; i++)
		if (page->missing[i]->first == page->missing[i]->last)
			one = page->missing[i];
	if (!one)
		return 0;
	rc = job_rows_in_history(c, one, &ended, err);
	if (rc < 0)
		return rc;
	if (ended)
		return err_set(err, -ENOENT, "job %" PRIu64 " has ended%s", one->first,
			       kind->ended);
	return err_set(err, -ENOENT, "there is no job %" PRIu64, one->first);
}

static void add(struct tally *t, const struct page *page)
{
	problems_add(&t->problems, page->problems, page->n_problems);
	t->done += page->done;
	t->waiting += page->waiting;
	t->refused += page->refused;
	t->denied += page->denied;
}

int paged_request_ask(struct connection *c, const struct paged_request *kind, void *request,
		      struct tally *ret_tally, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct tally t = {.problems.before = "actl: error"};
	struct page page;
	struct progress p;

	progress_begin(&p, kind->doing);
	do {
		void *reply;
		int rc;

		arena_clear(arena);
		rc = connection_ask(c, kind->request, request, kind->reply, arena, 0, &reply, err);
		progress_clear(&p);
		if (rc < 0)
			return problems_end(&t.problems, 0, rc, err);
		kind->read(reply, &page);
		add(&t, &page);
		*kind->after_id(request) = page.next_after_id;
		if (t.absent == 0)
			t.absent = report_missing(c, kind, &page, err);
		progress_step(&p, t.done);
	} while (page.next_after_id);
	progress_clear(&p);
	*ret_tally = t;
	return 0;
}

int paged_request_denied(const struct tally *t, struct err *err)
{
	return err_set(err, -EPERM, "%" PRIu64 " of them belong%s to other users", t->denied,
		       plural(t->denied, "s", ""));
}

int paged_request_end(struct tally *t, int rc, struct err *err)
{
	return problems_end(&t->problems, t->absent ? 0 : t->denied + t->refused, rc, err);
}
