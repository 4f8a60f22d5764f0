/* Nodes: their states, the six proofs that a task has ended, and what becomes of those that fail. */
#include "core/machine.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define NODE(name)   ARMADA__NODE_STATE__NODE_##name
#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define ACTION(name) ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_##name

static const int64_t S = 1000000;

static const Armada__NodeRow *row(struct test_world *w, const char *name)
{
	Armada__ListNodesRequest m = ARMADA__LIST_NODES_REQUEST__INIT;
	char *names[] = {(char *)name};
	const Armada__ListNodesReply *r;

	m.names = names;
	m.n_names = 1;
	world_send(w, ADMIN_USER, MSG_LIST_NODES, &m);
	r = world_reply(w, MSG_LIST_NODES_REPLY);
	return r && r->n_nodes ? r->nodes[0] : NULL;
}

static bool update(struct test_world *w, const char *name, Armada__UpdateNodeRequest *m)
{
	char *names[] = {(char *)name};

	m->names = names;
	m->n_names = 1;
	world_send(w, ADMIN_USER, MSG_UPDATE_NODE, m);
	return world_reply(w, MSG_OK) != NULL;
}

static bool change(struct test_world *w, const char *name, int action, const char *reason)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;

	m.action = (Armada__UpdateNodeRequest__Action)action;
	m.reason = (char *)reason;
	return update(w, name, &m);
}

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

/* A job that runs on n1, of which conn 1 then falls silent. */
static uint64_t run_silent(struct test_world *w)
{
	uint64_t job = world_submit_plain(w);

	world_decide(w, job, 0, "n1");
	world_started(w, 1, job, 0, 0, 1);
	return job;
}

static void test_states(void)
{
	static const struct {
		int from, to[NODE_EV_COUNT]; /* DRAIN RESUME SILENT BACK DEAD LEAVE */
	} rows[] = {
		{NODE(UP),
		 {NODE(DRAINED), NODE(UP), NODE(UNKNOWN), NODE(UP), NODE(DOWN), NODE(DOWN)}},
		{NODE(DRAINED),
		 {NODE(DRAINED), NODE(UP), NODE(DRAINED), NODE(DRAINED), NODE(DRAINED),
		  NODE(DRAINED)}},
		{NODE(DOWN),
		 {NODE(DRAINED), NODE(DOWN), NODE(UNKNOWN), NODE(UP), NODE(DOWN), NODE(DOWN)}},
		{NODE(UNKNOWN),
		 {NODE(DRAINED), NODE(UNKNOWN), NODE(UNKNOWN), NODE(UP), NODE(DOWN), NODE(DOWN)}},
	};
	bool seen[NODE_STATE_COUNT] = {false};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		seen[rows[i].from] = true;
		for (int e = 0; e < NODE_EV_COUNT; e++)
			is_int(node_next(rows[i].from, (enum node_event)e), rows[i].to[e],
			       "state %d, event %d", rows[i].from, e);
	}
	for (int st = 0; st < NODE_STATE_COUNT; st++)
		for (int e = 0; e < NODE_EV_COUNT && !seen[st]; e++)
			is_int(node_next(st, (enum node_event)e), NEXT_NONE,
			       "%d is no state that a node is in", st);
}

static void begin(struct test_world *w)
{
	world_init(w);
	w->policy.lease_us = 120 * S;
	w->policy.lease_margin_us = 10 * S;
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
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
	ok(change(w, "n1", ACTION(CONFIRM_DEAD), "burnt"), "an administrator says so: %s",
	   world_error(w));
}

static void prove_fence(struct test_world *w, uint64_t job)
{
	const struct effect *e;

	(void)job;
	world_closed(w, 1);
	w->policy.fence = true;
	world_tick(w, 61 * S);
	e = effect(w, EFFECT_FENCE);
	ok(e && strcmp(e->text, "n1") == 0, "the program is asked");
	fenced(w, "n1", e ? e->fence_seq : 0, true);
}

static void prove_lease(struct test_world *w, uint64_t job)
{
	(void)job;
	world_tick(w, 131 * S);
}

/* Each ends a task that runs, and it waits again; without one nothing does. */
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

		begin(&w);
		job = run_silent(&w);
		proofs[i].prove(&w, job);
		is_int(world_state(&w, job, 0), JOB(PENDING), "proof: %s", proofs[i].what);
		world_done(&w);
	}
}

static void test_no_proof(void)
{
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = run_silent(&w);
	world_tick(&w, 61 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "silence proves nothing");
	world_closed(&w, 1);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "nor does the end of the connection");
	fenced(&w, "n1", 0, false);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "nor a program that failed");
	fenced(&w, "n1", 1, true);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "nor one that was run before it began");
	world_tick(&w, 60 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "nor a lease without its margin");
	world_restart(&w);
	world_tick(&w, 120 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "a controller that begins counts it anew");
	world_tick(&w, 11 * S);
	is_int(world_state(&w, job, 0), JOB(PENDING), "to its end");
	has_str(world_reason(&w, job), "longer than the lease", "which is the reason");
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

	begin(&w);
	ok(!submit_with(&w, false, 60), "a lease no longer than node_timeout");
	has_str(world_error(&w), "agents.node_timeout", "is refused");
	ok(!submit_with(&w, true, 600), "and one without an end that has a length");
	never = submit_with(&w, true, 0);
	world_decide(&w, never, 0, "n1");
	is_int(ordered_lease_ms(&w), 0, "the node is told that there is no end");
	world_started(&w, 1, never, 0, 0, 1);
	late = submit_with(&w, false, 1000);
	world_decide(&w, late, 0, "n1");
	is_int(ordered_lease_ms(&w), 1000000, "or the job's own length");
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
	is_int(ordered_lease_ms(&w), 500000, "or its queue's");
	world_tick(&w, 900 * S);
	is_int(world_state(&w, late, 0), JOB(UNKNOWN), "each ends in its own time");
	world_tick(&w, 150 * S);
	is_int(world_state(&w, late, 0), JOB(PENDING), "when that has come");
	world_tick(&w, 86400 * 365 * S);
	is_int(world_state(&w, never, 0), JOB(UNKNOWN), "and what has no end is never given up");
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

/* Time moves a little with each input. */
static int64_t told_s(struct test_world *w, uint64_t conn)
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

	begin(&w);
	job = run_silent(&w);
	ok(!extend(&w, 0), "an extension has a length");
	ok(extend(&w, 3600), "leases are extended");
	is_int(told_s(&w, 1), 3600, "which the node hears of with its next heartbeat");
	world_tick(&w, 50 * S);
	is_int(told_s(&w, 1), 3550, "and less of it with each");
	ok(extend(&w, 60), "a shorter one");
	is_int(told_s(&w, 1), 3550, "takes nothing back");
	ok(row(&w, "n1")->extension_left_s / 10 == 354, "it is shown");
	is_str(row(&w, "n1")->extension_reason, "power work", "with its reason");
	world_tick(&w, 3000 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "the lease alone would be over");
	world_restart(&w);
	world_tick(&w, 3500 * S);
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "it is durable, and counted anew");
	world_tick(&w, 130 * S);
	is_int(world_state(&w, job, 0), JOB(PENDING), "then it is over");
	is_int(row(&w, "n1")->extension_left_s, 0, "by itself");
	world_done(&w);
}

static void test_confirm_dead(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = run_silent(&w);
	ok(!change(&w, "n1", ACTION(CONFIRM_DEAD), ""), "a node that is heard of is not dead");
	has_str(world_error(&w), "is not dead: it is connected", "says so");
	world_closed(&w, 1);
	ok(!change(&w, "n1", ACTION(CONFIRM_DEAD), ""), "nor one that was a moment ago");
	world_node(&w, 3, "n1", 4, "boot1", 9);
	has_str(world_error(&w), "anode confirm-dead", "one with another spool learns what to do");
	world_tick(&w, 61 * S);
	m.action = ACTION(CONFIRM_DEAD);
	m.dry_run = true;
	ok(update(&w, "n1", &m), "what would end is asked for");
	has_str(((const Armada__OkReply *)world_reply(&w, MSG_OK))->text, "ends 1 attempt: 1_0.0/1",
		"by name");
	is_int(world_state(&w, job, 0), JOB(UNKNOWN), "and does not");
	ok(change(&w, "n1", ACTION(CONFIRM_DEAD), "burnt"), "then it does");
	is_int(row(&w, "n1")->state, NODE(DOWN), "the node is down");
	has_str(world_reason(&w, job), "confirmed dead by root: burnt", "the reason says who");
	world_node(&w, 4, "n1", 4, "boot1", 9);
	is_int(row(&w, "n1")->state, NODE(UP), "another spool may take its name");
	world_done(&w);
}

static void test_fence(void)
{
	const struct effect *e;
	struct test_world w;
	uint64_t job, seq;

	begin(&w);
	w.policy.fence = true;
	w.policy.fence_after_us = 100 * S;
	w.policy.lease_us = 86400 * S;
	job = run_silent(&w);
	world_closed(&w, 1);
	world_tick(&w, 61 * S);
	ok(!effect(&w, EFFECT_FENCE), "silence alone is not enough for the program");
	world_tick(&w, 40 * S);
	e = effect(&w, EFFECT_FENCE);
	ok(e, "after fence_after it is asked");
	seq = e ? e->fence_seq : 0;
	world_tick(&w, 40 * S);
	ok(!effect(&w, EFFECT_FENCE), "and not again while it runs");
	fenced(&w, "n1", seq, false);
	world_tick(&w, 20 * S);
	ok(!effect(&w, EFFECT_FENCE), "nor at once when it has failed");
	world_tick(&w, 20 * S);
	ok(effect(&w, EFFECT_FENCE), "but after a while");
	/* the machine is back before the program says that it was off */
	world_node(&w, 3, "n1", 4, "another boot", 1);
	is_int(world_state(&w, job, 0), JOB(PENDING), "meanwhile its boot id has proved it");
	world_decide(&w, job, 0, "n1");
	world_started(&w, 3, job, 0, 0, 2);
	fenced(&w, "n1", seq, true);
	is_int(world_state(&w, job, 0), JOB(RUNNING), "what began since is not lost with it");
	is_int(row(&w, "n1")->state, NODE(UP), "nor is the node down");
	world_done(&w);
}

/* Different jobs in a row, by the node's own fault. */
static void test_drained_by_failures(void)
{
	struct test_world w;
	uint64_t jobs[4];

	begin(&w);
	w.policy.drain_after = 3;
	w.policy.avoid_us = 300 * S;
	for (int i = 0; i < 4; i++)
		jobs[i] = world_submit_plain(&w);
	for (uint32_t n = 1; n <= 3; n++) {
		world_decide(&w, jobs[0], 0, "n1");
		world_failed(&w, 1, jobs[0], 0, 0, n, END(NODE), "no room on /tmp");
	}
	is_int(row(&w, "n1")->state, NODE(UP), "one job that fails three times is one job");
	world_decide(&w, jobs[1], 0, "n1");
	world_started(&w, 1, jobs[1], 0, 0, 1);
	world_decide(&w, jobs[2], 0, "n1");
	world_failed(&w, 1, jobs[2], 0, 0, 1, END(REFUSED), "no room on /tmp");
	world_decide(&w, jobs[3], 0, "n1");
	world_failed(&w, 1, jobs[3], 0, 0, 1, END(NODE), "no room on /tmp");
	is_int(row(&w, "n1")->state, NODE(UP), "a good start in between begins the row anew");
	world_decide(&w, jobs[0], 0, "n1");
	world_failed(&w, 1, jobs[0], 0, 0, 4, END(NODE), "no room on /tmp");
	is_int(row(&w, "n1")->state, NODE(DRAINING), "three of them drain it");
	has_str(row(&w, "n1")->reason,
		"3 jobs in a row could not be started here; the last: no room", "with the reason");
	is_str(row(&w, "n1")->reason_by, "armctld", "and by whom");
	world_done(&w);
}

static void test_avoid(void)
{
	const Armada__Event *ev;
	struct test_world w;
	uint64_t job;

	begin(&w);
	w.policy.avoid_us = 300 * S;
	job = world_submit_plain(&w);
	world_decide(&w, job, 0, "n1");
	world_failed(&w, 1, job, 0, 0, 1, END(NODE), "prolog");
	is_int(world_state(&w, job, 0), JOB(PENDING), "what the node could not set up waits again");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_tick(&w, 200 * S);
	ok(!world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS), "and avoids it for a while");
	world_tick(&w, 101 * S);
	ev = world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS);
	ok(ev && ev->job_avoids->job == job && !ev->job_avoids->n_nodes, "no longer");
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 2);
	world_ended(&w, 1, job, 0, 0, 2, END(LOST), 0);
	world_tick(&w, 301 * S);
	ok(!world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS), "a node that was lost is not avoided");
	world_done(&w);
}

static void test_requeues(void)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t job;

	begin(&w);
	spec_init(&spec, &group);
	spec.max_requeues = 2;
	job = world_submit(&w, &spec);
	for (uint32_t n = 1; n <= 3; n++) {
		is_int(world_state(&w, job, 0), JOB(PENDING), "attempt %u waits", n);
		world_decide(&w, job, 0, "n1");
		world_failed(&w, 1, job, 0, 0, n, END(NODE), "prolog");
	}
	is_int(world_ended_as(&w, job, 0), JOB(NODE_FAIL), "after two requeues it has failed");
	world_done(&w);
}

static void reload(struct test_world *w)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &w->policy};

	world_feed(w, &in);
}

static void test_promised(void)
{
	static const char *const labels[] = {"room=12"};
	static const struct core_node promise[] = {
		{.name = "n1", .cpu_milli = 4000, .labels = labels, .label_count = 1}};
	struct test_world w;

	begin(&w);
	w.policy.nodes = promise;
	w.policy.node_count = 1;
	reload(&w);
	is_int(row(&w, "n1")->state, NODE(UP), "a node has what armada.conf promises");
	is_str(row(&w, "n1")->labels[0]->value, "12", "and its labels");
	world_node(&w, 1, "n1", 3, "boot1", 1);
	is_int(row(&w, "n1")->state, NODE(DRAINED), "with less it is drained");
	is_str(row(&w, "n1")->reason, "has 3 cpus, armada.conf promises 4", "with the figures");
	is_str(row(&w, "n1")->reason_by, "armada.conf", "by the file");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_int(row(&w, "n1")->state, NODE(UP), "with all of it it comes back");
	change(&w, "n1", ACTION(DRAIN), "mine");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_int(row(&w, "n1")->state, NODE(DRAINED), "unless somebody else drained it");
	w.policy.closed = true;
	world_node(&w, 7, "n7", 4, "boot7", 7);
	has_str(world_error(&w), "agents.auto_register",
		"only named nodes may join, if so configured");
	ok(!row(&w, "n7"), "and others are not known");
	world_done(&w);
}

static void test_labels(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	Armada__Label label = ARMADA__LABEL__INIT, *labels[] = {&label};
	Armada__Taint taint = ARMADA__TAINT__INIT, *taints[] = {&taint};
	char *gone[] = {(char *)"disk"};
	struct test_world w;

	begin(&w);
	world_node_labelled(&w, 5, "n5", "disk", "slow");
	m.action = ACTION(LABEL);
	label.key = (char *)"disk";
	label.value = (char *)"fast";
	m.labels = labels;
	m.n_labels = 1;
	ok(update(&w, "n5", &m), "a label is set");
	is_str(row(&w, "n5")->labels[0]->value, "fast", "over the node's own");
	world_node_labelled(&w, 5, "n5", "disk", "slow");
	is_str(row(&w, "n5")->labels[0]->value, "fast", "also when that registers again");
	world_restart(&w);
	is_str(row(&w, "n5")->set_labels[0]->value, "fast", "and after a restart");
	m.n_labels = 0;
	m.remove = gone;
	m.n_remove = 1;
	ok(update(&w, "n5", &m), "it is removed");
	is_str(row(&w, "n5")->labels[0]->value, "slow", "the node's own is there again");
	ok(!update(&w, "n5", &m), "which is not to be removed here");
	has_str(world_error(&w), "own or of armada.conf", "says so");
	label.value = (char *)"a b";
	m.n_labels = 1;
	m.n_remove = 0;
	ok(!update(&w, "n5", &m), "a value with a space is refused");
	m.action = ACTION(TAINT);
	m.n_labels = 0;
	m.taints = taints;
	m.n_taints = 1;
	taint.key = (char *)"maint";
	taint.value = (char *)"x";
	taint.effect = (char *)"NoExecute";
	ok(!update(&w, "n5", &m), "so is an effect that does not exist");
	taint.effect = (char *)"NoSchedule";
	ok(update(&w, "n5", &m), "a taint is set");
	is_str(row(&w, "n5")->taints[0]->key, "maint", "and shown");
	world_done(&w);
}

static void register_rebootable(struct test_world *w, uint64_t conn, const char *boot)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	uint8_t id[16] = "n8";

	m.name = (char *)"n8";
	m.node_id = m.spool_id = (ProtobufCBinaryData){16, id};
	m.boot_id = (char *)boot;
	m.can_reboot = true;
	world_agent(w, conn, MSG_REGISTER_NODE, &m);
}

static void test_reboot(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	struct test_world w;

	begin(&w);
	m.action = ACTION(REBOOT);
	m.reason = (char *)"new kernel";
	ok(!update(&w, "n1", &m), "a node without a program for it");
	has_str(world_error(&w), "agents.reboot_program", "is not rebooted");
	register_rebootable(&w, 8, "boot8");
	ok(update(&w, "n8", &m), "another is");
	is_int(world_orders(&w, ORDER_REBOOT), 1, "at once, when nothing runs there");
	is_int(row(&w, "n8")->state, NODE(DRAINED), "it takes no jobs");
	is_str(row(&w, "n8")->reason, "reboot: new kernel", "with the reason");
	world_restart(&w);
	register_rebootable(&w, 9, "boot8");
	ok(row(&w, "n8")->rebooting, "a controller that begins knows of it");
	world_beat(&w, 9);
	is_int(world_orders(&w, ORDER_REBOOT), 1, "and orders it again");
	register_rebootable(&w, 9, "boot9");
	is_int(row(&w, "n8")->state, NODE(UP), "under another boot id it takes jobs again");
	ok(!row(&w, "n8")->rebooting, "and is not rebooted again");
	m.stay_drained = true;
	update(&w, "n8", &m);
	register_rebootable(&w, 9, "boot10");
	is_int(row(&w, "n8")->state, NODE(DRAINED), "or stays drained, if that was asked for");
	world_done(&w);
}

static void test_reboot_waits(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t job;

	begin(&w);
	register_rebootable(&w, 8, "boot8");
	spec_init(&spec, &group);
	job = world_submit(&w, &spec);
	m.action = ACTION(REBOOT);
	m.reason = (char *)"";
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 1);
	m.now = true;
	update(&w, "n8", &m);
	is_int(world_orders(&w, ORDER_KILL), 0, "what runs elsewhere is left alone");
	change(&w, "n8", ACTION(RESUME), "");
	ok(!row(&w, "n8")->rebooting, "a resume takes it back");
	world_done(&w);
}

static void test_delete(void)
{
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = run_silent(&w);
	ok(!change(&w, "n1", ACTION(DELETE), ""), "a node that is connected stays");
	world_closed(&w, 1);
	ok(!change(&w, "n1", ACTION(DELETE), ""), "so does one with tasks");
	has_str(world_error(&w), "1_0.0/1", "which are named");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_ended(&w, 1, job, 0, 0, 1, END(EXITED), 0);
	world_closed(&w, 1);
	ok(change(&w, "n1", ACTION(DELETE), ""), "one that has left is forgotten");
	ok(!row(&w, "n1"), "and not shown");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_int(row(&w, "n1")->state, NODE(UP), "until it joins again");
	world_done(&w);
}

/* Of a gang whose other task is still being ended; a gang of one is under its next attempt by then. */
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
	ok(change(&w, "n1", ACTION(CONFIRM_DEAD), "it burns"), "a node is confirmed dead");
	world_node(&w, 1, "n1", 4, "b1", 1);
	world_started(&w, 1, job, 0, 0, 1);
	is_int(world_orders(&w, ORDER_KILL), 1, "and is not: what runs there is ended");
	world_ended(&w, 1, job, 0, 0, 1, END(LOST), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "once it has, nothing more is asked for");
	world_ended(&w, 2, job, 0, 1, 1, END(GANG), 0);
	is_int(world_state(&w, job, 0), JOB(PENDING), "and all of it waits again");
	world_done(&w);
}

/* The limit was lowered since: who is preempted pays for no failure, whatever it had before. */
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
	is_int(world_state(&w, job, 0), JOB(PENDING), "preempted beyond a limit that was lowered");
	world_done(&w);
}

/* A name is given to the fence program, which may be a script. */
static void test_names(void)
{
	static const char *const bad[] = {"",       "-f",  ".n1",    "n;reboot",
					  "n$(id)", "n 1", "n[1-2]", "a/b"};
	struct test_world w;

	world_init(&w);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		world_node(&w, 1, bad[i], 4, "b1", 1);
		ok(strstr(world_error(&w), "is not a node name"), "'%s' is none", bad[i]);
	}
	world_node(&w, 1, "Rack_3-n1.example.org", 4, "b1", 1);
	is_str(world_error(&w), "", "a host's name is one");
	world_done(&w);
}

static void test_dry_run(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "b1", 1);
	m.action = ACTION(DRAIN);
	m.reason = (char *)"x";
	m.dry_run = true;
	ok(!update(&w, "n1", &m) && !w.out.record, "a drain is not tried beforehand, nor done");
	world_done(&w);
}

int main(void)
{
	test_states();
	test_proofs();
	test_no_proof();
	test_lengths();
	test_extension();
	test_confirm_dead();
	test_fence();
	test_drained_by_failures();
	test_avoid();
	test_requeues();
	test_promised();
	test_labels();
	test_reboot();
	test_reboot_waits();
	test_delete();
	test_not_dead();
	test_dry_run();
	test_names();
	test_limit_lowered();
	return done();
}
