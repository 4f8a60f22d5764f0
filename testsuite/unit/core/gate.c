/* The gate: tasks that start together run nothing before all of them are set up; and steps. */
#include "fixture.h"
#include "members.h"

#include "core/state/state.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define END(name) ARMADA__END_CAUSE__END_##name
#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/* A job of so many tasks, a node each. */
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
	ok(launched(&w, id, 0)->gated && launched(&w, id, 2)->gated, "tasks of a gang have a gate");
	world_ready(&w, 1, id, 0, 0, 1);
	world_ready(&w, 2, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "I7: two of three release nobody");
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "it is being started");
	world_ready(&w, 3, id, 0, 2, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 3, "the last releases all");
	world_ready(&w, 3, id, 0, 2, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "once");
	w.steady_us += 21000000;
	world_beat(&w, 3);
	is_int(world_orders(&w, ORDER_RELEASE), 1,
	       "and again while a node does not say it started");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1 + i, id, 0, i, 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "then it runs");
	w.steady_us += 21000000;
	world_beat(&w, 3);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "and nothing is said any more");
	alone = world_submit_plain(&w);
	world_decide(&w, alone, 0, "n1");
	ok(!launched(&w, alone, 0)->gated, "a task alone has no gate");
	world_done(&w);
}

/* A node cannot do its part: all of it goes back, and nothing of it has run. */
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
		is_int(world_orders(&w, ORDER_KILL), 2, "cause %d: the others are ended",
		       causes[i]);
		is_int(world_orders(&w, ORDER_RELEASE), 0, "and not released");
		world_failed(&w, 1, id, 0, 0, 1, END(GANG), "");
		world_failed(&w, 3, id, 0, 2, 1, END(GANG), "");
		ev = world_event(&w, ARMADA__EVENT__KIND_ELEMENT_REQUEUED);
		ok(ev != NULL, "and it waits again");
		if (!ev)
			continue;
		is_str(ev->element_requeued->reason,
		       "attempt 1: task 1 on node n2: the disk is full", "for a reason with names");
		is_int((long long)ev->element_requeued->n_avoid, i < 2, "which may blame a node");
		if (i < 2)
			is_str(ev->element_requeued->avoid[0], "n2", "the one that failed");
		world_decide(&w, id, 0, "n1 n3 n2");
		is_int(world_orders(&w, ORDER_LAUNCH), 3, "it starts again whole");
		world_done(&w);
	}
}

/* Where the job itself is at fault, it fails. */
static void test_job_fails(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_ALL);
	world_decide(&w, id, 0, "n1 n2");
	world_ready(&w, 1, id, 0, 0, 1);
	world_failed(&w, 2, id, 0, 1, 1, END(LAUNCH_FAILED), "cannot change to directory /x");
	is_int(world_orders(&w, ORDER_KILL), 1, "the other is ended");
	world_failed(&w, 1, id, 0, 0, 1, END(GANG), "");
	is_int(world_ended_as(&w, id, 0), JOB(FAILED),
	       "a directory that is not there fails the job");
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
	is_int(world_orders(&w, ORDER_KILL), 1, "an exec that fails does so behind the gate");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "and fails the job");
	world_done(&w);
}

/* A node falls silent while the others wait: nothing is presumed, and a cancel gets through. */
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
	is_int(world_state(&w, id, 0), JOB(UNKNOWN), "its node is silent");
	world_ready(&w, 1, id, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "who is ready waits for proof");
	world_node(&w, 4, "n2", 4, "boot2", 2);
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "the node is back");
	is_int(world_orders(&w, ORDER_RELEASE), 0, "and has yet to say that its task still waits");
	world_ready(&w, 4, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 2, "then both are released");
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
	is_int(world_orders(&w, ORDER_KILL), 1, "who waits is told to end");
	world_failed(&w, 1, id, 0, 0, 1, END(CANCELLED), "");
	is_int(world_state(&w, id, 0), JOB(COMPLETING), "the silent one must be proved dead yet");
	world_node(&w, 4, "n2", 4, "another boot", 2);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED), "as by its machine's restart");
	world_done(&w);
}

/* The controller is another: who is ready says so again, and a start tells that the gate was open. */
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
	is_int(world_orders(&w, ORDER_RELEASE), 0, "what was ready before has to say so again");
	world_ready(&w, 1, id, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 2, "and then both are released");
	world_started(&w, 1, id, 0, 0, 1);
	world_restart(&w);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	world_ready(&w, 2, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 1, "one has started: who comes late is released");
	world_started(&w, 2, id, 0, 1, 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "and it runs");
	world_done(&w);
}

static void test_jobs(void)
{
	struct test_world w;
	uint64_t a, b, c;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 3, .tasks = 2});
	b = member_submit(&w, (struct member){.cardinality = 3});
	c = member_submit(&w, (struct member){.cardinality = 3});
	world_decide(&w, a, 0, "n1 n2 n2 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 4, "a gang of jobs is ordered");
	ok(launched(&w, b, 0)->gated, "a job of one task has a gate too");
	is_str(variable(launched(&w, a, 0), "ARMADA_GANG_JOB_IDS"), "1,2,3",
	       "each knows the others");
	is_str(variable(launched(&w, c, 0), "ARMADA_GANG_JOB_IDS"), "1,2,3", "whoever was first");
	is_str(variable(launched(&w, c, 0), "ARMADA_GANG_RANK"), "2", "and which of them it is");
	is_str(variable(launched(&w, b, 0), "ARMADA_GANG_JOB_TASKS"), "2,1,1", "how many they are");
	is_str(variable(launched(&w, b, 0), "ARMADA_GANG_NODE_RANKS"), "n1,n2,n2,n1", "and where");
	world_ready(&w, 1, a, 0, 0, 1);
	world_ready(&w, 2, a, 0, 1, 1);
	world_ready(&w, 1, c, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "three of four release nobody");
	world_ready(&w, 2, b, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 4, "the last releases the tasks of all jobs");
	world_done(&w);

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 2});
	b = member_submit(&w, (struct member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n2");
	world_ready(&w, 1, a, 0, 0, 1);
	world_failed(&w, 2, b, 0, 0, 1, END(NODE), "no disk");
	is_int(world_orders(&w, ORDER_KILL), 1, "the other is ended before it was released");
	is_int(world_state(&w, b, 0), JOB(PENDING), "one whose node fails waits again");
	world_failed(&w, 1, a, 0, 0, 1, END(CANCELLED), "");
	is_int(world_state(&w, a, 0), JOB(PENDING), "and waits again with it");
	world_decide(&w, a, 0, "n1 n2");
	world_ready(&w, 1, a, 0, 0, 2);
	world_failed(&w, 2, b, 0, 0, 2, END(LAUNCH_FAILED), "no directory");
	is_int(world_ended_as(&w, b, 0), JOB(FAILED), "one that is itself at fault fails");
	is_int(world_orders(&w, ORDER_RELEASE), 1, "and the others go on without it, at once");
	world_done(&w);
}

/* --launch=first: one runs the program, and its end is the end of all. */
static void test_first(void)
{
	struct test_world w;
	uint64_t id;

	begin(&w);
	id = submit_tasks(&w, 3, ARMADA__LAUNCH__LAUNCH_FIRST);
	world_decide(&w, id, 0, "n1 n2 n3");
	ok(!launched(&w, id, 0)->standby && launched(&w, id, 1)->standby &&
		   launched(&w, id, 2)->standby,
	   "all but the first stand by");
	is_str(variable(launched(&w, id, 1), "ARMADA_LAUNCH"), "first", "and are told so");
	for (uint32_t i = 0; i < 3; i++)
		world_ready(&w, 1 + i, id, 0, i, 1);
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1 + i, id, 0, i, 1);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 2, "its end ends the others");
	world_ended(&w, 2, id, 0, 1, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "which is no failure");

	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_FIRST);
	world_decide(&w, id, 0, "n1 n2");
	world_started(&w, 1, id, 0, 0, 1);
	world_started(&w, 2, id, 0, 1, 1);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 7);
	world_ended(&w, 2, id, 0, 1, 1, END(SIGNALED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "its failure is the job's");

	id = submit_tasks(&w, 2, ARMADA__LAUNCH__LAUNCH_FIRST);
	world_decide(&w, id, 0, "n1 n2");
	world_started(&w, 1, id, 0, 0, 1);
	world_started(&w, 2, id, 0, 1, 1);
	world_ended(&w, 2, id, 0, 1, 1, END(OUT_OF_MEMORY), 0);
	is_int(world_orders(&w, ORDER_KILL), 1, "one that stands by and fails ends the job");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(OUT_OF_MEMORY), "as before");
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
	has_str(world_error(&w), "does not exist", "no such job");
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "waits", "nothing runs in a job that waits");
	world_decide(&w, id, 0, "n1 n2 n3");
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "is being started", "nor in one that is being started");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1 + i, id, 0, i, 1);
	records = w.record_count;
	step(&w, OTHER_USER, id, EVERY, 0);
	has_str(world_error(&w), "belongs to", "another's job");
	step(&w, ADMIN_USER, id, EVERY, 0);
	has_str(world_error(&w), "belongs to", "an administrator does not become its owner");
	step(&w, TEST_USER, id, 1, 3);
	has_str(world_error(&w), "has tasks 0 to 2", "no such task");
	step(&w, TEST_USER, id, 1, 2);
	is_int(world_orders(&w, ORDER_STEP), 2, "two tasks are ordered");
	r = world_reply(&w, MSG_STEP_REPLY);
	ok(r && r->ordered == 2 && r->tasks == 3 && r->attempt == 1, "and the answer says so");
	step(&w, TEST_USER, id, EVERY, 0);
	is_int(world_orders(&w, ORDER_STEP), 3, "no list means all");
	is_int((long long)w.record_count, (long long)records, "nothing of it is remembered");
	w.steady_us += 21000000;
	world_beat(&w, 1);
	is_int(world_orders(&w, ORDER_STEP), 0, "nor given again");
	world_closed(&w, 3);
	step(&w, TEST_USER, id, EVERY, 0);
	has_str(world_error(&w), "n3", "all of them, or none");
	is_int(world_orders(&w, ORDER_STEP), 0, "where a node is not there");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	step(&w, TEST_USER, id, 1, 1);
	has_str(world_error(&w), "is being ended", "no step begins when the job ends");
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
	       "the label that is uniform");
	is_str(variable(launched(&w, id, 1), "ARMADA_GANG_UNIFORMITY_VALUE"), "r7",
	       "and its value");
	is_str(variable(launched(&w, id, 0), "ARMADA_GANG_NODE_UNIFORMITY_LABEL_VALUE"), "r7",
	       "by its older name too");
	is_str(variable(launched(&w, id, 0), "ARMADA_LAUNCH"), "all",
	       "every task runs the program");
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
