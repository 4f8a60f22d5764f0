/*
 * A job whose tasks cannot be divided evenly among its nodes (--nodes=2 --ntasks=3): the first nodes
 * get one task more, on distinct nodes, in the core and in the scheduler's model.
 */
#include "fed_sched.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

static uint64_t submit(struct test_world *w, uint32_t tasks, uint32_t nodes, int cpus)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Resource cpu, *list;

	spec_init(&spec, &group);
	spec_cpus(&group, cpus, &cpu, &list);
	group.replicas = tasks;
	spec.nodes = nodes;
	return world_submit(w, &spec);
}

static void world_of(struct test_world *w, int one, int two, int three)
{
	world_init(w);
	world_node(w, 1, "n1", one, "boot1", 1);
	world_node(w, 2, "n2", two, "boot2", 2);
	world_node(w, 3, "n3", three, "boot3", 3);
}

/* The nodes of the tasks, by rank: "n1 n1 n2". */
static const char *nodes_of(struct test_world *w)
{
	const Armada__Event *ev = world_event(w, ARMADA__EVENT__KIND_ELEMENT_LEASED);
	const char *text = "";

	for (size_t i = 0; ev && i < ev->element_leased->n_nodes; i++)
		text = arena_printf(w->arena, "%s%s%s", text, i ? " " : "",
				    ev->element_leased->nodes[i]);
	return text;
}

static void test_decisions(void)
{
	struct test_world w;
	const Armada__JobRow *row;
	uint64_t id;

	world_of(&w, 4, 4, 4);
	id = submit(&w, 5, 3, 1);
	is_int(world_row(&w, id)->least_nodes, 3, "a pending job shows its nodes");
	world_decide(&w, id, 0, "n1 n1 n2");
	is_int(world_state(&w, id, 0), JOB(PENDING), "the nodes must be distinct");
	world_decide(&w, id, 0, "n1 n2");
	is_int(world_state(&w, id, 0), JOB(PENDING), "all nodes are needed");
	world_decide(&w, id, 0, "n3 n1 n2");
	is_str(nodes_of(&w), "n1 n1 n3 n3 n2",
	       "the first nodes get one task more; nodes with as many have ranks in their order");
	is_int(world_orders(&w, ORDER_LAUNCH), 5, "all tasks are launched");
	row = world_row(&w, id);
	ok(row->tasks == 5 && row->n_nodes == 5, "a listing shows the node of each task");
	world_restart(&w);
	is_int(world_row(&w, id)->tasks, 5, "a new controller knows the same tasks");
	world_done(&w);
}

/* What the scheduler decides, and what the core makes of it. */
static void round_of(struct fed_sched *p, struct test_world *w, const char *want, const char *says)
{
	const struct sched_round in = {.now_us = w->wall_us, .seed = 1};
	struct sched_result result;
	CLEANUP_FREE char *text = NULL;

	sched_run_round(p->rig.s, &in, &result);
	text = rig_decisions(&result);
	is_str(text, want, "%s", says);
	for (size_t i = 0; i < result.decision_count; i++) {
		const struct sched_decision *d = &result.decisions[i];
		const char *nodes = "";

		for (size_t n = 0; n < d->node_count; n++)
			nodes = arena_printf(w->arena, "%s %s", nodes, d->nodes[n]);
		world_decide(w, d->job, d->element, nodes);
		fed_sched_apply(p, w);
	}
	sched_result_done(&result);
}

static void test_scheduler(void)
{
	const struct rig_policy policy = {.preempt = NULL};
	struct test_world w;
	struct fed_sched live, filled;

	world_of(&w, 1, 2, 4);
	fed_sched_init(&live, &w, policy);
	submit(&w, 5, 3, 1);
	fed_sched_apply(&live, &w);
	round_of(&live, &w, "1.0@n2,n3,n1", "the nodes with two tasks have two cpus");
	fed_sched_done(&live);
	world_done(&w);

	world_of(&w, 1, 2, 4);
	fed_sched_init(&live, &w, policy);
	submit(&w, 3, 2, 1);
	fed_sched_apply(&live, &w);
	fed_sched_init(&filled, &w, policy);
	round_of(&live, &w, "1.0@n2,n1", "the node of two tasks is chosen first");
	is_str(nodes_of(&w), "n2 n2 n1", "the core gives it two tasks");
	fed_sched_done(&filled);
	submit(&w, 1, 0, 4);
	fed_sched_apply(&live, &w);
	round_of(&live, &w, "2.0@n3", "the rest of the cluster is free");
	submit(&w, 1, 0, 1);
	fed_sched_apply(&live, &w);
	round_of(&live, &w, "", "and its nodes are full");
	for (uint32_t rank = 0; rank < 3; rank++)
		world_started(&w, rank < 2 ? 2 : 1, 1, 0, rank, 1);
	for (uint32_t rank = 0; rank < 3; rank++) {
		world_ended(&w, rank < 2 ? 2 : 1, 1, 0, rank, 1, END(EXITED), 0);
		fed_sched_apply(&live, &w);
	}
	is_int(world_ended_as(&w, 1, 0), JOB(COMPLETED), "the job completes");
	round_of(&live, &w, "3.0@n1", "its nodes are free again");
	fed_sched_done(&live);
	world_done(&w);
}

static void refused(struct test_world *w, uint64_t id, const char *part, const char *says)
{
	ok(!id && strstr(world_error(w), part), "%s: %s", says, world_error(w));
}

static void test_refusals(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	world_of(&w, 1, 1, 4);
	refused(&w, submit(&w, 5, 3, 1), "2 nodes requested; only 1",
		"too few nodes for two tasks are refused");
	refused(&w, submit(&w, 2, 3, 1), "2 tasks cannot be on 3 nodes", "a node without a task");
	spec_init(&spec, &group);
	group.replicas = 3;
	spec.nodes = 2;
	spec.min_available = 2;
	refused(&w, world_submit(&w, &spec), "starts with all of its tasks",
		"a minimum is refused");
	spec_init(&spec, &group);
	group.replicas = 3;
	spec.nodes = 2;
	spec.gang_id = (char *)"g";
	spec.gang_cardinality = 2;
	refused(&w, world_submit(&w, &spec), "the same number of tasks on each node",
		"a gang of jobs is refused");
	spec_init(&spec, &group);
	group.replicas = 3;
	spec.nodes = 2;
	spec.on_task_failure = ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK;
	refused(&w, world_submit(&w, &spec), "tasks that are placed one by one",
		"a replacement of tasks is refused");
	world_done(&w);
}

int main(void)
{
	test_decisions();
	test_scheduler();
	test_refusals();
	return done();
}
