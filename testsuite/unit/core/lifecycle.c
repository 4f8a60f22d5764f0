/*
 * The lifecycle of jobs: transitions of the state machine, ends, cancellation, preemption, gangs,
 * lost and drained nodes, arrays. Each test gives single inputs to the core and checks states and
 * orders.
 */
#include "fixture.h"
#include "core/state/state_machine.h"
#include "tap/tap.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

static void test_machine(void)
{
	for (int s = 0; s < STATE_COUNT; s++)
		for (int ev = 0; ev < EV_COUNT; ev++) {
			int next = machine_next(s, ev);
			bool terminal = s >= JOB(COMPLETED) || s == 0;

			if (terminal && next != NEXT_NONE)
				ok(false, "terminal state %d has a transition by event %d", s, ev);
			if (!terminal && ev == EV_CONCLUDE && next != NEXT_ANY)
				ok(false, "state %d cannot end", s);
			if (next >= 0 && (next == 0 || next >= JOB(COMPLETED)))
				ok(false, "state %d goes to %d by event %d", s, next, ev);
		}
	ok(true, "terminal states have no transition, every other state can end");
}

static void test_success(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	ok(world_reply(&w, MSG_REGISTERED) != NULL, "a registration is accepted");
	id = world_submit_plain(&w);
	is_int(id, 1, "the first job has id 1");
	is_int(world_state(&w, id, 0), JOB(PENDING), "the job is PENDING");
	world_decide(&w, id, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "a lease sends one launch order");
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "the job is CONFIGURING");
	world_started(&w, 1, id, 0, 0, 1);
	ok(world_reply(&w, MSG_REPORT_ACK) != NULL, "the start is acknowledged");
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job is RUNNING");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_int(world_state(&w, id, 0), 0, "an ended job has left the state");
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "the ended job is in the history");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	ok(world_reply(&w, MSG_REPORT_ACK) && !w.out.record,
	   "a repeated report is only acknowledged");
	world_done(&w);
}

static const struct {
	Armada__EndCause cause;
	int code;
	int state; /* 0: the job is requeued */
} ends[] = {
	{END(EXITED), 3, JOB(FAILED)},
	{END(SIGNALED), 0, JOB(FAILED)},
	{END(TIME_LIMIT), 0, JOB(TIMEOUT)},
	{END(LAUNCH_FAILED), 0, JOB(FAILED)},
	{END(OUT_OF_MEMORY), 0, JOB(OUT_OF_MEMORY)},
	{END(REFUSED), 0, 0},
	{END(LOST), 0, 0},
	{END(NODE), 0, 0},
};

static void test_ends(void)
{
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		uint64_t id = world_submit_plain(&w);

		world_decide(&w, id, 0, "n1");
		world_ended(&w, 1, id, 0, 0, 1, ends[i].cause, ends[i].code);
		is_int(world_ended_as(&w, id, 0), ends[i].state, "end by cause %d", ends[i].cause);
		if (!ends[i].state)
			is_int(world_state(&w, id, 0), JOB(PENDING), "the job is pending");
	}
	world_done(&w);
}

/* The row of the attempt that the last input ended; NULL: none. */
static const struct armada_history_row *attempt_of(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_HISTORY && w->out.effects[i].attempt)
			return w->out.effects[i].attempt;
	return NULL;
}

/* An attempt after which the job waits again is a row of the history, but not an end. */
static void test_attempts(void)
{
	static const struct {
		Armada__EndCause cause;
		int state;
	} causes[] = {
		{END(REFUSED), JOB(NODE_FAIL)},
		{END(LOST), JOB(NODE_FAIL)},
		{END(PREEMPTED), JOB(PREEMPTED)},
		{END(EXITED), 0},
	};
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		uint64_t id = world_submit_plain(&w);
		const struct armada_history_row *r;
		const Armada__JobRow *row;

		world_decide(&w, id, 0, "n1");
		world_started(&w, 1, id, 0, 0, 1);
		if (causes[i].cause == END(PREEMPTED))
			world_preempt(&w, id, 0);
		world_ended(&w, 1, id, 0, 0, 1, causes[i].cause, 0);
		r = attempt_of(&w);
		is_int(r ? r->state : 0, causes[i].state, "state of the attempt, cause %d",
		       causes[i].cause);
		if (!r)
			continue;
		row = msg_unpack_as(&armada__job_row__descriptor, r->row, r->row_len, arena, NULL);
		ok(row && row->requeued && row->attempt == 1 && row->n_nodes == 1 &&
			   row->start_us && row->end_us >= row->start_us,
		   "its row has the attempt, node and times");
		is_int(world_ended_as(&w, id, 0), 0, "the job has not ended");
		world_decide(&w, id, 0, "n1");
		world_ended(&w, 1, id, 0, 0, 2, END(EXITED), 0);
		ok(!attempt_of(&w) && world_ended_as(&w, id, 0) == JOB(COMPLETED),
		   "the last attempt is its end");
	}
	world_done(&w);
}

static void test_cancel(void)
{
	struct test_world w;
	const Armada__CancelReply *r;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_cancel(&w, OTHER_USER, id);
	r = world_reply(&w, MSG_CANCEL_REPLY);
	ok(r && r->denied == 1 && !w.out.record, "a user cannot cancel the job of another user");
	world_cancel(&w, TEST_USER, id);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED), "a pending job is cancelled at once");

	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	world_cancel(&w, ADMIN_USER, id);
	is_int(world_orders(&w, ORDER_KILL), 1, "a running job is killed on its node");
	is_int(world_state(&w, id, 0), JOB(COMPLETING), "it is COMPLETING meanwhile");
	world_ended(&w, 1, id, 0, 0, 1, END(CANCELLED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED), "then it is CANCELLED");
	world_done(&w);
}

static void test_preempt(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	world_preempt(&w, id, 0);
	world_ended(&w, 1, id, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "a preempted job is pending");
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "a report of the old attempt is ignored");
	world_started(&w, 1, id, 0, 0, 2);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the second attempt has the number 2");
	world_done(&w);
}

static void test_gang(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 1);
	spec_init(&spec, &group);
	group.replicas = 2;
	spec.nodes = 2;
	id = world_submit(&w, &spec);
	world_decide(&w, id, 0, "n1");
	is_int(world_state(&w, id, 0), JOB(PENDING),
	       "I7: a decision that starts half of a gang is refused");
	world_decide(&w, id, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "a whole gang is started");
	world_started(&w, 1, id, 0, 0, 1);
	is_int(world_state(&w, id, 0), JOB(CONFIGURING),
	       "the job is RUNNING only when all tasks run");
	world_started(&w, 2, id, 0, 1, 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "all tasks run");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 9);
	is_int(world_orders(&w, ORDER_KILL), 1, "a failed task ends the others");
	world_ended(&w, 2, id, 0, 1, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the job has failed");
	world_done(&w);
}

static void test_silence(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	world_closed(&w, 1);
	world_tick(&w, 61000000);
	is_int(world_state(&w, id, 0), JOB(UNKNOWN),
	       "the job of a lost node is UNKNOWN, not failed");
	world_decide(&w, id, 0, "n1");
	is_int(world_state(&w, id, 0), JOB(UNKNOWN),
	       "I3: the job of a lost node is not started again");
	world_node(&w, 2, "n1", 4, "boot1", 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "it is RUNNING when the node is back");
	is_int(world_orders(&w, ORDER_KILL), 0, "no task was killed");
	world_closed(&w, 2);
	world_node(&w, 3, "n1", 4, "boot2", 1);
	is_int(world_state(&w, id, 0), JOB(PENDING),
	       "another boot id proves that the task is dead, and the job is pending");
	world_done(&w);
}

static void test_strange_spool(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_closed(&w, 1);
	world_node(&w, 2, "n1", 4, "boot1", 2);
	has_str(world_error(&w), "another spool",
		"another spool with the same boot id does not prove that the task is dead");
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "the attempt does not change");
	world_done(&w);
}

static void test_other_machine(void)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	uint8_t node_id[16] = "machine b", spool_id[16] = "spool b";
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	world_closed(&w, 1);
	m.name = (char *)"n1";
	m.node_id.data = node_id;
	m.spool_id.data = spool_id;
	m.node_id.len = m.spool_id.len = 16;
	m.boot_id = (char *)"boot of b";
	world_agent(&w, 2, MSG_REGISTER_NODE, &m);
	has_str(world_error(&w), "an administrator must confirm them dead",
		"the boot id of another machine does not prove that the tasks of the first machine are dead");
	is_int(world_state(&w, id, 0), JOB(RUNNING), "I3: the job is not started again");
	world_done(&w);
}

static void set_drained(struct test_world *w, bool drained)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	char *names[] = {(char *)"n1"};

	m.names = names;
	m.n_names = 1;
	m.action = drained ? ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN
			   : ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_RESUME;
	m.reason = (char *)"a bad fan";
	world_send(w, ADMIN_USER, MSG_UPDATE_NODE, &m);
}

static void test_drained(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	set_drained(&w, true);
	world_closed(&w, 1);
	world_tick(&w, 61000000);
	is_int(world_state(&w, id, 0), JOB(UNKNOWN), "the job of a lost drained node is UNKNOWN");
	world_tick(&w, 1000000);
	ok(!w.out.record, "the state changes once");
	world_node(&w, 2, "n1", 4, "boot1", 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job is RUNNING when the node is back");
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	is_int(world_state(&w, id, 0), JOB(PENDING), "the node is still drained");
	world_closed(&w, 2);
	world_tick(&w, 61000000);
	set_drained(&w, false);
	world_tick(&w, 1000000);
	set_drained(&w, true);
	world_node(&w, 3, "n1", 4, "boot2", 1);
	world_decide(&w, id, 0, "n1");
	is_int(world_state(&w, id, 0), JOB(PENDING),
	       "a node that was drained while away stays drained");
	set_drained(&w, false);
	world_decide(&w, id, 0, "n1");
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "a resumed node accepts tasks");
	world_done(&w);
}

static void test_restart(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	world_closed(&w, 1);
	world_node(&w, 2, "n1", 4, "boot1", 1);
	is_int(world_orders(&w, ORDER_LAUNCH), 1,
	       "an order that the node does not know is sent again");
	world_done(&w);
}

static void test_array(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	spec_init(&spec, &group);
	range.first = 1;
	range.last = 1000000;
	spec.array = ranges;
	spec.n_array = 1;
	spec.array_throttle = 2;
	id = world_submit(&w, &spec);
	ok(id && w.out.record_len < 1000,
	   "a submission of a million elements is one record of %zu bytes", w.out.record_len);
	world_decide(&w, id, 1, "n1");
	world_decide(&w, id, 2, "n1");
	world_decide(&w, id, 3, "n1");
	is_int(world_state(&w, id, 3), JOB(PENDING), "the throttle limits the running elements");
	world_ended(&w, 1, id, 1, 0, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 1), JOB(COMPLETED), "an element ends by itself");
	world_cancel(&w, TEST_USER, id);
	is_int(world_ended_as(&w, id, 777777), JOB(CANCELLED),
	       "all pending elements are cancelled");
	world_ended(&w, 1, id, 2, 0, 1, END(CANCELLED), 0);
	is_int(world_state(&w, id, 2), 0, "the array has ended");
	world_done(&w);
}

int main(void)
{
	test_machine();
	test_success();
	test_ends();
	test_attempts();
	test_cancel();
	test_preempt();
	test_gang();
	test_silence();
	test_strange_spool();
	test_other_machine();
	test_drained();
	test_restart();
	test_array();
	return done();
}
