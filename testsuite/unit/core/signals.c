/*
 * CANCEL with a signal: which tasks get the signal, the problems that are reported for the others,
 * and that no record is written.
 */
#include "fixture.h"
#include "tap/tap.h"

#include <signal.h>
#include <string.h>

static const Armada__CancelReply *send_signal(struct test_world *w, uint32_t uid, uint64_t job,
					      int sig, bool script)
{
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};

	range.first = range.last = job;
	f.ids = ranges;
	f.n_ids = 1;
	m.filter = &f;
	m.signal = sig;
	m.signal_script = script;
	world_send(w, uid, MSG_CANCEL, &m);
	return world_reply(w, MSG_CANCEL_REPLY);
}

static const struct order *order_of(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_ORDER)
			return &w->out.effects[i].order;
	return NULL;
}

static void test_running(struct test_world *w)
{
	uint64_t job = world_submit_plain(w), number;
	const Armada__CancelReply *r;

	world_decide(w, job, 0, "n1");
	r = send_signal(w, TEST_USER, job, SIGUSR1, false);
	is_int(r->signalled, 0, "a task that has not started gets no signal");
	is_int(r->not_running, 1, "that task is counted");
	has_str(r->problems[0], "the signal was not sent: it has not started yet",
		"the problem says so");
	is_int(world_orders(w, ORDER_SIGNAL), 0, "no order is sent");
	world_started(w, 1, job, 0, 0, 1);
	r = send_signal(w, TEST_USER, job, SIGUSR1, false);
	is_int(r->signalled, 1, "a running task gets the signal");
	is_int(r->matched, 1, "no other task is matched");
	ok(!w->out.record, "no record is written");
	is_int(order_of(w)->kind, ORDER_SIGNAL, "its node gets an order");
	is_int(order_of(w)->cause, SIGUSR1, "the order has the signal");
	number = order_of(w)->number;
	send_signal(w, TEST_USER, job, SIGUSR2, true);
	is_int(order_of(w)->cause, SIGUSR2 | ORDER_TO_FIRST,
	       "the order can be for the script only");
	ok(order_of(w)->number > number, "each order has a greater number");
	is_int(world_state(w, job, 0), ARMADA__JOB_STATE__JOB_RUNNING, "the job continues");
	world_tick(w, 30000000);
	is_int(world_orders(w, ORDER_SIGNAL), 0, "a signal is not repeated");
}

static void test_refused(struct test_world *w)
{
	uint64_t job = world_submit_plain(w);
	const Armada__CancelReply *r;

	r = send_signal(w, TEST_USER, job, SIGUSR1, false);
	is_int(r->not_running, 1, "a pending job gets no signal");
	has_str(r->problems[0], "1 waiting element got no signal", "the problem says so");
	is_int(world_state(w, job, 0), ARMADA__JOB_STATE__JOB_PENDING, "the job stays pending");
	world_decide(w, job, 0, "n1");
	world_started(w, 1, job, 0, 0, 1);
	r = send_signal(w, OTHER_USER, job, SIGUSR1, false);
	is_int(r->denied, 1, "another user is denied, as for a cancel");
	is_int(world_orders(w, ORDER_SIGNAL), 0, "no order is sent");
	is_int(send_signal(w, ADMIN_USER, job, SIGUSR1, false)->signalled, 1,
	       "an administrator may send the signal");
	ok(!send_signal(w, TEST_USER, job, 65, false), "an invalid signal number is refused");
	has_str(world_error(w), "signal: 65 is not a signal: expected 1 to 64",
		"the error gives the range");
	ok(!send_signal(w, TEST_USER, job, -9, false), "a negative number is refused");
	world_closed(w, 1);
	r = send_signal(w, TEST_USER, job, SIGUSR1, false);
	is_int(r->signalled, 0, "a node that is not connected gets no order");
	has_str(r->problems[0], "node n1 is silent", "the problem names the node");
}

static void test_array(struct test_world *w)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *array[] = {&range};
	const Armada__CancelReply *r;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t job;

	world_node(w, 2, "n2", 4, "boot1", 2);
	spec_init(&spec, &group);
	range.first = 1;
	range.last = 5;
	spec.array = array;
	spec.n_array = 1;
	job = world_submit(w, &spec);
	world_decide(w, job, 2, "n2");
	world_started(w, 2, job, 2, 0, 1);
	world_decide(w, job, 3, "n2");
	r = send_signal(w, TEST_USER, job, SIGHUP, false);
	is_int(r->signalled, 1, "running elements of an array get the signal");
	is_int(r->not_running, 4, "the other elements are counted");
	is_int(r->n_problems, 2, "there is a problem for each kind");
}

int main(void)
{
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	test_running(&w);
	test_refused(&w);
	test_array(&w);
	world_done(&w);
	return done();
}
