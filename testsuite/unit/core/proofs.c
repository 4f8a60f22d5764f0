/*
 * The six proofs that a task has ended. Without one of them the job stays UNKNOWN and is not
 * started again.
 */
#include "node_rig.h"

static void fenced(struct test_world *w, const char *node, uint64_t seq, bool is)
{
	struct input in = {
		.kind = INPUT_FENCED, .node = node, .fence_seq = seq, .fenced = is, .text = "no"};

	world_feed(w, &in);
}

static const struct effect *effect(const struct test_world *w, enum effect_kind kind)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == kind)
			return &w->out.effects[i];
	return NULL;
}

static void prove_end(struct test_world *w, uint64_t job)
{
	world_ended(w, 1, job, 0, 0, 1, END(LOST), 0);
}

static void prove_refusal(struct test_world *w, uint64_t job)
{
	world_ended(w, 1, job, 0, 0, 1, END(REFUSED), 0);
}

static void prove_boot(struct test_world *w, uint64_t job)
{
	(void)job;
	world_node(w, 3, "n1", 4, "another boot", 1);
}

static void prove_admin(struct test_world *w, uint64_t job)
{
	(void)job;
	world_tick(w, 61 * S);
	ok(node_change(w, "n1", ACTION(CONFIRM_DEAD), "burnt"),
	   "an administrator confirms that the node is dead: %s", world_error(w));
}

static void prove_fence(struct test_world *w, uint64_t job)
{
	const struct effect *e;

	(void)job;
	world_closed(w, 1);
	w->policy.fence = true;
	world_tick(w, 61 * S);
	e = effect(w, EFFECT_FENCE);
	ok(e && strcmp(e->text, "n1") == 0, "the fence program is called");
	fenced(w, "n1", e ? e->fence_seq : 0, true);
}

static void prove_lease(struct test_world *w, uint64_t job)
{
	(void)job;
	world_tick(w, 131 * S);
}

/* Each proof ends a running task, and its job is pending; without a proof it is not. */
static void test_proofs(void)
{
	static const struct {
		const char *what;
		void (*prove)(struct test_world *w, uint64_t job);
	} proofs[] = {
		{"its end was reported", prove_end}, {"a durable refusal", prove_refusal},
		{"another boot id", prove_boot},     {"an administrator's word", prove_admin},
		{"the fence program", prove_fence},  {"the end of its lease", prove_lease},
	};

	for (size_t i = 0; i < ARRAY_SIZE(proofs); i++) {
		struct test_world w;
		uint64_t job;

		node_run_one(&w);
		job = node_run_silent(&w);
		proofs[i].prove(&w, job);
		is_int(world_state(&w, job, 0), JOB(PENDING), "proof: %s", proofs[i].what);
		world_done(&w);
	}
}

static void test_no_proof(void)
{
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	job = node_run_silent(&w);
	world_tick(&w, 61 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "missing heartbeats are no proof");
	is_str(world_reason(&w, job),
	       "node n1 is silent for 1 min 1 s, with 1 of 1 task; it continues when the node is back, and "
	       "is started elsewhere when the lease ends in 1 min 9 s, or after anode confirm-dead n1",
	       "the reason names the node and what ends the silence");
	w.policy.fence = true;
	has_str(world_reason(&w, job), "when the fence program has switched the node off, or after",
		"the fence program is one of the ends");
	w.policy.fence = false;
	world_closed(&w, 1);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "the end of the connection is no proof");
	fenced(&w, "n1", 0, false);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "a failed fence program is no proof");
	fenced(&w, "n1", 1, true);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN),
	       "a fence program that ran before the start is no proof");
	world_tick(&w, 60 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN),
	       "the end of the lease without its margin is no proof");
	world_restart(&w);
	world_tick(&w, 120 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN),
	       "a restarted controller counts the lease from its start");
	world_tick(&w, 11 * S);
	is_int(world_state(&w, job, 0), JOB(PENDING), "the end of the lease is a proof");
	has_str(world_reason(&w, job), "longer than the lease", "the reason names the lease");
	world_done(&w);
}

static uint64_t submit_with(struct test_world *w, bool no_fence, int64_t lease_s)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec.no_fence = no_fence;
	spec.lease_s = lease_s;
	return world_submit(w, &spec);
}

static int64_t ordered_lease_ms(struct test_world *w)
{
	const struct effect *e = effect(w, EFFECT_ORDER);
	const Armada__TaskBody *b;
	struct err err;

	if (!e)
		return -2;
	b = msg_unpack_as(&armada__task_body__descriptor, e->body, e->len, w->arena, &err);
	return b ? b->lease_ms : -3;
}

static void test_lengths(void)
{
	Armada__QueueRequest q = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	Armada__JobSpec in_queue;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t never, late;

	node_run_one(&w);
	ok(!submit_with(&w, false, 60), "a lease not longer than node_timeout is refused");
	has_str(world_error(&w), "agents.node_timeout", "the error names node_timeout");
	ok(!submit_with(&w, true, 600), "a lease with no_fence is refused");
	never = submit_with(&w, true, 0);
	world_decide(&w, never, 0, "n1");
	is_int(ordered_lease_ms(&w), 0, "the order of a job with no_fence has no lease");
	world_started(&w, 1, never, 0, 0, 1);
	late = submit_with(&w, false, 1000);
	world_decide(&w, late, 0, "n1");
	is_int(ordered_lease_ms(&w), 1000000, "the order of a job has its lease");
	world_started(&w, 1, late, 0, 0, 1);
	q.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	q.spec = &spec;
	spec.name = (char *)"long";
	spec.priority_factor = 1;
	spec.lease_s = 500;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &q);
	spec_init(&in_queue, &group);
	in_queue.queue = (char *)"long";
	world_decide(&w, world_submit(&w, &in_queue), 0, "n1");
	is_int(ordered_lease_ms(&w), 500000, "the order has the lease of the queue");
	world_tick(&w, 900 * S);
	is_int(world_state(&w, late, 0), JOB(UNKNOWN), "the longer lease has not ended");
	world_tick(&w, 150 * S);
	is_int(world_state(&w, late, 0), JOB(PENDING), "the longer lease has ended");
	world_tick(&w, 86400 * 365 * S);
	is_int(world_state(&w, never, 0), JOB(UNKNOWN), "a job with no_fence stays UNKNOWN");
	has_str(world_reason(&w, never), "is started elsewhere after anode confirm-dead n1",
		"its reason names no end of a lease");
	world_done(&w);
}

static bool extend(struct test_world *w, int64_t duration_s)
{
	Armada__ExtendLeaseRequest m = ARMADA__EXTEND_LEASE_REQUEST__INIT;

	m.all = true;
	m.duration_s = duration_s;
	m.reason = (char *)"power work";
	world_send(w, ADMIN_USER, MSG_EXTEND_LEASE, &m);
	return world_reply(w, MSG_OK) != NULL;
}

/*
 * The extension in the next heartbeat acknowledgement, in seconds; rounded, because the time
 * advances with each input.
 */
static int64_t lease_extension_s(struct test_world *w, uint64_t conn)
{
	const Armada__HeartbeatAck *ack;

	world_beat(w, conn);
	ack = world_reply(w, MSG_HEARTBEAT_ACK);
	return ack ? (ack->extension_ms + 500) / 1000 : -1;
}

static void test_extension(void)
{
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	job = node_run_silent(&w);
	ok(!extend(&w, 0), "an extension without a duration is refused");
	ok(extend(&w, 3600), "the leases are extended");
	is_int(lease_extension_s(&w, 1), 3600,
	       "the acknowledgement of the heartbeat has the extension");
	world_tick(&w, 50 * S);
	is_int(lease_extension_s(&w, 1), 3550, "each one has the remaining time");
	ok(extend(&w, 60), "a shorter extension is accepted");
	is_int(lease_extension_s(&w, 1), 3550, "a shorter extension does not shorten it");
	ok(node_row(&w, "n1")->extension_left_s / 10 == 354, "the node row has the extension");
	is_str(node_row(&w, "n1")->extension_reason, "power work", "the node row has its reason");
	world_tick(&w, 3000 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN),
	       "without the extension the lease would have ended");
	world_restart(&w);
	world_tick(&w, 3500 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN),
	       "the extension is durable, and counted from the restart");
	world_tick(&w, 130 * S);
	is_int(world_state(&w, job, 0), JOB(PENDING), "the lease ends after the extension");
	is_int(node_row(&w, "n1")->extension_left_s, 0, "the extension is over");
	world_done(&w);
}

static void test_confirm_dead(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	job = node_run_silent(&w);
	ok(!node_change(&w, "n1", ACTION(CONFIRM_DEAD), ""),
	   "a connected node cannot be confirmed dead");
	has_str(world_error(&w), "is not dead: it is connected",
		"the error says that it is connected");
	world_closed(&w, 1);
	ok(!node_change(&w, "n1", ACTION(CONFIRM_DEAD), ""),
	   "a node that was connected a moment ago cannot either");
	world_node(&w, 3, "n1", 4, "boot1", 9);
	has_str(world_error(&w), "anode confirm-dead",
		"a registration with another spool is told about confirm-dead");
	world_tick(&w, 61 * S);
	m.action = ACTION(CONFIRM_DEAD);
	m.dry_run = true;
	ok(node_update(&w, "n1", &m), "a dry run is accepted");
	has_str(((const Armada__OkReply *)world_reply(&w, MSG_OK))->text, "ends 1 attempt: 1_0.0/1",
		"the reply names the attempts");
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "a dry run changes nothing");
	ok(node_change(&w, "n1", ACTION(CONFIRM_DEAD), "burnt"), "the node is confirmed dead");
	is_int(node_row(&w, "n1")->state, NODE(DOWN), "the node is down");
	has_str(world_reason(&w, job), "confirmed dead by root: burnt",
		"the reason names the author");
	world_node(&w, 4, "n1", 4, "boot1", 9);
	is_int(node_row(&w, "n1")->state, NODE(UP), "another spool may register under the name");
	world_done(&w);
}

static void test_fence(void)
{
	const struct effect *e;
	struct test_world w;
	uint64_t job, seq;

	node_run_one(&w);
	w.policy.fence = true;
	w.policy.fence_after_us = 100 * S;
	w.policy.lease_us = 86400 * S;
	job = node_run_silent(&w);
	world_closed(&w, 1);
	world_tick(&w, 61 * S);
	ok(!effect(&w, EFFECT_FENCE), "the program is not called before fence_after");
	world_tick(&w, 40 * S);
	e = effect(&w, EFFECT_FENCE);
	ok(e, "the program is called after fence_after");
	seq = e ? e->fence_seq : 0;
	world_tick(&w, 40 * S);
	ok(!effect(&w, EFFECT_FENCE), "it is not called again while it runs");
	fenced(&w, "n1", seq, false);
	world_tick(&w, 20 * S);
	ok(!effect(&w, EFFECT_FENCE), "it is not called again at once after a failure");
	world_tick(&w, 20 * S);
	ok(effect(&w, EFFECT_FENCE), "it is called again later");
	/* the machine is back before the program reports that it was off */
	world_node(&w, 3, "n1", 4, "another boot", 1);
	is_int(world_state(&w, job, 0), JOB(PENDING), "the new boot id is a proof meanwhile");
	world_decide(&w, job, 0, "n1");
	world_started(&w, 3, job, 0, 0, 2);
	fenced(&w, "n1", seq, true);
	is_int(world_state(&w, job, 0), JOB(RUNNING),
	       "a task that started later is not ended by the fence");
	is_int(node_row(&w, "n1")->state, NODE(UP), "the node stays up");
	world_done(&w);
}

/*
 * A node is confirmed dead and then connects again. The job is a gang whose other task is still
 * being ended; a single task would have its next attempt by then.
 */
static void test_not_dead(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "b1", 1);
	world_node(&w, 2, "n2", 4, "b1", 2);
	spec_init(&spec, &group);
	group.replicas = 2;
	job = world_submit(&w, &spec);
	world_decide(&w, job, 0, "n1 n2");
	world_started(&w, 1, job, 0, 0, 1);
	world_started(&w, 2, job, 0, 1, 1);
	world_closed(&w, 1);
	for (int i = 0; i < 20; i++) {
		world_tick(&w, 10 * S);
		world_beat(&w, 2);
	}
	ok(node_change(&w, "n1", ACTION(CONFIRM_DEAD), "it burns"), "a node is confirmed dead");
	world_node(&w, 1, "n1", 4, "b1", 1);
	world_started(&w, 1, job, 0, 0, 1);
	is_int(world_orders(&w, ORDER_KILL), 1, "the node was not dead: the task there is killed");
	world_ended(&w, 1, job, 0, 0, 1, END(LOST), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "no kill order is sent after its end");
	world_ended(&w, 2, job, 0, 1, 1, END(GANG), 0);
	is_int(world_state(&w, job, 0), JOB(PENDING), "the whole job is pending");
	world_done(&w);
}

int main(void)
{
	test_proofs();
	test_no_proof();
	test_lengths();
	test_extension();
	test_confirm_dead();
	test_fence();
	test_not_dead();
	return done();
}
