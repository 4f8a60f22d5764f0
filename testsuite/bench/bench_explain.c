/*
 * The time to explain a pending job in a large full cluster, with and without the search for a
 * change that would start it. Prints figures; no figure passes or fails.
 *
 *	bench_explain [JOBS]
 */
#include "bench/round_world.h"
#include "sched/explain.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct world_spec specs[] = {
	{.name = "1,000 nodes, 10,000 queued, 10 queues, 10 shapes",
	 .nodes = 1000,
	 .queues = 10,
	 .shapes = 10,
	 .fill = 15000,
	 .queued = 10000},
	{.name = "10,000 nodes, 1,000,000 queued, 10 queues, 200 shapes",
	 .nodes = 10000,
	 .queues = 10,
	 .shapes = 200,
	 .fill = 150000,
	 .queued = 1000000},
};

enum { ROUNDS = 20, JOBS = 40 };

struct figures {
	double *ms;
	size_t count, cap;
	unsigned tried, changes;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void settle(struct world *w)
{
	size_t decided = 1;

	for (int i = 0; i < ROUNDS && decided; i++) {
		struct sched_round in = {.now_us = 1};
		struct sched_result res;

		sched_run_round(w->rig.s, &in, &res);
		decided = res.decision_count;
		world_accept(w, &res);
		sched_result_done(&res);
	}
}

static bool enough(void *arg)
{
	(void)arg;
	return true;
}

/* Explains jobs from all positions of the queues; without the change the search has no time. */
static void explain(struct world *w, size_t jobs, bool change, struct figures *f)
{
	uint64_t step = w->next_job / (4 * jobs) | 1;

	for (uint64_t id = 1; id < w->next_job && f->count < jobs; id += step) {
		struct sched_round in = {.now_us = 1, .stop = change ? NULL : enough};
		struct sched_explanation e;
		double start = now_ms();

		if (sched_explain(w->rig.s, id, &in, &e))
			continue;
		GROW(f->ms, f->cap, f->count + 1);
		f->ms[f->count++] = now_ms() - start;
		f->tried += e.tried;
		f->changes += e.change.kind != CHANGE_NONE;
		sched_explanation_done(&e);
	}
}

static void report(struct world *w, size_t jobs, const char *name, bool change)
{
	struct figures f = {0};

	explain(w, jobs, change, &f);
	if (!f.count)
		return;
	qsort(f.ms, f.count, sizeof(*f.ms), compare);
	printf("  %-34s %9.2f %9.2f %9.2f ms", name, f.ms[0], f.ms[f.count / 2], f.ms[f.count - 1]);
	if (change)
		printf("  %.1f tried, %u of %zu found", (double)f.tried / (double)f.count,
		       f.changes, f.count);
	putchar('\n');
	free(f.ms);
}

int main(int argc, char **argv)
{
	size_t jobs = argc > 1 ? (size_t)atoi(argv[1]) : JOBS;

	if (!jobs)
		return 2;
	printf("  %-34s %9s %9s %9s\n", "", "least", "median", "worst");
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct world w = {0};

		puts(specs[i].name);
		world_init(&w, &specs[i]);
		world_add_jobs(&w, specs[i].fill + specs[i].queued);
		settle(&w);
		report(&w, jobs, "all evicted: why", false);
		report(&w, jobs, "all evicted: why, and a change", true);
		world_protect(&w, 1e6);
		settle(&w);
		report(&w, jobs, "none evicted: why", false);
		report(&w, jobs, "none evicted: why, and a change", true);
		world_done(&w);
	}
	return 0;
}
