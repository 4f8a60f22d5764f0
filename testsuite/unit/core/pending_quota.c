/*
 * Limits on submissions: the number of pending elements, and the rate of submitted jobs, for a queue, for
 * each user in a queue, and for each user in all queues. A job that moves to another queue counts there.
 */
#include "core/admission/running_quota.h"
#include "core/state/queue.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

/* Submits a job with this many elements; its id, or 0 if it is refused. */
static uint64_t submit(struct test_world *w, const char *queue, uint32_t elements)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *list[] = {&range};
	Armada__TaskGroup group;
	Armada__JobSpec spec;

	spec_init(&spec, &group);
	spec.queue = (char *)queue;
	range.last = elements - 1;
	if (elements > 1) {
		spec.array = list;
		spec.n_array = 1;
	}
	return world_submit(w, &spec);
}

/* Submits several jobs in one request; returns the exit code of the reply. */
static int submit_many(struct test_world *w, const char *queue, size_t jobs, bool test_only,
		       uint8_t key)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__TaskGroup group[8];
	Armada__JobSpec spec[8], *list[8];
	const Armada__ErrorReply *e;
	uint8_t bytes[16] = {key, 0xee};

	for (size_t i = 0; i < jobs; i++) {
		spec_init(&spec[i], &group[i]);
		spec[i].queue = (char *)queue;
		list[i] = &spec[i];
	}
	m.key.data = bytes;
	m.key.len = sizeof(bytes);
	m.jobs = list;
	m.n_jobs = jobs;
	m.test_only = test_only;
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	e = world_reply(w, MSG_ERROR);
	return e ? e->code : 0;
}

static Armada__QueueSpec limited[2];

/* Sets a limit of the queue "short": for all its jobs, or for the jobs of each user. */
static void limit(struct test_world *w, Armada__Limit ***list, size_t *n, enum quota_kind kind,
		  int64_t value)
{
	struct quota m;

	queue_quota_take(*list, *n, &m);
	quota_put(&m, kind, value);
	*list = queue_quota_give(&m, w->arena, n);
}

static void limit_all(struct test_world *w, enum quota_kind kind, int64_t value)
{
	limit(w, &limited[0].quota, &limited[0].n_quota, kind, value);
}

static void limit_each(struct test_world *w, enum quota_kind kind, int64_t value)
{
	limit(w, &limited[0].user_quota, &limited[0].n_user_quota, kind, value);
}

static void begin_limited(struct test_world *w)
{
	world_init(w);
	limited[0] = (Armada__QueueSpec){QUEUE_SPEC_BEGIN, .name = (char *)"short"};
	limited[1] = (Armada__QueueSpec){QUEUE_SPEC_BEGIN, .name = (char *)"long"};
	w->policy.queues = limited;
	w->policy.queue_count = 2;
}

static void test_waiting(void)
{
	struct test_world w;
	uint64_t id;

	begin_limited(&w);
	limit_all(&w, QUOTA_WAITING, 5);
	limit_each(&w, QUOTA_WAITING, 4);
	quota_put(&w.policy.user_quota, QUOTA_WAITING, 6);
	world_restart(&w);
	ok(submit(&w, "short", 3),
	   "three pending elements are accepted, the limit of the user in the queue is four");
	ok(!submit(&w, "short", 2), "two more elements are refused");
	is_str(world_error(&w),
	       "user ann in queue 'short': 3 elements wait; with 2 more the limit of 4 would be "
	       "exceeded (user_max_waiting)",
	       "the error gives the numbers and the limit of the user in the queue");
	id = submit(&w, "short", 1);
	ok(id, "one more element is accepted");
	ok(!submit(&w, "long", 3),
	   "elements beyond the limit of the user in all queues are refused");
	is_str(world_error(&w),
	       "user ann: 4 elements wait; with 3 more the limit of 6 would be exceeded "
	       "(user_limits.max_waiting)",
	       "the error names the limit of the user in all queues");
	world_cancel(&w, TEST_USER, id);
	ok(submit(&w, "short", 1), "after a pending element is cancelled another one is accepted");
	limited[0].n_user_quota = 0;
	world_restart(&w);
	ok(!submit(&w, "short", 2), "elements beyond the limit of the queue are refused");
	is_str(world_error(&w),
	       "queue 'short': 4 elements wait; with 2 more the limit of 5 would be exceeded "
	       "(max_waiting)",
	       "the error names the limit of the queue");
	limit_all(&w, QUOTA_WAITING, 0);
	world_restart(&w);
	ok(!submit(&w, "short", 1), "a limit of 0 refuses every element");
	ok(submit(&w, "long", 2), "a queue without a limit accepts elements");
	world_done(&w);
}

static void test_named_user(void)
{
	static const struct sched_user users[] = {
		{.name = "ann", .quota = {1u << QUOTA_WAITING, {[QUOTA_WAITING] = 2}}},
		{.name = "zoe", .quota = {1u << QUOTA_WAITING, {[QUOTA_WAITING] = 9}}},
	};
	struct test_world w;
	struct quota m;

	begin_limited(&w);
	quota_put(&w.policy.user_quota, QUOTA_WAITING, 1);
	quota_put(&w.policy.user_quota, QUOTA_GPU, 3);
	w.policy.users = users;
	w.policy.user_count = 2;
	running_quota_of_user(&w.policy, "zoe", &m);
	ok(quota_get(&m, QUOTA_WAITING) == 9 && quota_get(&m, QUOTA_GPU) == 3,
	   "the limits of a named user override the general ones, kind by kind");
	running_quota_of_user(&w.policy, "bob", &m);
	is_int(quota_get(&m, QUOTA_WAITING), 1, "a user without an entry has the general limits");
	world_restart(&w);
	ok(submit(&w, "long", 2), "a user with a limit of two may have two pending elements");
	ok(!submit(&w, "long", 1), "a third element is refused");
	has_str(world_error(&w), "the limit of 2 ", "the error gives the limit of that user");
	world_done(&w);
}

static void test_rate(void)
{
	struct test_world w;

	begin_limited(&w);
	limit_each(&w, QUOTA_SUBMIT_RATE, 3600);
	limit_each(&w, QUOTA_SUBMIT_BURST, 3);
	world_restart(&w);
	ok(submit(&w, "short", 100), "an array counts as one submitted job");
	is_int(submit_many(&w, "short", 2, true, 1), 0, "a test submission does not count");
	is_int(submit_many(&w, "short", 2, false, 2), 0, "a burst of two more is accepted");
	is_int(submit_many(&w, "short", 1, false, 3), 75,
	       "a job beyond the burst is refused with EX_TEMPFAIL");
	is_str(world_error(&w),
	       "user ann in queue 'short': 0 jobs may be submitted now, and the request has 1; at "
	       "most 1/s and 3 at once (user_submit_rate): try again in 1 s",
	       "the error gives the time to wait");
	is_int(submit_many(&w, "short", 2, false, 2), 0, "a repeated request does not count");
	is_int(submit_many(&w, "long", 2, false, 4), 0, "a queue without a rate accepts jobs");
	is_int(submit_many(&w, "short", 4, false, 5), 1,
	       "a request with more jobs than the burst is refused for good");
	has_str(world_error(&w), "the request has 4 jobs, and at most 3 may be submitted at once",
		"the error gives the largest request");
	world_tick(&w, 1000000);
	is_int(submit_many(&w, "short", 1, false, 6), 0, "after one second one job is accepted");
	is_int(submit_many(&w, "short", 1, false, 7), 75, "a further job is refused");
	world_tick(&w, 3600000000);
	is_int(submit_many(&w, "short", 3, false, 8), 0,
	       "after an hour the whole burst is available");
	is_int(submit_many(&w, "short", 1, false, 9), 75, "no more than the burst is available");
	limit_each(&w, QUOTA_SUBMIT_RATE, 0);
	world_restart(&w);
	is_int(submit_many(&w, "short", 1, false, 10), 1, "a rate of 0 refuses every job");
	has_str(world_error(&w), "no jobs may be submitted (user_submit_rate is 0)",
		"the error names the rate of 0");
	world_done(&w);
}

/* Moves a job to another queue; "" if it was moved, otherwise the problem. */
static const char *move(struct test_world *w, uint64_t id, const char *queue)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};
	Armada__UpdateJobRequest__Field fields[] = {
		ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_QUEUE};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	const Armada__UpdateJobReply *r;

	range.first = range.last = id;
	filter.ids = ids;
	filter.n_ids = 1;
	spec.queue = (char *)queue;
	m.filter = &filter;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1;
	world_send(w, TEST_USER, MSG_UPDATE_JOB, &m);
	r = world_reply(w, MSG_UPDATE_JOB_REPLY);
	return !r ? world_error(w) : r->n_problems ? r->problems[0] : "";
}

static void test_move(void)
{
	struct test_world w;
	uint64_t id, other;

	begin_limited(&w);
	limit_all(&w, QUOTA_WAITING, 3);
	limit_all(&w, QUOTA_SUBMIT_RATE, 3600);
	limit_all(&w, QUOTA_SUBMIT_BURST, 2);
	world_restart(&w);
	id = submit(&w, "long", 4);
	has_str(move(&w, id, "short"),
		"queue 'short': 0 elements wait; with 4 more the limit of 3 would be exceeded",
		"a move that exceeds the limit of the new queue is refused");
	is_str(move(&w, id, "long"), "", "a move of a job to its present queue is accepted");
	id = submit(&w, "long", 2);
	other = submit(&w, "long", 1);
	is_str(move(&w, id, "short"), "", "a job within the limits of the new queue is moved");
	ok(submit(&w, "short", 1), "a submission to the new queue is accepted");
	has_str(move(&w, other, "short"), "3 elements wait; with 1 more",
		"the moved job counts as pending in the new queue");
	world_cancel(&w, TEST_USER, id);
	has_str(move(&w, other, "short"), "try again in 1 s",
		"the moved job counts as submitted to the new queue");
	world_done(&w);
}

int main(void)
{
	test_waiting();
	test_named_user();
	test_rate();
	test_move();
	return done();
}
