/*
 * The cost of jobs with dependencies in the core: a chain, many jobs that depend on one, many jobs
 * with a begin time. Prints the time and memory of a submission, and the time of their resolution.
 * Argument: the number of jobs (100000).
 */
#include "core/core.h"
#include "util/mem.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench {
	struct core *core;
	struct core_policy policy;
	struct sched_class class;
	int64_t wall_us;
	struct output out;
	uint64_t worst_us;
};

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void feed(struct bench *b, struct input *in)
{
	uint64_t from = now_us(), took;

	in->wall_us = in->steady_us = b->wall_us += 10;
	core_input(b->core, in, &b->out);
	took = now_us() - from;
	b->worst_us = took > b->worst_us ? took : b->worst_us;
}

static void begin(struct bench *b)
{
	static const Armada__QueueSpec own_queue = ARMADA__QUEUE_SPEC__INIT;
	static const uint8_t cluster[16] = "cluster-of-bench";
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "bench"};

	*b = (struct bench){.wall_us = INT64_C(1700000000000000)};
	b->class = (struct sched_class){.name = "armada-default", .priority = 1000};
	b->policy = (struct core_policy){
		.cluster = "bench",
		.min_uid = 500,
		.node_timeout_us = INT64_C(1) << 60,
		.default_cpu_milli = 1000,
		.default_memory_per_cpu = 1 << 20,
		.default_time_limit_us = INT64_C(86400000000),
		.default_grace_us = 1000000,
		.default_output = "out",
		.default_array_output = "out",
		.default_class = "armada-default",
		.max_script_bytes = 1 << 20,
		.max_env_bytes = 1 << 20,
		.max_args_bytes = 1 << 17,
		.max_array_elements = 1000000,
		.max_tasks = 1000,
		.max_jobs_per_request = 1000,
		.max_jobs = 10000000,
		.max_grace_us = 300000000,
		.user_queue = &own_queue,
		.classes = &b->class,
		.class_count = 1,
	};
	b->core = core_new(&b->policy);
	core_set_cluster(b->core, cluster);
	feed(b, &in);
	b->worst_us = 0;
}

/* on 0: no job. */
static void submit(struct bench *b, uint64_t on, int64_t begin_us)
{
	static const uint32_t gids[] = {1000};
	static const char *const groups[] = {"people"};
	struct caller who = {.role = ROLE_CLIENT,
			     .uid = 1000,
			     .gid = 1000,
			     .user = "ann",
			     .gids = gids,
			     .gid_count = 1,
			     .groups = groups,
			     .group_count = 1};
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT, *jobs[] = {&spec};
	Armada__TaskGroup group = ARMADA__TASK_GROUP__INIT, *list[] = {&group};
	Armada__Dependency d = ARMADA__DEPENDENCY__INIT, *deps[] = {&d};
	struct input in = {.kind = INPUT_MESSAGE,
			   .conn = 1,
			   .caller = &who,
			   .type = MSG_SUBMIT,
			   .message = &m};
	char *argv[] = {(char *)"/bin/true"};

	group.replicas = 1;
	group.argv = argv;
	group.n_argv = 1;
	spec.groups = list;
	spec.n_groups = 1;
	spec.name = (char *)"bench";
	spec.chdir = (char *)"/tmp";
	spec.begin_us = begin_us;
	d.type = ARMADA__DEPENDENCY_TYPE__DEPENDENCY_AFTEROK;
	d.job = on;
	spec.dependencies = deps;
	spec.n_dependencies = on != 0;
	m.jobs = jobs;
	m.n_jobs = 1;
	feed(b, &in);
}

static void cancel_first(struct bench *b)
{
	struct caller who = {.role = ROLE_CLIENT, .uid = 1000, .gid = 1000, .user = "ann"};
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};
	struct input in = {.kind = INPUT_MESSAGE,
			   .conn = 1,
			   .caller = &who,
			   .type = MSG_CANCEL,
			   .message = &m};

	r.first = r.last = 1;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	feed(b, &in);
}

static size_t used(void)
{
	struct mallinfo2 i = mallinfo2();

	return i.uordblks + i.hblkhd;
}

enum shape { PLAIN, CHAIN, FAN, TIMES };

static void run(enum shape shape, const char *what, uint64_t jobs)
{
	struct input tick = {.kind = INPUT_TICK};
	struct bench b;
	uint64_t from, took;
	size_t before, inputs = 1;

	begin(&b);
	submit(&b, 0, 0);
	before = used();
	from = now_us();
	for (uint64_t i = 0; i < jobs; i++)
		submit(&b,
		       shape == CHAIN ? i + 1
		       : shape == FAN ? 1
				      : 0,
		       shape == TIMES ? b.wall_us + INT64_C(3600000000) + (int64_t)i % 977 : 0);
	took = now_us() - from;
	printf("%-28s %8.2f us and %5zu bytes a job to submit", what, (double)took / (double)jobs,
	       (used() - before) / jobs);
	if (shape == PLAIN) {
		puts("");
		core_free(b.core);
		return;
	}
	b.worst_us = 0;
	if (shape == TIMES) {
		from = now_us();
		for (int i = 0; i < 1000; i++)
			feed(&b, &tick);
		printf("; %.2f us a tick", (double)(now_us() - from) / 1000);
		b.wall_us += INT64_C(7200000000);
		b.worst_us = 0;
	}
	from = now_us();
	if (shape == TIMES)
		feed(&b, &tick);
	else
		cancel_first(&b);
	for (; b.out.unfinished; inputs++)
		feed(&b, &tick);
	took = now_us() - from;
	printf("; %.2f us a job to resolve, in %zu inputs of at most %.1f ms\n",
	       (double)took / (double)jobs, inputs, (double)b.worst_us / 1000);
	core_free(b.core);
}

int main(int argc, char **argv)
{
	uint64_t jobs = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;

	run(PLAIN, "without a dependency", jobs);
	run(CHAIN, "a chain whose first job is cancelled", jobs);
	run(FAN, "all depend on a cancelled job", jobs);
	run(TIMES, "a begin time", jobs);
	return 0;
}
