/* The assignment of the tasks of a step to the tasks of its job (step_map). */
#include "cmd/arun/step_map.h"

#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

static const char *const nodes[] = {"a", "b", "a", "b", "c", "c"};

/* Compares "rank.layer" of each task of the step, or the error. */
static void test_map(const struct map_want *want, const char *expected, const char *what)
{
	const struct map_job job = {.id = 7, .tasks = 6, .nodes = nodes, .cpu_milli = 2000};
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct buf got CLEANUP_BUF = {0};
	struct map_task *tasks;
	struct err err = {{0}};
	uint32_t count;

	if (step_map(&job, want, arena, &tasks, &count, &err) < 0) {
		has_str(err.text, expected, "%s", what);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		buf_addf(&got, "%s%u.%u", i ? " " : "", tasks[i].rank, tasks[i].layer);
	is_str((char *)got.data, expected, "%s", what);
}

#define WANT(...)                                                                                  \
	&(const struct map_want)                                                                   \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

static void test_local(void)
{
	const struct map_job job = {.id = 7, .tasks = 6, .nodes = nodes, .cpu_milli = 2000};
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct map_task *tasks;
	struct err err;
	uint32_t count;

	ok(step_map(&job, WANT(.tasks = 3), arena, &tasks, &count, &err) == 0,
	   "three tasks are mapped");
	ok(tasks[1].local_rank == 1 && tasks[1].local_size == 2,
	   "the second task of two on a node has its local rank");
	ok(tasks[2].local_rank == 0 && tasks[2].local_size == 1,
	   "a single task on a node has its local rank");
}

int main(void)
{
	test_map(WANT(0), "0.0 2.0 1.0 3.0 4.0 5.0", "all tasks, node by node");
	test_map(WANT(.cyclic = true), "0.0 1.0 4.0 2.0 3.0 5.0",
		 "all tasks, cyclic over the nodes");
	test_map(WANT(.tasks = 3), "0.0 2.0 1.0", "fewer");
	test_map(WANT(.nodes = 2), "0.0 2.0", "one task per requested node");
	test_map(WANT(.nodes = 2, .cyclic = true), "0.0 1.0", "one task on each of two nodes");
	test_map(WANT(.tasks_per_node = 1), "0.0 1.0 4.0",
		 "with one task per node the tasks are on different nodes");
	test_map(WANT(.tasks = 12), "0.0 0.1 2.0 2.1 1.0 1.1 3.0 3.1 4.0 4.1 5.0 5.1",
		 "two tasks in each task of the job with two cpus");
	test_map(WANT(.tasks = 13), "13 tasks are more than job 7 has room for: 12",
		 "more tasks than room are refused");
	test_map(WANT(.tasks = 7, .cpu_milli = 2000), "room for: 6",
		 "tasks with two cpus have less room");
	test_map(WANT(.cpu_milli = 3000), "3 cpus for each task are more than a task of job 7 has",
		 "a task larger than the job's is refused");
	test_map(WANT(.nodes = 4), "4 nodes are more than job 7 has (3)",
		 "more nodes than the job's are refused");
	test_map(WANT(.tasks = 13, .overcommit = true, .nodes = 1),
		 "0.0 0.1 0.2 0.3 0.4 0.5 0.6 2.0 2.1 2.2 2.3 2.4 2.5",
		 "with --overcommit more tasks than room are accepted");
	test_map(WANT(.tasks = 4, .tasks_per_node = 1), "only 3 of 4 tasks fit",
		 "contradictory requests are refused");
	test_local();
	return done();
}
