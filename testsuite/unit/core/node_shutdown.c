/*
 * Machines that are shut down: no task is started on such a node, the jobs that ran there are
 * requeued, and the node is up again after the boot.
 */
#include "fixture.h"
#include "tap/tap.h"

#include <string.h>

static void leave(struct test_world *w, uint64_t conn)
{
	Armada__Heartbeat m = ARMADA__HEARTBEAT__INIT;

	m.number = 1;
	m.leaving = true;
	world_agent(w, conn, MSG_HEARTBEAT, &m);
}

static const Armada__NodeRow *node_row(struct test_world *w)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	const Armada__ListNodesReply *reply;

	world_send(w, TEST_USER, MSG_LIST_NODES, &q);
	reply = world_reply(w, MSG_LIST_NODES_REPLY);
	return reply->nodes[0];
}

static void test_leaving(void)
{
	struct test_world w;
	uint64_t job, other;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	job = world_submit_plain(&w);
	other = world_submit_plain(&w);
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 1);
	leave(&w, 1);
	is_int(node_row(&w)->state, ARMADA__NODE_STATE__NODE_DOWN,
	       "a node that is shut down is down");
	is_str(node_row(&w)->reason, "the machine is being shut down", "its reason says so");
	world_decide(&w, other, 0, "n1");
	is_int(world_state(&w, other, 0), ARMADA__JOB_STATE__JOB_PENDING,
	       "no task is started there");
	world_ended(&w, 1, job, 0, 0, 1, ARMADA__END_CAUSE__END_SHUTDOWN, 0);
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_PENDING,
	       "a job that ran there is pending");
	world_closed(&w, 1);
	world_tick(&w, 120000000);
	is_int(node_row(&w)->state, ARMADA__NODE_STATE__NODE_DOWN,
	       "missing heartbeats do not change the state of the node");
	world_node(&w, 2, "n1", 4, "boot2", 1);
	is_int(node_row(&w)->state, ARMADA__NODE_STATE__NODE_UP, "the node is up after the boot");
	world_decide(&w, job, 0, "n1");
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_CONFIGURING,
	       "the job starts there again");
	world_done(&w);
}

/* A machine was shut down before its reports arrived: the ends of its tasks are unknown. */
static void test_untold(void)
{
	struct test_world w;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	job = world_submit_plain(&w);
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 1);
	leave(&w, 1);
	world_closed(&w, 1);
	world_tick(&w, 120000000);
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_UNKNOWN, "the job is UNKNOWN");
	world_done(&w);
}

static void test_drained(void)
{
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_drain(&w, "n1", "for repair");
	leave(&w, 1);
	is_str(node_row(&w)->reason, "for repair", "a drained node keeps its reason");
	world_closed(&w, 1);
	world_node(&w, 2, "n1", 4, "boot2", 1);
	is_int(node_row(&w)->state, ARMADA__NODE_STATE__NODE_DRAINED,
	       "it stays drained after the boot");
	world_done(&w);
}

/* Requeues because of a shutdown do not count towards the requeue limit of a job. */
static void test_often(void)
{
	struct test_world w;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	job = world_submit_plain(&w);
	for (uint32_t i = 1; i <= 40; i++) {
		world_decide(&w, job, 0, "n1");
		world_started(&w, 1, job, 0, 0, i);
		world_ended(&w, 1, job, 0, 0, i, ARMADA__END_CAUSE__END_SHUTDOWN, 0);
	}
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_PENDING,
	       "after 40 shutdowns the job is pending");
	world_done(&w);
}

static void test_no_requeue(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	spec_init(&spec, &group);
	spec.no_requeue = true;
	job = world_submit(&w, &spec);
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 1);
	world_ended(&w, 1, job, 0, 0, 1, ARMADA__END_CAUSE__END_SHUTDOWN, 0);
	is_int(world_ended_as(&w, job, 0), ARMADA__JOB_STATE__JOB_NODE_FAIL,
	       "a job without requeue ends as NODE_FAIL");
	world_done(&w);
}

int main(void)
{
	test_leaving();
	test_untold();
	test_drained();
	test_often();
	test_no_requeue();
	return done();
}
