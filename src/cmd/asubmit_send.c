#include "cmd/asubmit_send.h"

#include "client/jobstate.h"
#include "client/submit.h"
#include "cmd/array_ends.h"
#include "cmd/asubmit_hint.h"
#include "cmd/common/retry.h"
#include "util/hostlist.h"
#include "util/plural.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_id(const struct request *r, uint64_t id, const char *name)
{
	if (r->parsable)
		printf("%" PRIu64 "\n", id);
	else if (!r->quiet && name)
		printf("Submitted batch job %" PRIu64 " (%s)\n", id, name);
	else if (!r->quiet)
		printf("Submitted batch job %" PRIu64 "\n", id);
}

/* The reason of an array is that of one element, so the elements are counted. */
static void print_end(struct connection *c, uint64_t id, bool array, const char *reason)
{
	CLEANUP_BUF struct buf text = {0};

	if (array && array_ends_describe(c, id, &text))
		reason = (const char *)text.data;
	if (*reason)
		fprintf(stderr, "asubmit: job %" PRIu64 ": %s\n", id, reason);
}

/* Waits until the job ends. The wait continues for any time while the controller restarts. */
static int wait_for_end(const struct request *r, struct connection *c, uint64_t id, bool array,
			struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const struct retry for_ever = {&asubmit, INT64_MAX, r->quiet, NULL};
	Armada__WaitJobRequest request = ARMADA__WAIT_JOB_REQUEST__INIT;
	const Armada__WaitJobReply *w;
	int rc;

	request.job = id;
	rc = retry_ask(&for_ever, c, MSG_WAIT_JOB, &request, MSG_WAIT_JOB_REPLY, arena, -1, &w,
		       err);
	if (rc < 0)
		return rc;
	if (w->state != ARMADA__JOB_STATE__JOB_COMPLETED && !r->quiet)
		print_end(c, id, array, w->reason);
	return job_exit_code(w);
}

/* The line about the start of a job that was only tested. */
static void print_expected(const Armada__ExpectedStart *e)
{
	CLEANUP_BUF struct buf nodes = {0};
	char when[48];

	if (!e->now && !e->start_us) {
		fprintf(stderr, "asubmit: the start cannot be estimated: %s\n", e->why);
		return;
	}
	hostlist_compress((const char *const *)e->nodes, e->n_nodes, &nodes);
	if (e->now) {
		if (e->preempts)
			fprintf(stderr,
				"asubmit: could start now on %s, by preempting %" PRIu64 " job%s\n",
				(char *)nodes.data, e->preempts, plural(e->preempts, "", "s"));
		else
			fprintf(stderr, "asubmit: could start now on %s\n", (char *)nodes.data);
		return;
	}
	format_time(e->start_us, when, sizeof(when));
	fprintf(stderr, "asubmit: would start at %s on %s (estimate)\n", when, (char *)nodes.data);
	if (e->before)
		fprintf(stderr,
			"asubmit: the estimate does not count %" PRIu64
			" waiting job%s before it\n",
			e->before, plural(e->before, "", "s"));
	fprintf(stderr, "asubmit: until then it would wait: %s\n", e->why);
}

/* The controller counts the jobs of a request; the user knows the lines of the file. */
static int name_job(const struct joblist *l, int rc, struct err *err)
{
	size_t number;
	int len = 0;

	if (!l->several || sscanf(err->text, "job %zu: %n", &number, &len) != 1 || !len ||
	    !number || number > l->count)
		return rc;
	memmove(err->text, err->text + len, strlen(err->text + len) + 1);
	return joblist_at(l, l->order[number - 1], rc, err);
}

static void print_notes(const Armada__SubmitReply *reply)
{
	for (size_t i = 0; i < reply->n_notes; i++)
		fprintf(stderr, "asubmit: %s\n", reply->notes[i]);
	if (reply->expected)
		print_expected(reply->expected);
}

/* The id of each job, by its place in the list. */
static uint64_t *ids_of(const struct joblist *l, const Armada__SubmitReply *reply,
			struct arena *arena)
{
	uint64_t *ids = arena_zalloc(arena, l->count, sizeof(*ids));

	for (size_t i = 0; i < l->count; i++)
		ids[l->order[i]] = reply->ids[i];
	return ids;
}

static int wait_for_all(const struct request *r, struct connection *c, const struct joblist *l,
			const uint64_t *ids, struct err *err)
{
	int worst = 0;

	for (size_t i = 0; i < l->count; i++) {
		int rc = wait_for_end(r, c, ids[i], l->jobs[i].spec.job.n_array > 0, err);

		if (rc < 0)
			return rc;
		worst = rc > worst ? rc : worst;
	}
	return worst;
}

int asubmit_send(const struct request *r, struct connection *c, const struct joblist *l,
		 struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const struct retry retry = {&asubmit, r->retry_ms, r->quiet, r->submit_key};
	struct spec **specs = arena_alloc(arena, l->count * sizeof(*specs));
	const Armada__SubmitReply *reply;
	uint64_t *ids;
	int rc;

	for (size_t i = 0; i < l->count; i++)
		specs[i] = &l->jobs[l->order[i]].spec;
	rc = retry_submit(&retry, c, specs, l->count, r->test_only, arena, &reply, err);
	if (rc < 0)
		return name_job(l, rc, err);
	print_notes(reply);
	if (r->submit_key && reply->duplicate && !r->quiet)
		fprintf(stderr,
			"asubmit: the key '%s' was used before: job %" PRIu64
			" is that submission, and nothing new is submitted\n",
			r->submit_key, reply->ids[0]);
	if (r->test_only)
		return 0;
	ids = ids_of(l, reply, arena);
	for (size_t i = 0; i < l->count; i++)
		print_id(r, ids[i], l->several ? l->jobs[i].name : NULL);
	fflush(stdout);
	if (l->count == 1 && !r->quiet && !r->parsable && !r->no_hint)
		asubmit_hint(c, &l->jobs[0].spec);
	return r->wait ? wait_for_all(r, c, l, ids, err) : 0;
}
