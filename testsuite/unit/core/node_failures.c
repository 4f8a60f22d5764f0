/*
 * Nodes on which jobs cannot be started: the node is drained after failures of several jobs, the
 * job avoids the node, and the number of requeues of the job is limited.
 */
#include "node_rig.h"

/* A node is drained after start failures of different jobs in a row, all caused by the node. */
static void test_drained_by_failures(void)
{
	struct test_world w;
	uint64_t jobs[4];

	node_run_one(&w);
	w.policy.drain_after = 3;
	w.policy.avoid_us = 300 * S;
	for (int i = 0; i < 4; i++)
		jobs[i] = world_submit_plain(&w);
	for (uint32_t n = 1; n <= 3; n++) {
		world_decide(&w, jobs[0], 0, "n1");
		world_failed(&w, 1, jobs[0], 0, 0, n, END(NODE), "no room on /tmp");
	}
	is_int(node_row(&w, "n1")->state, NODE(UP), "three failures of one job count once");
	world_decide(&w, jobs[1], 0, "n1");
	world_started(&w, 1, jobs[1], 0, 0, 1);
	world_decide(&w, jobs[2], 0, "n1");
	world_failed(&w, 1, jobs[2], 0, 0, 1, END(REFUSED), "no room on /tmp");
	world_decide(&w, jobs[3], 0, "n1");
	world_failed(&w, 1, jobs[3], 0, 0, 1, END(NODE), "no room on /tmp");
	is_int(node_row(&w, "n1")->state, NODE(UP),
	       "a successful start in between restarts the count");
	world_decide(&w, jobs[0], 0, "n1");
	world_failed(&w, 1, jobs[0], 0, 0, 4, END(NODE), "no room on /tmp");
	is_int(node_row(&w, "n1")->state, NODE(DRAINING),
	       "failures of three jobs in a row drain the node");
	has_str(node_row(&w, "n1")->reason,
		"3 jobs in a row could not be started here; the last: no room",
		"the reason names the last failure");
	is_str(node_row(&w, "n1")->reason_by, "armctld", "the author of the drain is armctld");
	world_done(&w);
}

/* A user that the node does not know cannot drain it with any number of jobs. */
static void test_strangers(void)
{
	struct test_world w;
	uint64_t jobs[5];

	node_run_one(&w);
	w.policy.drain_after = 3;
	for (int i = 0; i < 5; i++) {
		jobs[i] = world_submit_plain(&w);
		world_decide(&w, jobs[i], 0, "n1");
		world_failed(&w, 1, jobs[i], 0, 0, 1, END(ACCOUNT), "user ann is not known on n1");
	}
	is_int(world_state(&w, jobs[0], 0), JOB(PENDING), "a job of an unknown user is pending");
	is_int(node_row(&w, "n1")->state, NODE(UP),
	       "start failures of five jobs of one user count once");
	world_decide(&w, jobs[0], 0, "n1");
	world_failed(&w, 1, jobs[0], 0, 0, 2, END(NODE), "prolog");
	world_decide(&w, jobs[1], 0, "n1");
	world_failed(&w, 1, jobs[1], 0, 0, 2, END(NODE), "prolog");
	is_int(node_row(&w, "n1")->state, NODE(DRAINED),
	       "with two further jobs that fail because of the node, the node is drained");
	world_done(&w);
}

static void test_avoid(void)
{
	const Armada__Event *ev;
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	w.policy.avoid_us = 300 * S;
	job = world_submit_plain(&w);
	world_decide(&w, job, 0, "n1");
	world_failed(&w, 1, job, 0, 0, 1, END(NODE), "prolog");
	is_int(world_state(&w, job, 0), JOB(PENDING),
	       "a job that the node could not set up is pending");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_tick(&w, 200 * S);
	ok(!world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS), "the job avoids the node for a while");
	world_tick(&w, 101 * S);
	ev = world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS);
	ok(ev && ev->job_avoids->job == job && !ev->job_avoids->n_nodes,
	   "after that time the job avoids no node");
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 2);
	world_ended(&w, 1, job, 0, 0, 2, END(LOST), 0);
	world_tick(&w, 301 * S);
	ok(!world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS), "a lost node is not avoided");
	world_done(&w);
}

static void test_requeues(void)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	spec_init(&spec, &group);
	spec.max_requeues = 2;
	job = world_submit(&w, &spec);
	for (uint32_t n = 1; n <= 3; n++) {
		is_int(world_state(&w, job, 0), JOB(PENDING), "attempt %u: the job is pending", n);
		world_decide(&w, job, 0, "n1");
		world_failed(&w, 1, job, 0, 0, n, END(NODE), "prolog");
	}
	is_int(world_ended_as(&w, job, 0), JOB(NODE_FAIL), "after two requeues the job has failed");
	world_done(&w);
}

static void reload(struct test_world *w)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &w->policy};

	world_feed(w, &in);
}

static void test_required(void)
{
	static const char *labels[] = {"room=12"};
	static const struct conf_node required[] = {
		{.name = "n1", .cpu_milli = 4000, .labels = labels, .label_count = 1}};
	struct test_world w;

	node_run_one(&w);
	w.policy.nodes = required;
	w.policy.node_count = 1;
	reload(&w);
	is_int(node_row(&w, "n1")->state, NODE(UP),
	       "a node has the size that armada.conf declares");
	is_str(node_row(&w, "n1")->labels[0]->value, "12", "it has the labels of armada.conf");
	world_node(&w, 1, "n1", 3, "boot1", 1);
	is_int(node_row(&w, "n1")->state, NODE(DRAINED), "a node with less is drained");
	is_str(node_row(&w, "n1")->reason, "has 3 cpus, armada.conf requires 4",
	       "the reason has the figures");
	is_str(node_row(&w, "n1")->reason_by, "armada.conf",
	       "the author of the drain is armada.conf");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_int(node_row(&w, "n1")->state, NODE(UP), "with the declared size the node is up again");
	node_change(&w, "n1", ACTION(DRAIN), "mine");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_int(node_row(&w, "n1")->state, NODE(DRAINED), "the drain of an administrator stays");
	w.policy.closed = true;
	world_node(&w, 7, "n7", 4, "boot7", 7);
	has_str(world_error(&w), "agents.auto_register",
		"only declared nodes may register, if so configured");
	ok(!node_row(&w, "n7"), "a refused node is not known");
	world_done(&w);
}

/*
 * A preemption does not count as a failure, even if a reload has lowered the requeue limit below
 * the number of earlier requeues.
 */
static void test_limit_lowered(void)
{
	struct test_world w;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "b1", 1);
	job = world_submit_plain(&w);
	for (uint32_t attempt = 1; attempt <= 2; attempt++) {
		world_decide(&w, job, 0, "n1");
		world_started(&w, 1, job, 0, 0, attempt);
		world_ended(&w, 1, job, 0, 0, attempt, END(LOST), 0);
	}
	w.policy.max_requeues = 1;
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 3);
	world_preempt(&w, job, 0);
	world_ended(&w, 1, job, 0, 0, 3, END(PREEMPTED), 0);
	is_int(world_state(&w, job, 0), JOB(PENDING),
	       "a preempted job is pending although it is beyond the lowered limit");
	world_done(&w);
}

int main(void)
{
	test_drained_by_failures();
	test_strangers();
	test_avoid();
	test_requeues();
	test_required();
	test_limit_lowered();
	return done();
}
