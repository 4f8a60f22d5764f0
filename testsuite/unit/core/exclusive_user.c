/*
 * Jobs that share their nodes only with jobs of their user (--exclusive=user): the core checks each
 * decision, also of two users at once.
 */
#include "fixture.h"
#include "tap/tap.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

/* Submits a job of one cpu. keeps: no job of another user may be on its node. */
static uint64_t submit(struct test_world *w, uint32_t uid, bool keeps)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	const Armada__SubmitReply *r;
	Armada__JobSpec spec, *jobs[] = {&spec};
	Armada__TaskGroup group, *groups[] = {&group};

	spec_init(&spec, &group);
	spec.groups = groups;
	spec.n_groups = 1;
	spec.exclusive_user = keeps;
	m.jobs = jobs;
	m.n_jobs = 1;
	world_send(w, uid, MSG_SUBMIT, &m);
	r = world_reply(w, MSG_SUBMIT_REPLY);
	return r && r->n_ids ? r->ids[0] : 0;
}

/* Does the decision to start the job on n1 count? */
static bool starts(struct test_world *w, uint64_t job)
{
	world_decide(w, job, 0, "n1");
	return world_state(w, job, 0) == JOB(CONFIGURING);
}

static void end(struct test_world *w, uint64_t job)
{
	world_ended(w, 1, job, 0, 0, 1, END(EXITED), 0);
}

static void test_decisions(void)
{
	struct test_world w;
	uint64_t own, keeps, own_keeps, other, other_keeps;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	own = submit(&w, TEST_USER, false);
	own_keeps = submit(&w, TEST_USER, true);
	keeps = submit(&w, TEST_USER, true);
	other = submit(&w, OTHER_USER, false);
	other_keeps = submit(&w, OTHER_USER, true);
	ok(starts(&w, other), "a job starts");
	ok(!starts(&w, keeps),
	   "one that keeps its node does not start beside a job of another user");
	end(&w, other);
	ok(starts(&w, own) && starts(&w, keeps), "it starts beside one of its user");
	ok(starts(&w, own_keeps), "so does another one");
	other = submit(&w, OTHER_USER, false);
	ok(!starts(&w, other) && !starts(&w, other_keeps), "no job of another user joins them");
	end(&w, keeps);
	ok(!starts(&w, other), "not even when one has ended");
	end(&w, own_keeps);
	ok(!starts(&w, other_keeps), "one that keeps its node must wait for all jobs of others");
	ok(starts(&w, other), "another one must wait only for those that keep the node");
	world_done(&w);
}

static void test_pending(void)
{
	struct test_world w;
	uint64_t first, keeps, own, other;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	first = submit(&w, OTHER_USER, false);
	keeps = submit(&w, TEST_USER, true);
	own = submit(&w, TEST_USER, false);
	other = submit(&w, OTHER_USER, false);
	world_decide(&w, first, 0, "n1");
	world_started(&w, 1, first, 0, 0, 1);
	world_preempt(&w, first, 0);
	world_decide(&w, keeps, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 0,
	       "a node is leased while a preempted task of another user ends");
	is_int(world_state(&w, keeps, 0), JOB(CONFIGURING), "the lease is pending");
	ok(!starts(&w, other), "from now on the node is closed to other users");
	world_decide(&w, own, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "a job of its own user may start there at once");
	world_restart(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	ok(!starts(&w, other), "a restarted controller knows it");
	world_ended(&w, 1, first, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "the job starts when the preempted task has ended");
	world_done(&w);
}

int main(void)
{
	test_decisions();
	test_pending();
	return done();
}
