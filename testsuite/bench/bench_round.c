/*
 * What a scheduling round costs: worlds of several sizes, medians printed. Never a pass or fail.
 * Times are of the processor, as a round neither waits nor has threads.
 *
 *	bench_round [RUNS [SIZE]]	(SIZE: only this one, from 1)
 */
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct size {
	const char *name;
	int nodes, jobs, queues, keys;
	bool same; /* 32-core nodes and one-core jobs */
};

static const struct size sizes[] = {
	{"1,000 nodes, 32,000 placements", 1000, 64000, 10, 1, true},
	{"10,000 nodes, 10,000 queued", 10000, 10000, 10, 200, false},
	{"10,000 nodes, 1,000,000 queued, 10 queues", 10000, 1000000, 10, 200, false},
	{"10,000 nodes, 1,000,000 queued, 1,000 queues", 10000, 1000000, 1000, 2000, false},
	{"10,000 nodes, 1,000,000 queued, all different", 10000, 1000000, 10, 1000000, false},
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void add_nodes(struct sched *s, const struct size *z)
{
	for (int i = 0; i < z->nodes; i++) {
		bool gpu = !z->same && i % 5 == 0;
		struct sched_node n = {.schedulable = true};
		char name[32];

		snprintf(name, sizeof(name), "node%05d", i);
		n.name = name;
		n.total[RIG_CPU] = z->same ? 32000 : gpu ? 64000 : 128000;
		n.total[RIG_MEMORY] = (gpu || z->same ? 256 : 512) * RIG_G;
		n.total[RIG_GPU] = gpu ? 8 : 0;
		sched_node_set(s, &n);
	}
}

static void add_jobs(struct sched *s, const struct size *z)
{
	for (int i = 0; i < z->jobs; i++) {
		int k = i % z->keys;
		char queue[16];
		struct sched_job j = {.id = (uint64_t)i + 1,
				      .queue = queue,
				      .class_name = "mid",
				      .submit_us = i,
				      .members = 1,
				      .min_members = 1};

		snprintf(queue, sizeof(queue), "q%d", (k + i / z->keys % 4) % z->queues);
		j.request[RIG_CPU] = z->same ? 1000 : 1000 * (1 + k % 16);
		j.request[RIG_MEMORY] = z->same ? RIG_G : (1 + k * 7 % 48) * RIG_G + k / 48;
		j.request[RIG_GPU] = !z->same && k % 5 == 4 ? 1 + k % 2 : 0;
		sched_job_add(s, &j);
		sched_wait(s, j.id, 0, 0, 1);
	}
}

static double run(struct sched *s, bool accept, struct sched_work *ret_work)
{
	struct sched_round in = {.now_us = 1};
	struct sched_result res;
	double start = now_ms(), took;

	sched_run_round(s, &in, &res);
	took = now_ms() - start;
	for (size_t i = 0; accept && i < res.decision_count; i++)
		rig_accept(s, &res.decisions[i]);
	*ret_work = res.work;
	sched_result_done(&res);
	return took;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of several rounds that change nothing. */
static double median(struct sched *s, int runs, struct sched_work *ret_work)
{
	double *took = xcalloc((size_t)runs, sizeof(*took)), middle;

	for (int i = 0; i < runs; i++)
		took[i] = run(s, false, ret_work);
	qsort(took, (size_t)runs, sizeof(*took), compare);
	middle = took[runs / 2];
	free(took);
	return middle;
}

static void measure(const struct size *z, int runs)
{
	struct sched_node n = {.name = "new", .schedulable = true, .total = {4000, 4 * RIG_G}};
	struct rig r;
	struct sched_work work;
	size_t before;
	double start, add;

	rig_init(&r);
	for (int q = 0; q < z->queues; q++) {
		char name[16];

		snprintf(name, sizeof(name), "q%d", q);
		sched_queue_set(r.s, name, 1 + q % 4, false);
	}
	add_nodes(r.s, z);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	start = now_ms();
	add_jobs(r.s, z);
	add = now_ms() - start;
	printf("%s, %d shapes\n", z->name, z->keys);
	printf("  add a job           %8.2f us, %zu bytes\n", add * 1e3 / z->jobs,
	       (mallinfo2().uordblks + mallinfo2().hblkhd - before) / (size_t)z->jobs);
	start = median(r.s, runs, &work);
	printf("  empty to full       %8.2f ms, %llu placed\n", start,
	       (unsigned long long)work.placed);
	start = now_ms();
	run(r.s, true, &work);
	printf("  same, told back     %8.2f ms\n", now_ms() - start);
	run(r.s, true, &work);
	start = median(r.s, runs, &work);
	printf("  saturated           %8.3f ms, %llu lanes, %llu nodes looked at\n", start,
	       (unsigned long long)work.lanes, (unsigned long long)(work.probes + work.chunks));
	sched_node_set(r.s, &n);
	printf("  one node comes      %8.3f ms", run(r.s, true, &work));
	printf(", %llu placed\n", (unsigned long long)work.placed);
	fflush(stdout);
	rig_done(&r);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 5;

	size_t only = argc > 2 ? (size_t)atoi(argv[2]) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!only || only == i + 1)
			measure(&sizes[i], runs > 0 ? runs : 5);
	return 0;
}
