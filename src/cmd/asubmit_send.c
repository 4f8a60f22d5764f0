#include "cmd/asubmit.h"

#include "client/submit.h"

#include <errno.h>
#include <inttypes.h>

enum { PAUSE_FIRST_MS = 100, PAUSE_MAX_MS = 3000 };

/* How long we have been trying, and what is left. */
struct patience {
	int64_t until_ms, pause_ms;
	bool said;
};

static int64_t min_ms(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* True when it is worth another try, after a pause. The first time it says so. */
static bool again(struct patience *p, const struct request *r, const struct err *why)
{
	int64_t left_ms = p->until_ms - steady_ms();

	if (left_ms <= 0)
		return false;
	if (!p->said && !r->quiet && p->until_ms == INT64_MAX)
		command_warn(&asubmit, "%s; trying again", why->text);
	else if (!p->said && !r->quiet)
		command_warn(&asubmit, "%s; trying again for %" PRId64 " s", why->text,
			     left_ms / 1000);
	p->said = true;
	sleep_ms(min_ms(p->pause_ms, left_ms));
	p->pause_ms = min_ms(p->pause_ms * 2, PAUSE_MAX_MS);
	return true;
}

static void print_id(const struct request *r, uint64_t id)
{
	if (r->parsable)
		printf("%" PRIu64 "\n", id);
	else if (!r->quiet)
		printf("Submitted batch job %" PRIu64 "\n", id);
	fflush(stdout);
}

/* The job's own exit code: 128+n for a signal, 1 for an end that is neither. */
static int exit_code_of_job(const Armada__WaitJobReply *w)
{
	int of_signal = w->exit_signal ? 128 + w->exit_signal : 0;
	int highest = w->exit_code > of_signal ? w->exit_code : of_signal;

	if (highest)
		return highest;
	return w->state == ARMADA__JOB_STATE__JOB_COMPLETED ? 0 : 1;
}

/* Waits through restarts of the controller, however long they take. */
static int wait_for(const struct request *r, struct connection *c, uint64_t id, bool array,
		    struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct patience p = {.until_ms = INT64_MAX, .pause_ms = PAUSE_FIRST_MS};
	Armada__WaitJobRequest request = ARMADA__WAIT_JOB_REQUEST__INIT;
	Armada__WaitJobReply *w;
	void *reply;
	int rc;

	request.job = id;
	do {
		rc = connection_ask(c, MSG_WAIT_JOB, &request, MSG_WAIT_JOB_REPLY, arena, -1,
				    &reply, err);
	} while (rc == -EAGAIN && again(&p, r, err));
	if (rc < 0)
		return rc;
	w = reply;
	/* the reason is one element's, and of an array not always that whose code is returned */
	if (w->state != ARMADA__JOB_STATE__JOB_COMPLETED && !r->quiet && w->reason[0])
		fprintf(stderr, "asubmit: job %" PRIu64 ": %s%s\n", id,
			array ? "not all elements succeeded; one: " : "", w->reason);
	return exit_code_of_job(w);
}

int asubmit_send(const struct request *r, struct connection *c, struct spec *s, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct patience p = {.until_ms = steady_ms() + r->retry_ms, .pause_ms = PAUSE_FIRST_MS};
	const Armada__SubmitReply *reply;
	struct spec *const specs[] = {s};
	uint8_t key[SUBMIT_KEY_SIZE];
	int rc;

	submit_key(key);
	do {
		rc = submit(c, specs, 1, key, r->test_only, arena, &reply, err);
	} while (rc == -EAGAIN && again(&p, r, err));
	if (rc == -EAGAIN && p.said)
		return err_prefix(err, rc, "gave up after %" PRId64 " s", r->retry_ms / 1000);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < reply->n_notes; i++)
		fprintf(stderr, "asubmit: %s\n", reply->notes[i]);
	if (r->test_only)
		return 0;
	if (reply->n_ids != 1)
		return err_set(err, -EBADE, "the controller answered with %zu ids for one job",
			       reply->n_ids);
	print_id(r, reply->ids[0]);
	return r->wait ? wait_for(r, c, reply->ids[0], s->job.n_array > 0, err) : 0;
}
