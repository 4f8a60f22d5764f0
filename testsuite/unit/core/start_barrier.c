/*
 * The start barrier: tasks that start together run nothing before all of them are set up. Then
 * steps, which run in the tasks of a running job.
 */
#include "fixture.h"
#include "gang_members.h"

#include "core/state/state.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define END(name) ARMADA__END_CAUSE__END_##name
#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/* Submits and leases a job of this many tasks, each on its own node. */
static uint64_t submit_tasks(struct test_world *w, uint32_t tasks, Armada__Launch launch)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	group.replicas = tasks;
	spec.nodes = tasks;
	spec.launch = launch;
	return world_submit(w, &spec);
}

static void begin(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
	world_node(w, 3, "n3", 4, "boot3", 3);
}

static const Armada__TaskBody *launched(const struct test_world *w, uint64_t job, uint32_t rank)
{
	static const Armada__TaskBody none = ARMADA__TASK_BODY__INIT;
	const Armada__TaskBody *b;
	struct err err;

	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind != EFFECT_ORDER || e->order.kind != ORDER_LAUNCH ||
		    e->order.key.job != job || e->order.key.rank != rank)
			continue;
		b = msg_unpack_as(&armada__task_body__descriptor, e->body, e->len, w->arena, &err);
		return b ? b : &none;
	}
	return &none;
}

static const char *variable(const Armada__TaskBody *b, const char *name)
{
	for (size_t i = 0; i < b->n_task_env; i++)
		if (strncmp(b->task_env[i], name, strlen(name)) == 0 &&
		    b->task_env[i][strlen(name)] == '=')
			return b->task_env[i] + strlen(name) + 1;
	return "(not set)";
}

static void test_all_ready(void)
{
	struct test_world w;
	uint64_t id, alone;

	begin(&w);
	id = submit_tasks(&w, 3, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2 n3");
	ok(launched(&w, id, 0)->gated && launched(&w, id, 2)->gated,
	   "the launch orders of a gang tell the nodes to wait for the release");
	is_str(world_reason(&w, id), "3 of 3 tasks wait for the answer of a node (first: n1)",
	       "the reason of a CONFIGURING job says how far its tasks are");
	world_ready(&w, 1, id, 0, 0, 1);
	world_ready(&w, 2, id, 0, 1, 1);
	is_str(world_reason(&w, id), "1 of 3 tasks waits for the answer of a node (n3)",
	       "it names the node that is not further");
	is_int(world_orders(&w, ORDER_RELEASE), 0,
	       "I7: while one of three tasks is not ready, no task is released");
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "the job is CONFIGURING");
	world_ready(&w, 3, id, 0, 2, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 3,
	       "when the last task is ready, all tasks are released");
	world_ready(&w, 3, id, 0, 2, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0,
	       "a repeated report that a task is ready releases no task");
	w.steady_us += 21000000;
	world_beat(&w, 3);
	is_int(world_orders(&w, ORDER_RELEASE), 1,
	       "the release is repeated to a node that has not reported the start");
	is_str(world_reason(&w, id), "3 of 3 tasks wait to be released (first: n1)",
	       "all tasks are ready");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1 + i, id, 0, i, 1);
	is_str(world_reason(&w, id), "", "a job that runs with all its tasks needs no reason");
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job is RUNNING when all have started");
	w.steady_us += 21000000;
	world_beat(&w, 3);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "the release is not repeated after the start");
	alone = world_submit_plain(&w);
	world_decide(&w, alone, 0, "n1");
	ok(!launched(&w, alone, 0)->gated,
	   "the launch order of a single task does not wait for a release");
	world_done(&w);
}

/* A node fails to set up its task: the whole gang is requeued, and none of its tasks has run. */
static void test_node_fails(void)
{
	static const Armada__EndCause causes[] = {END(NODE), END(REFUSED), END(LOST), END(LEASE)};

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		const Armada__Event *ev;
		struct test_world w;
		uint64_t id;

		begin(&w);
		w.policy.avoid_us = 60000000;
		id = submit_tasks(&w, 3, ARMADA__LAUNCH__LAUNCH_ALL);
		world_decide(&w, id, 0, "n1 n2 n3");
		world_ready(&w, 1, id, 0, 0, 1);
		world_ready(&w, 3, id, 0, 2, 1);
		world_failed(&w, 2, id, 0, 1, 1, causes[i], "the disk is full");
		is_int(world_orders(&w, ORDER_KILL), 2, "cause %d: the other tasks are killed",
		       causes[i]);
		is_int(world_orders(&w, ORDER_RELEASE), 0, "no task is released");
		world_failed(&w, 1, id, 0, 0, 1, END(GANG), "");
		world_failed(&w, 3, id, 0, 2, 1, END(GANG), "");
		ev = world_event(&w, ARMADA__EVENT__KIND_ELEMENT_REQUEUED);
		ok(ev != NULL, "the job is requeued");
		if (!ev)
			continue;
		is_str(ev->element_requeued->reason,
		       "task 1 on node n2: the disk is full",
		       "the reason names the task and the node");
		is_int((long long)ev->element_requeued->n_avoid, i < 2,
		       "the node is avoided if it is at fault");
		if (i < 2)
			is_str(ev->element_requeued->avoid[0], "n2",
			       "the avoided node is the one that failed");
		world_decide(&w, id, 0, "n1 n3 n2");
		is_int(world_orders(&w, ORDER_LAUNCH), 3, "all tasks start again");
		world_done(&w);
	}
}

/* A setup error that the job has caused fails the job. */
static void test_job_fails(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2");
	world_ready(&w, 1, id, 0, 0, 1);
	world_failed(&w, 2, id, 0, 1, 1, END(LAUNCH_FAILED), "cannot change to directory /x");
	is_int(world_orders(&w, ORDER_KILL), 1, "the other task is killed");
	world_failed(&w, 1, id, 0, 0, 1, END(GANG), "");
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "a missing directory fails the job");
	world_done(&w);
}

static void test_node_fails_later(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2");
	world_ready(&w, 1, id, 0, 0, 1);
	world_ready(&w, 2, id, 0, 1, 1);
	world_started(&w, 1, id, 0, 0, 1);
	world_failed(&w, 2, id, 0, 1, 1, END(LAUNCH_FAILED), "cannot run no-such-program");
	is_int(world_orders(&w, ORDER_KILL), 1,
	       "an exec that fails after the release kills the other task");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the job fails");
	world_done(&w);
}

/*
 * A node is lost while the task on another node waits for its release: the job is UNKNOWN, because
 * the task on the lost node may still run, and the job can be cancelled.
 */
static void test_silent(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2");
	world_ready(&w, 2, id, 0, 1, 1);
	world_closed(&w, 2);
	w.steady_us += 61000000;
	world_beat(&w, 1);
	world_tick(&w, 0);
	is_int(world_state(&w, id, 0), JOB(UNKNOWN), "the job on the lost node is UNKNOWN");
	world_ready(&w, 1, id, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "a ready task is not released");
	world_node(&w, 4, "n2", 4, "boot2", 2);
	is_int(world_state(&w, id, 0), JOB(CONFIGURING),
	       "the job is CONFIGURING when the node is back");
	is_int(world_orders(&w, ORDER_RELEASE), 0,
	       "the node has not reported yet that its task is ready");
	world_ready(&w, 4, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 2, "both tasks are released after that report");
	world_done(&w);

	begin(&w);
	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2");
	world_ready(&w, 1, id, 0, 0, 1);
	world_closed(&w, 2);
	w.steady_us += 61000000;
	world_beat(&w, 1);
	world_tick(&w, 0);
	world_cancel(&w, TEST_USER, id);
	is_int(world_orders(&w, ORDER_KILL), 1, "the waiting task is killed");
	world_failed(&w, 1, id, 0, 0, 1, END(CANCELLED), "");
	is_int(world_state(&w, id, 0), JOB(COMPLETING),
	       "the task on the lost node is not proved dead");
	world_node(&w, 4, "n2", 4, "another boot", 2);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED),
	       "the restart of the machine proves it dead");
	world_done(&w);
}

/*
 * A restarted controller: ready tasks report again, and a reported start proves that the barrier
 * was open.
 */
static void test_restart(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2");
	world_ready(&w, 1, id, 0, 0, 1);
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	world_ready(&w, 2, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0,
	       "a task that was ready before the restart must report again");
	world_ready(&w, 1, id, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 2, "both tasks are released after the reports");
	world_started(&w, 1, id, 0, 0, 1);
	world_restart(&w);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	world_ready(&w, 2, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 1,
	       "a report that one task has started releases the other");
	world_started(&w, 2, id, 0, 1, 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job is RUNNING");
	world_done(&w);
}

static void test_jobs(void)
{
	struct test_world w;
	uint64_t a, b, c;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .tasks = 2});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	world_decide(&w, a, 0, "n1 n2 n2 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 4, "a gang of jobs is launched");
	ok(launched(&w, b, 0)->gated,
	   "a member of a gang with a single task waits for its release too");
	is_str(variable(launched(&w, a, 0), "ARMADA_GANG_JOB_IDS"), "1,2,3",
	       "each task has the ids of all jobs of the gang");
	is_str(variable(launched(&w, c, 0), "ARMADA_GANG_JOB_IDS"), "1,2,3",
	       "the task of the last job has the ids too");
	is_str(variable(launched(&w, c, 0), "ARMADA_GANG_RANK"), "2",
	       "each task has the index of its job");
	is_str(variable(launched(&w, b, 0), "ARMADA_GANG_JOB_TASKS"), "2,1,1",
	       "each task has the task counts of the jobs");
	is_str(variable(launched(&w, b, 0), "ARMADA_GANG_NODE_RANKS"), "n1,n2,n2,n1",
	       "each task has the nodes of the jobs");
	world_ready(&w, 1, a, 0, 0, 1);
	world_ready(&w, 2, a, 0, 1, 1);
	world_ready(&w, 1, c, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0,
	       "while one of four tasks is not ready, no task is released");
	world_ready(&w, 2, b, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 4,
	       "the last ready task releases the tasks of all jobs");
	world_done(&w);

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n2");
	world_ready(&w, 1, a, 0, 0, 1);
	world_failed(&w, 2, b, 0, 0, 1, END(NODE), "no disk");
	is_int(world_orders(&w, ORDER_KILL), 1, "the other task is killed before its release");
	is_int(world_state(&w, b, 0), JOB(PENDING), "the job whose node failed is pending");
	world_failed(&w, 1, a, 0, 0, 1, END(CANCELLED), "");
	is_int(world_state(&w, a, 0), JOB(PENDING), "the other job is pending too");
	world_decide(&w, a, 0, "n1 n2");
	world_ready(&w, 1, a, 0, 0, 2);
	world_failed(&w, 2, b, 0, 0, 2, END(LAUNCH_FAILED), "no directory");
	is_int(world_ended_as(&w, b, 0), JOB(FAILED), "a job that is itself at fault fails");
	is_int(world_orders(&w, ORDER_RELEASE), 1, "the other job is released without it");
	world_done(&w);
}

/* With --launch=first only the first task runs the program. Its end ends the job. */
static void test_first(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 3, ARMADA__LAUNCH__LAUNCH_FIRST);
	world_decide(&w, id, 0, "n1 n2 n3");
	ok(!launched(&w, id, 0)->standby && launched(&w, id, 1)->standby &&
		   launched(&w, id, 2)->standby,
	   "all tasks except the first are standby tasks");
	is_str(variable(launched(&w, id, 1), "ARMADA_LAUNCH"), "first",
	       "a standby task has ARMADA_LAUNCH=first");
	for (uint32_t i = 0; i < 3; i++)
		world_ready(&w, 1 + i, id, 0, i, 1);
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1 + i, id, 0, i, 1);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 2, "the end of the first task ends the others");
	world_ended(&w, 2, id, 0, 1, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "the standby tasks count as succeeded");

	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_FIRST);
	world_decide(&w, id, 0, "n1 n2");
	world_started(&w, 1, id, 0, 0, 1);
	world_started(&w, 2, id, 0, 1, 1);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 7);
	world_ended(&w, 2, id, 0, 1, 1, END(SIGNALED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "a failure of the first task fails the job");

	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_FIRST);
	world_decide(&w, id, 0, "n1 n2");
	world_started(&w, 1, id, 0, 0, 1);
	world_started(&w, 2, id, 0, 1, 1);
	world_ended(&w, 2, id, 0, 1, 1, END(OUT_OF_MEMORY), 0);
	is_int(world_orders(&w, ORDER_KILL), 1, "a failing standby task ends the job");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(OUT_OF_MEMORY),
	       "the job has the result of the standby task");
	world_done(&w);
}

static void step(struct test_world *w, uint32_t uid, uint64_t job, uint32_t first, uint32_t last)
{
	static uint8_t payload[] = "run this";
	Armada__StepRequest m = ARMADA__STEP_REQUEST__INIT;
	Armada__IndexRange r = ARMADA__INDEX_RANGE__INIT, *ranks[] = {&r};

	m.job = job;
	m.payload.data = payload;
	m.payload.len = sizeof(payload);
	r.first = first;
	r.last = last;
	m.ranks = ranks;
	m.n_ranks = first == UINT32_MAX ? 0 : 1;
	world_send(w, uid, MSG_STEP, &m);
}

enum { EVERY = UINT32_MAX };

static void test_step(void)
{
	const Armada__StepReply *r;
	struct test_world w;
	size_t records;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 3, ARMADA__LAUNCH__LAUNCH_FIRST);
	step(&w, TEST_USER, id + 1, EVERY, 0);
	has_str(world_error(&w), "does not exist", "a step in an unknown job is refused");
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "waits", "a step in a pending job is refused");
	world_decide(&w, id, 0, "n1 n2 n3");
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "is being started",
		"a step in a job that is being started is refused");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1 + i, id, 0, i, 1);
	records = w.record_count + 1; /* StepsNumbered, for many steps */
	step(&w, OTHER_USER, id, EVERY, 0);
	has_str(world_error(&w), "belongs to", "a step in the job of another user is refused");
	step(&w, ADMIN_USER, id, EVERY, 0);
	has_str(world_error(&w), "belongs to", "an administrator cannot run a step in it either");
	step(&w, TEST_USER, id, 1, 3);
	has_str(world_error(&w), "has tasks 0 to 2", "a step in an unknown task is refused");
	step(&w, TEST_USER, id, 1, 2);
	is_int(world_orders(&w, ORDER_STEP), 2, "two tasks get a step order");
	r = world_reply(&w, MSG_STEP_REPLY);
	ok(r && r->ordered == 2 && r->tasks == 3 && r->attempt == 1, "the reply has the counts");
	step(&w, TEST_USER, id, EVERY, 0);
	is_int(world_orders(&w, ORDER_STEP), 3, "a request without ranks is for all tasks");
	is_int((long long)w.record_count, (long long)records, "a step writes no record");
	w.busy = 3;
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "n3 of task 2",
		"a step is refused for a node with many unsent orders");
	step(&w, TEST_USER, id, 0, 1);
	is_int(world_orders(&w, ORDER_STEP), 2, "... and not for other nodes");
	w.busy = 0;
	w.steady_us += 21000000;
	world_beat(&w, 1);
	is_int(world_orders(&w, ORDER_STEP), 0, "a step order is not repeated");
	world_closed(&w, 3);
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "n3", "a step is refused if a node is not connected");
	is_int(world_orders(&w, ORDER_STEP), 0, "no task gets an order then");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	step(&w, TEST_USER, id, 1, 1);
	has_str(world_error(&w), "is being ended", "a step in an ending job is refused");
	world_done(&w);
}

static void test_uniformity(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	world_init(&w);
	world_node_labelled(&w, 1, "n1", "rack", "r7");
	world_node_labelled(&w, 2, "n2", "rack", "r7");
	spec_init(&spec, &group);
	group.replicas = 2;
	spec.nodes = 2;
	spec.uniformity = (char *)"rack";
	id = world_submit(&w, &spec);
	world_decide(&w, id, 0, "n1 n2");
	is_str(variable(launched(&w, id, 1), "ARMADA_GANG_UNIFORMITY_LABEL"), "rack",
	       "the task has the uniformity label");
	is_str(variable(launched(&w, id, 1), "ARMADA_GANG_UNIFORMITY_VALUE"), "r7",
	       "the task has its value");
	is_str(variable(launched(&w, id, 0), "ARMADA_GANG_NODE_UNIFORMITY_LABEL_VALUE"), "r7",
	       "the task has the value by its older name");
	is_str(variable(launched(&w, id, 0), "ARMADA_LAUNCH"), "all",
	       "the task has ARMADA_LAUNCH=all");
	world_done(&w);
}

int main(void)
{
	test_all_ready();
	test_node_fails();
	test_job_fails();
	test_node_fails_later();
	test_silent();
	test_restart();
	test_jobs();
	test_first();
	test_step();
	test_uniformity();
	return done();
}
