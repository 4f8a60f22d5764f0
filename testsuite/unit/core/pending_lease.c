/*
 * Pending leases: a job is assigned room that other jobs still use. Its launch orders are sent when
 * these jobs have ended. The tests cover how a pending lease is made, kept over a restart, and
 * withdrawn.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

static uint64_t submit(struct test_world *w, int cpus, uint32_t nodes, bool exclusive)
{
	Armada__Resource cpu, *list[1];
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec_cpus(&group, cpus, &cpu, list);
	group.replicas = nodes;
	spec.nodes = nodes > 1 ? nodes : 0;
	spec.exclusive = exclusive;
	return world_submit(w, &spec);
}

/* Starts a job of this many cpus on the node. */
static uint64_t run_on(struct test_world *w, uint64_t conn, const char *node, int cpus)
{
	uint64_t id = submit(w, cpus, 1, false);

	world_decide(w, id, 0, node);
	world_started(w, conn, id, 0, 0, 1);
	return id;
}

static void heartbeat(struct test_world *w, uint64_t conn)
{
	Armada__Heartbeat m = ARMADA__HEARTBEAT__INIT;
	uint8_t stamp[16] = {1};

	m.number = 1;
	m.stamp = (ProtobufCBinaryData){sizeof(stamp), stamp};
	world_agent(w, conn, MSG_HEARTBEAT, &m);
}

static int64_t cpus_shown(struct test_world *w)
{
	Armada__ListNodesRequest m = ARMADA__LIST_NODES_REQUEST__INIT;
	const Armada__ListNodesReply *r;

	world_send(w, TEST_USER, MSG_LIST_NODES, &m);
	r = world_reply(w, MSG_LIST_NODES_REPLY);
	return r->nodes[0]->allocated[0]->amount / 1000;
}

static void test_kept(void)
{
	struct test_world w;
	uint64_t a, b, c;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 4);
	b = submit(&w, 3, 1, false);
	c = submit(&w, 2, 1, false);
	world_decide(&w, b, 0, "n1");
	is_int(world_state(&w, b, 0), JOB(PENDING),
	       "there is no pending lease on room that no job gives up");
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING),
	       "there is one on the room of a preempted job");
	world_decide(&w, c, 0, "n1");
	is_int(world_state(&w, c, 0), JOB(PENDING), "another job gets no lease on the same room");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "no launch order is sent");
	is_str(world_reason(&w, b), "waits for room: 1 task is being ended for it",
	       "the reason names the task that is being ended");
	is_int(cpus_shown(&w), 4, "the node shows the running tasks only");
	w.steady_us += 50000000;
	heartbeat(&w, 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a heartbeat sends no launch order");
	is_int(world_orders(&w, ORDER_KILL), 1, "it repeats the kill order");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "when the preempted task has ended, the launch order is sent, in the same record");
	has_str(world_reason(&w, a), "more urgent", "the preempted job keeps the reason");
	is_int(world_state(&w, a, 0), JOB(PENDING), "it is pending");
	world_started(&w, 1, b, 0, 0, 1);
	is_int(world_state(&w, b, 0), JOB(RUNNING), "the job with the pending lease is RUNNING");
	world_done(&w);
}

static void test_free_room(void)
{
	struct test_world w;
	uint64_t a, b;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 2);
	b = submit(&w, 2, 1, false);
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "free room needs no pending lease");
	world_done(&w);
}

static void test_gang(void)
{
	struct test_world w;
	uint64_t a, b, gang;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	a = run_on(&w, 1, "n1", 3);
	b = run_on(&w, 2, "n2", 3);
	gang = submit(&w, 2, 2, false);
	world_preempt(&w, a, 0);
	world_preempt(&w, b, 0);
	world_decide(&w, gang, 0, "n1 n2");
	has_str(world_reason(&w, gang), "2 tasks are being ended",
		"a gang waits for both of its nodes");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "I7: with half of the room no task is started");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "with all of the room all tasks start");
	world_done(&w);
}

static void test_victim_gang(void)
{
	struct test_world w;
	uint64_t gang, b;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	gang = submit(&w, 4, 2, false);
	world_decide(&w, gang, 0, "n1 n2");
	b = submit(&w, 4, 1, false);
	world_preempt(&w, gang, 0);
	is_int(world_orders(&w, ORDER_KILL), 2,
	       "a gang is preempted as a whole, also while it is being started");
	world_decide(&w, b, 0, "n1");
	world_ended(&w, 1, gang, 0, 0, 1, END(REFUSED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "the room of a member is free when the member has ended");
	world_ended(&w, 2, gang, 0, 1, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, gang, 0), JOB(PENDING), "the gang is pending");
	world_done(&w);
}

static void test_order(void)
{
	struct test_world w;
	uint64_t a, b, first, second;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 2);
	b = run_on(&w, 1, "n1", 2);
	first = submit(&w, 3, 1, false);
	second = submit(&w, 1, 1, false);
	world_preempt(&w, a, 0);
	world_preempt(&w, b, 0);
	world_decide(&w, first, 0, "n1");
	world_decide(&w, second, 0, "n1");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0,
	       "a later pending lease does not take the room of an earlier one");
	world_ended(&w, 1, b, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "both start when the last task has ended");
	world_done(&w);
}

static uint64_t submit_tasks(struct test_world *w, int cpus, uint32_t tasks)
{
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *list[] = {&cpu};
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = cpus * 1000;
	group.resources = list;
	group.n_resources = 1;
	group.replicas = tasks;
	return world_submit(w, &spec);
}

/* Two ranks on one node that are not adjacent need room for both. */
static void test_scattered(void)
{
	struct test_world w;
	uint64_t a, b, job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	a = run_on(&w, 1, "n1", 1);
	b = run_on(&w, 2, "n2", 4);
	job = submit_tasks(&w, 2, 3);
	world_preempt(&w, a, 0);
	world_preempt(&w, b, 0);
	world_decide(&w, job, 0, "n2 n1 n2");
	is_int(world_state(&w, job, 0), JOB(CONFIGURING), "two of three ranks are on one node");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "they wait for the room of both");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "they start when both have room");
	world_done(&w);

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	b = run_on(&w, 2, "n2", 4);
	job = submit_tasks(&w, 2, 3);
	world_decide(&w, job, 0, "n1 n2 n1");
	is_int(world_state(&w, job, 0), JOB(PENDING),
	       "there is no pending lease on room that stays in use");
	world_preempt(&w, b, 0);
	world_decide(&w, job, 0, "n1 n2 n1");
	is_int(world_state(&w, job, 0), JOB(CONFIGURING),
	       "there is one on the room of a job that yields");
	world_node(&w, 3, "n1", 3, "boot1", 1);
	is_int(world_state(&w, job, 0), JOB(PENDING),
	       "a node with room for one of two ranks withdraws the pending lease");
	world_done(&w);
}

static void test_exclusive(void)
{
	struct test_world w;
	uint64_t a, b;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 1);
	b = submit(&w, 1, 1, true);
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 0,
	       "an exclusive node is leased while other tasks end");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "the job starts when they have ended");
	world_done(&w);
}

/* A preempted job uses all four cpus of n1, and the pending lease is for all of them. */
static void make_pending(struct test_world *w, uint64_t *ret_victim, uint64_t *ret_pending)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	*ret_victim = run_on(w, 1, "n1", 4);
	*ret_pending = submit(w, 4, 1, false);
	world_preempt(w, *ret_victim, 0);
	world_decide(w, *ret_pending, 0, "n1");
}

static void test_withdrawn(void)
{
	struct test_world w;
	uint64_t a, b;

	make_pending(&w, &a, &b);
	world_drain(&w, "n1", "a bad fan");
	is_int(world_state(&w, b, 0), JOB(PENDING), "a drain withdraws the pending lease");
	has_str(world_reason(&w, b), "a bad fan", "the reason says why");
	world_done(&w);

	make_pending(&w, &a, &b);
	world_closed(&w, 1);
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "a broken connection withdraws nothing");
	world_tick(&w, 61000000);
	is_int(world_state(&w, b, 0), JOB(PENDING),
	       "a lost node withdraws the pending lease, without proof of death");
	is_int(world_state(&w, a, 0), JOB(UNKNOWN), "the running job on it is UNKNOWN");
	world_done(&w);

	make_pending(&w, &a, &b);
	world_preempt(&w, b, 0);
	is_int(world_state(&w, b, 0), JOB(PENDING),
	       "a preempted pending lease is withdrawn at once");
	is_int(world_orders(&w, ORDER_KILL), 0, "no kill order is sent");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "no launch order is sent later");
	world_decide(&w, b, 0, "n1");
	world_started(&w, 1, b, 0, 0, 2);
	is_int(world_state(&w, b, 0), JOB(RUNNING), "the attempt number is not used again");
	world_done(&w);

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 2);
	b = submit(&w, 4, 1, false);
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	world_node(&w, 2, "n1", 3, "boot1", 1);
	is_int(world_state(&w, b, 0), JOB(PENDING),
	       "a node that becomes too small withdraws the pending lease");
	world_done(&w);
}

static void test_held(void)
{
	struct test_world w;
	uint64_t a, b;

	make_pending(&w, &a, &b);
	world_hold(&w, b, false);
	is_str(world_reason(&w, b), "held, until actl release",
	       "a job with a pending lease can be held");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a held job does not start");
	world_hold(&w, b, true);
	world_decide(&w, b, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "it starts when it is released");
	world_done(&w);
}

static void test_cancelled(void)
{
	struct test_world w;
	uint64_t a, b, c;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 2);
	run_on(&w, 1, "n1", 2);
	b = submit(&w, 2, 1, false);
	c = submit(&w, 2, 1, true);
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	world_decide(&w, c, 0, "n1");
	is_int(world_state(&w, c, 0), JOB(PENDING),
	       "an exclusive node is not leased while other tasks stay");
	world_cancel(&w, TEST_USER, b);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED),
	       "a job with a pending lease is cancelled at once");
	is_int(world_state(&w, b, 0), 0, "it has left the state");
	world_done(&w);

	make_pending(&w, &a, &b);
	world_cancel(&w, TEST_USER, a);
	is_int(world_state(&w, a, 0), JOB(COMPLETING),
	       "a job that is being preempted can be cancelled");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the pending lease is kept");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "its job starts");
	is_int(world_ended_as(&w, a, 0), JOB(CANCELLED), "the other job is not requeued");
	world_done(&w);
}

/* Jobs behind a withdrawn pending lease may use its room. */
static void test_behind(void)
{
	struct test_world w;
	uint64_t a, b, gang, small;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	a = run_on(&w, 1, "n1", 2);
	b = run_on(&w, 2, "n2", 4);
	gang = submit(&w, 3, 2, false);
	small = submit(&w, 1, 1, false);
	world_preempt(&w, a, 0);
	world_preempt(&w, b, 0);
	world_decide(&w, gang, 0, "n1 n2");
	world_decide(&w, small, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a job behind a pending lease waits too");
	world_cancel(&w, TEST_USER, gang);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "it starts when the pending lease is withdrawn");
	world_done(&w);
}

static void restore(void *arg, const void *data, size_t len)
{
	struct err err;

	if (core_restore(arg, data, len, &err) < 0)
		ok(false, "restore: %s", err.text);
}

/* The core restarts from its snapshot. */
static void restart(struct test_world *w)
{
	struct core *next = core_new(&w->policy);
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "test"};

	core_snapshot(w->core, restore, next);
	core_free(w->core);
	w->core = next;
	world_feed(w, &in);
}

static void test_restart(void)
{
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
	Armada__Report r = ARMADA__REPORT__INIT, *list[] = {&r};
	Armada__Reports m = ARMADA__REPORTS__INIT;
	struct test_world w;
	uint64_t a, b, c;

	make_pending(&w, &a, &b);
	restart(&w);
	world_node(&w, 5, "n1", 4, "boot1", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a restart sends no order for a pending lease");
	c = submit(&w, 1, 1, false);
	world_decide(&w, c, 0, "n1");
	is_int(world_state(&w, c, 0), JOB(PENDING), "its room stays reserved");
	key.job = b;
	key.attempt = 1;
	r.key = &key;
	r.kind = ARMADA__REPORT__KIND__REPORT_STARTED;
	m.reports = list;
	m.n_reports = 1;
	world_agent(&w, 5, MSG_REPORTS, &m);
	is_int(world_orders(&w, ORDER_KILL), 1,
	       "a node that reports a task without an order must end it");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the job has not started");
	world_ended(&w, 5, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "the restarted controller keeps the pending lease");
	world_done(&w);

	make_pending(&w, &a, &b);
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	restart(&w);
	world_node(&w, 5, "n1", 4, "boot1", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "an order that was lost with the controller is sent");
	world_done(&w);

	make_pending(&w, &a, &b);
	world_closed(&w, 1);
	world_node(&w, 5, "n1", 4, "boot2", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "a restarted machine has ended the preempted job");
	is_int(world_state(&w, a, 0), JOB(PENDING), "that job is pending");
	world_started(&w, 5, b, 0, 0, 1);
	is_int(world_state(&w, b, 0), JOB(RUNNING),
	       "the job with the pending lease had no task there, so it keeps its attempt");
	world_done(&w);
}

static void test_floor(void)
{
	uint64_t a, b, gang, seq, floor = UINT64_MAX;
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	a = run_on(&w, 1, "n1", 4);
	b = run_on(&w, 2, "n2", 4);
	gang = submit(&w, 4, 2, false);
	world_preempt(&w, a, 0);
	world_preempt(&w, b, 0);
	world_decide(&w, gang, 0, "n1 n2");
	seq = w.out.seq;
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	heartbeat(&w, 1);
	for (size_t i = 0; i < w.out.effect_count; i++)
		if (w.out.effects[i].kind == EFFECT_ORDER &&
		    w.out.effects[i].order.kind == ORDER_LEASE)
			floor = w.out.effects[i].order.floor;
	ok(floor <= seq, "the floor stays below an order that has not been sent yet");
	world_done(&w);
}

static void test_failures(void)
{
	struct test_world w;
	uint64_t id, other;
	uint32_t n;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = submit(&w, 1, 1, false);
	for (n = 1; n <= 40; n++) {
		world_decide(&w, id, 0, "n1");
		world_started(&w, 1, id, 0, 0, n);
		world_preempt(&w, id, 0);
		world_ended(&w, 1, id, 0, 0, n, END(PREEMPTED), 0);
	}
	is_int(world_state(&w, id, 0), JOB(PENDING), "after 40 preemptions the job is pending");
	other = run_on(&w, 1, "n1", 4);
	for (; n <= 80; n++) {
		if (n == 41)
			world_preempt(&w, other, 0);
		world_decide(&w, id, 0, "n1");
		world_preempt(&w, id, 0);
	}
	is_int(world_state(&w, id, 0), JOB(PENDING), "after 40 withdrawn pending leases too");
	world_ended(&w, 1, other, 0, 0, 1, END(PREEMPTED), 0);
	restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	for (uint32_t k = 0; k < 16; k++, n++) {
		world_decide(&w, id, 0, "n1");
		world_ended(&w, 1, id, 0, 0, n, END(REFUSED), 0);
		if (k == 7)
			restart(&w), world_node(&w, 1, "n1", 4, "boot1", 1);
	}
	is_int(world_state(&w, id, 0), JOB(PENDING), "after 16 refused launches too");
	world_decide(&w, id, 0, "n1");
	world_ended(&w, 1, id, 0, 0, n, END(REFUSED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the 17th failure fails the job");
	world_done(&w);
}

/* A decision to preempt one job; for_job gets its room. */
static void preempt_for(struct test_world *w, uint64_t job, uint64_t for_job)
{
	struct sched_decision d = {.kind = SCHED_PREEMPT,
				   .job = job,
				   .for_job = for_job,
				   .why = "fair-share",
				   .text = "preempted for balance: a text of its own"};
	struct sched_result r = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r};

	world_feed(w, &in);
}

static void test_decisions(void)
{
	struct test_world w;
	uint64_t a, b;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 4);
	b = submit(&w, 4, 1, false);
	world_cancel(&w, TEST_USER, b);
	preempt_for(&w, a, b);
	is_int(world_state(&w, a, 0), JOB(RUNNING),
	       "no job is preempted for a job that has left the state");
	ok(w.out.effect_count > 0, "another round is requested");
	b = submit(&w, 4, 1, false);
	world_closed(&w, 1);
	world_tick(&w, 61000000);
	preempt_for(&w, a, b);
	is_int(world_state(&w, a, 0), JOB(UNKNOWN), "a job on a lost node is not preempted");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	preempt_for(&w, a, b);
	has_str(world_reason(&w, a), "a text of its own", "the text of the round is kept");
	preempt_for(&w, a, b);
	ok(!w.out.record, "the job is preempted once");
	world_done(&w);
}

int main(void)
{
	test_kept();
	test_free_room();
	test_gang();
	test_victim_gang();
	test_order();
	test_scattered();
	test_exclusive();
	test_withdrawn();
	test_held();
	test_cancelled();
	test_behind();
	test_restart();
	test_floor();
	test_failures();
	test_decisions();
	return done();
}
