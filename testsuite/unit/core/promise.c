/* Leases whose room others still have: promised, kept, withdrawn. */
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

/* A job of so many cpus runs on the node. */
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

	m.number = 1;
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
	is_int(world_state(&w, b, 0), JOB(PENDING), "room that nobody gives up is not promised");
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the room of a preempted job is");
	world_decide(&w, c, 0, "n1");
	is_int(world_state(&w, c, 0), JOB(PENDING), "but not twice");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "no order has left");
	is_str(world_reason(&w, b), "waits for room: 1 task is being ended for it", "it says why");
	is_int(cpus_shown(&w), 4, "the node holds what runs there");
	w.steady_us += 50000000;
	heartbeat(&w, 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a heartbeat brings no launch order");
	is_int(world_orders(&w, ORDER_KILL), 1, "only the kill order again");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "the end of the other brings it, in one record");
	has_str(world_reason(&w, a), "more urgent", "who was preempted keeps the reason");
	is_int(world_state(&w, a, 0), JOB(PENDING), "and waits again");
	world_started(&w, 1, b, 0, 0, 1);
	is_int(world_state(&w, b, 0), JOB(RUNNING), "the promise is kept");
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
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "room that is there already needs no promise");
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
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "I7: half the room starts nothing");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "all of it starts all");
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
	       "a gang is preempted whole, even while it is started");
	world_decide(&w, b, 0, "n1");
	world_ended(&w, 1, gang, 0, 0, 1, END(REFUSED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "a member's room is free when the member is gone");
	world_ended(&w, 2, gang, 0, 1, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, gang, 0), JOB(PENDING), "the gang waits again");
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
	       "what came later does not take the first one's room");
	world_ended(&w, 1, b, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "which is there with the last of it");
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

/* Ranks of one node that do not stand side by side: all of them need their room. */
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
	is_int(world_state(&w, job, 0), JOB(CONFIGURING), "two of three ranks on one node");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "wait for the room of both");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "and begin with it");
	world_done(&w);

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	b = run_on(&w, 2, "n2", 4);
	job = submit_tasks(&w, 2, 3);
	world_decide(&w, job, 0, "n1 n2 n1");
	is_int(world_state(&w, job, 0), JOB(PENDING), "room that stays in use is not promised");
	world_preempt(&w, b, 0);
	world_decide(&w, job, 0, "n1 n2 n1");
	is_int(world_state(&w, job, 0), JOB(CONFIGURING), "that of who yields is");
	world_node(&w, 3, "n1", 3, "boot1", 1);
	is_int(world_state(&w, job, 0), JOB(PENDING), "a node with room for one of two keeps none");
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
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a node for itself is promised while others end");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "and had when they have");
	world_done(&w);
}

/* n1 has four cpus, the preempted job has them all, and the promised one is to have them. */
static void promise(struct test_world *w, uint64_t *ret_victim, uint64_t *ret_promised)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	*ret_victim = run_on(w, 1, "n1", 4);
	*ret_promised = submit(w, 4, 1, false);
	world_preempt(w, *ret_victim, 0);
	world_decide(w, *ret_promised, 0, "n1");
}

static void test_withdrawn(void)
{
	struct test_world w;
	uint64_t a, b;

	promise(&w, &a, &b);
	world_drain(&w, "n1", "a bad fan");
	is_int(world_state(&w, b, 0), JOB(PENDING), "a drained node keeps no promise");
	has_str(world_reason(&w, b), "a bad fan", "and says why");
	world_done(&w);

	promise(&w, &a, &b);
	world_closed(&w, 1);
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "a broken connection withdraws nothing");
	world_tick(&w, 61000000);
	is_int(world_state(&w, b, 0), JOB(PENDING), "silence does: no proof of death is needed");
	is_int(world_state(&w, a, 0), JOB(UNKNOWN), "of the promise, that is");
	world_done(&w);

	promise(&w, &a, &b);
	world_preempt(&w, b, 0);
	is_int(world_state(&w, b, 0), JOB(PENDING), "a promise that is preempted waits at once");
	is_int(world_orders(&w, ORDER_KILL), 0, "nobody need be told");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "nothing is left of it");
	world_decide(&w, b, 0, "n1");
	world_started(&w, 1, b, 0, 0, 2);
	is_int(world_state(&w, b, 0), JOB(RUNNING), "its number stays used");
	world_done(&w);

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = run_on(&w, 1, "n1", 2);
	b = submit(&w, 4, 1, false);
	world_preempt(&w, a, 0);
	world_decide(&w, b, 0, "n1");
	world_node(&w, 2, "n1", 3, "boot1", 1);
	is_int(world_state(&w, b, 0), JOB(PENDING), "a node that shrinks below it keeps none");
	world_done(&w);
}

static void test_held(void)
{
	struct test_world w;
	uint64_t a, b;

	promise(&w, &a, &b);
	world_hold(&w, b, false);
	is_str(world_reason(&w, b), "held, until actl release", "what has not started can be held");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "and then does not start");
	world_hold(&w, b, true);
	world_decide(&w, b, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "before it is released");
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
	is_int(world_state(&w, c, 0), JOB(PENDING), "no node for oneself where others stay");
	world_cancel(&w, TEST_USER, b);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED), "a promise is cancelled at once");
	is_int(world_state(&w, b, 0), 0, "and has left memory");
	world_done(&w);

	promise(&w, &a, &b);
	world_cancel(&w, TEST_USER, a);
	is_int(world_state(&w, a, 0), JOB(COMPLETING), "who is being preempted can be cancelled");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the promise stands");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "it is kept");
	is_int(world_ended_as(&w, a, 0), JOB(CANCELLED), "and the other does not come back");
	world_done(&w);
}

/* Those behind a promise that is taken back may have their room. */
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
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a job behind a promise waits with it");
	world_cancel(&w, TEST_USER, gang);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "and starts when it is gone");
	world_done(&w);
}

static void restore(void *arg, const void *data, size_t len)
{
	struct err err;

	if (core_restore(arg, data, len, &err) < 0)
		ok(false, "restore: %s", err.text);
}

/* Killed, and back from its snapshot. */
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

	promise(&w, &a, &b);
	restart(&w);
	world_node(&w, 5, "n1", 4, "boot1", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a restart orders nothing that was promised");
	c = submit(&w, 1, 1, false);
	world_decide(&w, c, 0, "n1");
	is_int(world_state(&w, c, 0), JOB(PENDING), "nor is its room forgotten");
	key.job = b;
	key.attempt = 1;
	r.key = &key;
	r.kind = ARMADA__REPORT__KIND__REPORT_STARTED;
	m.reports = list;
	m.n_reports = 1;
	world_agent(&w, 5, MSG_REPORTS, &m);
	is_int(world_orders(&w, ORDER_KILL), 1, "a node that runs what nobody ordered must end it");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "and has not started it");
	world_ended(&w, 5, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "and the promise is kept by the next controller");
	world_done(&w);

	promise(&w, &a, &b);
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	restart(&w);
	world_node(&w, 5, "n1", 4, "boot1", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "an order that was lost with the controller is given");
	world_done(&w);

	promise(&w, &a, &b);
	world_closed(&w, 1);
	world_node(&w, 5, "n1", 4, "boot2", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "a machine that restarts has ended the other");
	is_int(world_state(&w, a, 0), JOB(PENDING), "which waits");
	world_started(&w, 5, b, 0, 0, 1);
	is_int(world_state(&w, b, 0), JOB(RUNNING), "it was not there to be lost");
	world_done(&w);
}

static void test_floor(void)
{
	const Armada__HeartbeatAck *ack;
	struct test_world w;
	uint64_t a, b, gang, seq;

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
	ack = world_reply(&w, MSG_HEARTBEAT_ACK);
	ok(ack && ack->floor <= seq, "the floor stays below an order that has yet to leave");
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
	is_int(world_state(&w, id, 0), JOB(PENDING), "preempted 40 times, it waits again");
	other = run_on(&w, 1, "n1", 4);
	for (; n <= 80; n++) {
		if (n == 41)
			world_preempt(&w, other, 0);
		world_decide(&w, id, 0, "n1");
		world_preempt(&w, id, 0);
	}
	is_int(world_state(&w, id, 0), JOB(PENDING),
	       "so it does after 40 promises that were withdrawn");
	world_ended(&w, 1, other, 0, 0, 1, END(PREEMPTED), 0);
	restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	for (uint32_t k = 0; k < 16; k++, n++) {
		world_decide(&w, id, 0, "n1");
		world_ended(&w, 1, id, 0, 0, n, END(REFUSED), 0);
		if (k == 7)
			restart(&w), world_node(&w, 1, "n1", 4, "boot1", 1);
	}
	is_int(world_state(&w, id, 0), JOB(PENDING), "refused 16 times, it still does");
	world_decide(&w, id, 0, "n1");
	world_ended(&w, 1, id, 0, 0, n, END(REFUSED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the 17th failure is the last");
	world_done(&w);
}

/* A decision for one job, of which for_job is to have the room. */
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
	is_int(world_state(&w, a, 0), JOB(RUNNING), "nobody is preempted for who is gone");
	ok(w.out.effect_count > 0, "which is asked for again");
	b = submit(&w, 4, 1, false);
	world_closed(&w, 1);
	world_tick(&w, 61000000);
	preempt_for(&w, a, b);
	is_int(world_state(&w, a, 0), JOB(UNKNOWN), "nor is a job of a silent node");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	preempt_for(&w, a, b);
	has_str(world_reason(&w, a), "a text of its own", "the round's own words are kept");
	preempt_for(&w, a, b);
	ok(!w.out.record, "and it is preempted once");
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
