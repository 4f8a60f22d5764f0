/*
 * A job that starts with the minimum number of its tasks (--min-tasks): the ranks of the started
 * tasks have no gap, and replies and variables count the tasks that run.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

static uint64_t submit(struct test_world *w, uint32_t tasks, uint32_t nodes, uint32_t least)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	group.replicas = tasks;
	spec.nodes = nodes;
	spec.min_available = least;
	return world_submit(w, &spec);
}

/* A variable of launch order i of the last input; "" if it is not set. */
static const char *variable(struct test_world *w, int i, const char *name)
{
	for (size_t n = 0; n < w->out.effect_count; n++) {
		const struct effect *e = &w->out.effects[n];
		const Armada__TaskBody *body;
		struct err err;

		if (e->kind != EFFECT_ORDER || e->order.kind != ORDER_LAUNCH || i--)
			continue;
		body = msg_unpack_as(&armada__task_body__descriptor, e->body, e->len, w->arena,
				     &err);
		for (size_t k = 0; body && k < body->n_task_env; k++)
			if (strncmp(body->task_env[k], name, strlen(name)) == 0)
				return body->task_env[k] + strlen(name);
	}
	return "";
}

static const char *end_reason(const struct test_world *w)
{
	const Armada__Record *r = w->out.decoded;

	for (size_t i = 0; r && i < r->n_events; i++)
		if (r->events[i]->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED)
			return r->events[i]->element_ended->reason;
	return "none";
}

static void test_gaps(void)
{
	static const char without[] =
		"2 of 4 tasks were not started: gang minimum met without them";
	struct test_world w;
	const Armada__JobRow *row;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 2, "boot1", 1);
	world_node(&w, 2, "n2", 2, "boot2", 2);
	id = submit(&w, 4, 0, 2);
	world_decide(&w, id, 0, "n1 - - -");
	is_int(world_orders(&w, ORDER_LAUNCH), 0,
	       "a decision for fewer tasks than the minimum is refused");
	is_int(world_state(&w, id, 0), JOB(PENDING), "the job is pending");
	world_decide(&w, id, 0, "n1 n2");
	is_int(world_state(&w, id, 0), JOB(CONFIGURING), "the job starts with the minimum");
	is_int(world_row(&w, id)->tasks, 2, "the job has as many tasks as were started");
	world_done(&w);

	world_init(&w);
	world_node(&w, 1, "n1", 2, "boot1", 1);
	world_node(&w, 2, "n2", 2, "boot2", 2);
	id = submit(&w, 4, 0, 2);
	world_decide(&w, id, 0, "n1 - n2 -");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "only tasks with a node are launched");
	is_str(variable(&w, 1, "ARMADA_TASK_COUNT="), "2",
	       "a task has the number of tasks that run");
	is_str(variable(&w, 1, "ARMADA_TASK_RANK="), "1", "the ranks have no gap");
	is_str(variable(&w, 1, "ARMADA_NODE_LIST="), "n[1-2]",
	       "a task has the list of their nodes");
	row = world_row(&w, id);
	ok(row->tasks == 2 && row->n_nodes == 2 && row->resources[0]->amount == 2000,
	   "a listing shows the tasks that run");
	is_str(row->reason, without, "the reason counts the tasks that were not started");
	world_started(&w, 1, id, 0, 0, 1);
	world_started(&w, 2, id, 0, 1, 1);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job is RUNNING when these tasks run");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED),
	       "the job completes when these tasks have ended");
	is_str(end_reason(&w), without, "the history has the same reason");
	world_done(&w);
}

static void test_failure(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = submit(&w, 3, 0, 2);
	world_decide(&w, id, 0, "- n1 n1");
	world_started(&w, 1, id, 0, 0, 1);
	world_ended(&w, 1, id, 0, 0, 1, END(LOST), 0);
	world_ended(&w, 1, id, 0, 1, 1, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the lost job is pending");
	world_decide(&w, id, 0, "n1 n1 n1");
	is_int(world_row(&w, id)->tasks, 3, "the next attempt may start all tasks");
	for (uint32_t rank = 0; rank < 3; rank++)
		world_ended(&w, 1, id, 0, rank, 2, END(EXITED), rank ? 0 : 3);
	is_str(end_reason(&w), "exit code 3", "the reason of a whole gang is its exit code");

	id = submit(&w, 2, 0, 1);
	world_decide(&w, id, 0, "- n1");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 3);
	is_str(end_reason(&w),
	       "exit code 3; 1 of 2 tasks was not started: gang minimum met without it",
	       "a failure comes first in the reason");
	world_done(&w);
}

static void test_members(void)
{
	struct test_world w;
	uint64_t id;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	id = submit(&w, 4, 2, 0);
	world_decide(&w, id, 0, "n1 -");
	is_int(world_state(&w, id, 0), JOB(PENDING),
	       "I7: without a minimum all tasks start or none");
	id = submit(&w, 4, 2, 3);
	world_decide(&w, id, 0, "n1 -");
	is_int(world_state(&w, id, 0), JOB(PENDING), "a minimum is rounded up to whole nodes");
	id = submit(&w, 4, 2, 2);
	world_decide(&w, id, 0, "- n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 2,
	       "a job with a minimum of one node starts on one of two nodes");
	is_int(world_row(&w, id)->n_nodes, 2, "two tasks share that node");
	world_done(&w);
}

int main(void)
{
	test_gaps();
	test_failure();
	test_members();
	return done();
}
