#include "cmd/asubmit_send.h"

#include "client/jobstate.h"
#include "client/submit.h"
#include "cmd/common/retry.h"

#include <errno.h>
#include <inttypes.h>

static void print_id(const struct request *r, uint64_t id)
{
	if (r->parsable)
		printf("%" PRIu64 "\n", id);
	else if (!r->quiet)
		printf("Submitted batch job %" PRIu64 "\n", id);
	fflush(stdout);
}

/* Waits through restarts of the controller, however long they take. */
static int wait_for(const struct request *r, struct connection *c, uint64_t id, bool array,
		    struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct retry p;
	Armada__WaitJobRequest request = ARMADA__WAIT_JOB_REQUEST__INIT;
	Armada__WaitJobReply *w;
	void *reply;
	int rc;

	retry_init(&p, &asubmit, INT64_MAX, r->quiet);
	request.job = id;
	do {
		rc = connection_ask(c, MSG_WAIT_JOB, &request, MSG_WAIT_JOB_REPLY, arena, -1,
				    &reply, err);
	} while (rc == -EAGAIN && retry_again(&p, err));
	if (rc < 0)
		return rc;
	w = reply;
	/* the reason is one element's, and of an array not always that whose code is returned */
	if (w->state != ARMADA__JOB_STATE__JOB_COMPLETED && !r->quiet && w->reason[0])
		fprintf(stderr, "asubmit: job %" PRIu64 ": %s%s\n", id,
			array ? "not all elements succeeded; one: " : "", w->reason);
	return job_exit_code(w);
}

int asubmit_send(const struct request *r, struct connection *c, struct spec *s, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct retry p;
	const Armada__SubmitReply *reply;
	struct spec *const specs[] = {s};
	uint8_t key[SUBMIT_KEY_SIZE];
	int rc;

	retry_init(&p, &asubmit, steady_ms() + r->retry_ms, r->quiet);
	submit_key(key);
	do {
		rc = submit(c, specs, 1, key, r->test_only, arena, &reply, err);
	} while (rc == -EAGAIN && retry_again(&p, err));
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
