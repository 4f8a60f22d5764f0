/*
 * The processor time of scheduling rounds of several kinds, in worlds of several sizes. A round
 * neither waits nor uses threads, so processor time is its duration. No figure passes or fails.
 *
 *	bench_round [--runs N] [--only TEXT] [--figure TEXT] [--resources N] [--json] [--list]
 */
#include "bench/round_world.h"
#include "util/mem.h"

#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * The targets of the first shapes are a twentieth of the times that the original Armada publishes,
 * 0.6 s and 1.3 s; the other targets are those of this project. There are more jobs than all nodes
 * hold.
 */
/* clang-format off */
static const struct world_spec specs[] = {
	{.name = "1,000 nodes of 32 cores, one-core jobs", .style = WORLD_ONE_CORE,
	 .nodes = 1000, .queues = 10, .shapes = 1, .fill = 32000, .queued = 32000,
	 .target_cold = 30, .target_steady = 65},
	{.name = "1,000 nodes, 10,000 queued, 10 queues, 10 shapes",
	 .nodes = 1000, .queues = 10, .shapes = 10, .fill = 15000, .queued = 10000},
	{.name = "10,000 nodes, 10,000 queued, 10 queues, 200 shapes",
	 .nodes = 10000, .queues = 10, .shapes = 200, .fill = 150000, .queued = 10000,
	 .target_steady = 100},
	{.name = "10,000 nodes, 1,000,000 queued, 10 queues, 200 shapes",
	 .nodes = 10000, .queues = 10, .shapes = 200, .fill = 150000, .queued = 1000000,
	 .target_steady = 100},
	{.name = "10,000 nodes, 1,000,000 queued, 1,000 queues, 2,000 shapes",
	 .nodes = 10000, .queues = 1000, .shapes = 2000, .fill = 150000, .queued = 1000000,
	 .target_steady = 100},
	{.name = "10,000 nodes, 1,000,000 queued, 1 queue of 1,000 users, 200 shapes",
	 .nodes = 10000, .queues = 1, .shapes = 200, .fill = 150000, .queued = 1000000,
	 .users = 1000, .target_steady = 100},
	{.name = "10,000 nodes, 1,000,000 queued, 1 queue of 1,000 users under limits, 200 shapes",
	 .nodes = 10000, .queues = 1, .shapes = 200, .fill = 150000, .queued = 1000000,
	 .users = 1000, .user_limits = true},
	{.name = "10,000 nodes with a label each, 100,000 queued, 10 queues, 200 shapes",
	 .nodes = 10000, .queues = 10, .shapes = 200, .fill = 150000, .queued = 100000,
	 .own_labels = true, .target_steady = 100},
	{.name = "10,000 nodes, 1,000,000 queued, 10 queues, all different",
	 .nodes = 10000, .queues = 10, .shapes = 2000000, .fill = 150000, .queued = 1000000,
	 .target_steady = 100, .target_bytes = 300},
	{.name = "100,000 nodes, 1,000,000 queued, 10 queues, 200 shapes",
	 .nodes = 100000, .queues = 10, .shapes = 200, .fill = 1500000, .queued = 1000000,
	 .target_steady = 500},
	{.name = "100,000 nodes, 1,000,000 queued, 1,000 queues, 2,000 shapes",
	 .nodes = 100000, .queues = 1000, .shapes = 2000, .fill = 1500000, .queued = 1000000,
	 .target_steady = 500},
	{.name = "1,000 nodes of 32 cores, 100 arrays of 1,000,000", .style = WORLD_ARRAY,
	 .nodes = 1000, .queues = 10, .shapes = 1, .fill = 100, .queued = 1000000},
	{.name = "100,000 nodes of 12 cores, 1,200,000 low tasks, 10 queues", .style = WORLD_LOW,
	 .nodes = 100000, .queues = 10, .shapes = 1, .fill = 1200000},
	{.name = "100,000 nodes of 12 cores, 1,200,000 low tasks, 1,000 queues", .style = WORLD_LOW,
	 .nodes = 100000, .queues = 1000, .shapes = 1, .fill = 1200000},
};
/* clang-format on */

enum { RUNS = 5, URGENT_MEMBERS = 64, STORM = 1000, ENDED = 100, QUIET_ROUNDS = 20 };

struct bench {
	int runs;
	bool json, terminal;
	const char *only,
		*figure; /* print only worlds and figures whose names contain these texts */
	size_t printed;
	struct world w;
};

/* The times of several runs of one figure. */
struct figure {
	const char *name, *unit;
	double target; /* 0: none */
	double *samples;
	size_t count, cap;
	struct sched_work work; /* of the last */
	size_t preempted, reasons;
	uint64_t digest; /* of its decisions */
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void progress(const struct bench *b, const char *what)
{
	if (b->terminal)
		fprintf(stderr, "\r\033[K%s: %s", b->w.spec->name, what);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sample(struct figure *f, double value)
{
	GROW(f->samples, f->cap, f->count + 1);
	f->samples[f->count++] = value;
}

static void print_json(struct bench *b, const struct figure *f)
{
	printf("%s\n{\"world\": \"%s\", \"figure\": \"%s\", \"unit\": \"%s\", \"least\": %.4f, "
	       "\"median\": %.4f, \"worst\": %.4f, \"runs\": %zu, \"target\": %g, "
	       "\"gangs\": %llu, \"placed\": %llu, \"preempted\": %zu, \"evicted\": %llu, "
	       "\"reasons\": %zu, \"looked_at\": %llu, \"digest\": \"%016llx\"}",
	       b->printed++ ? "," : "[", b->w.spec->name, f->name, f->unit, f->samples[0],
	       f->samples[f->count / 2], f->samples[f->count - 1], f->count, f->target,
	       (unsigned long long)f->work.gangs, (unsigned long long)f->work.placed, f->preempted,
	       (unsigned long long)f->work.evicted, f->reasons,
	       (unsigned long long)(f->work.chunks + f->work.probes),
	       (unsigned long long)f->digest);
}

static void print_work(const struct figure *f)
{
	if (f->work.placed)
		printf("  %llu placed", (unsigned long long)f->work.placed);
	if (f->work.evicted)
		printf("  %llu evicted", (unsigned long long)f->work.evicted);
	if (f->preempted)
		printf("  %zu preempted", f->preempted);
	if (f->work.gangs)
		printf("  %llu tried", (unsigned long long)f->work.gangs);
	if (f->reasons)
		printf("  %zu reasons", f->reasons);
}

static void print_plain(const struct figure *f)
{
	char ratio[48] = "";

	if (f->target > 0)
		snprintf(ratio, sizeof(ratio), "%.2f of %g", f->samples[f->count / 2] / f->target,
			 f->target);
	printf("  %-26s %10.3f %10.3f %10.3f %-5s %13s", f->name, f->samples[0],
	       f->samples[f->count / 2], f->samples[f->count - 1], f->unit, ratio);
	print_work(f);
	putchar('\n');
}

static void report(struct bench *b, struct figure *f)
{
	qsort(f->samples, f->count, sizeof(*f->samples), compare);
	if (b->terminal)
		fputs("\r\033[K", stderr);
	if (b->json)
		print_json(b, f);
	else
		print_plain(f);
	fflush(stdout);
	free(f->samples);
}

static void report_one(struct bench *b, const char *name, const char *unit, double target,
		       double value)
{
	struct figure f = {.name = name, .unit = unit, .target = target};

	sample(&f, value);
	report(b, &f);
}

static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Equal digests mean the same decisions in the same order. */
static uint64_t digest(const struct sched_result *res)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];

		hash = mix(hash, &d->kind, sizeof(d->kind));
		hash = mix(hash, &d->job, sizeof(d->job));
		hash = mix(hash, &d->element, sizeof(d->element));
		for (size_t n = 0; n < d->node_count; n++)
			if (d->nodes[n])
				hash = mix(hash, d->nodes[n], strlen(d->nodes[n]));
	}
	return hash;
}

static void note(struct figure *f, const struct sched_result *res)
{
	f->work = res->work;
	f->reasons = res->reason_count;
	f->digest = digest(res);
	f->preempted = 0;
	for (size_t i = 0; i < res->decision_count; i++)
		f->preempted += res->decisions[i].kind == SCHED_PREEMPT;
}

static void run(struct bench *b, struct figure *f, struct sched_result *ret_result)
{
	struct sched_round in = {.now_us = 1};
	double start;

	progress(b, f->name);
	start = now_ms();
	sched_run_round(b->w.rig.s, &in, ret_result);
	sample(f, now_ms() - start);
	note(f, ret_result);
}

/* Rounds whose decisions are not applied. */
static void measure(struct bench *b, const char *name, double target)
{
	struct figure f = {.name = name, .unit = "ms", .target = target};
	struct sched_result res;

	for (int i = 0; i < b->runs && strstr(name, b->figure); i++) {
		run(b, &f, &res);
		sched_result_done(&res);
	}
	if (f.count)
		report(b, &f);
}

/*
 * Rounds with applied decisions, until a round makes none; the time of the first round after a full
 * one.
 */
static void settle(struct bench *b, const char *first)
{
	struct figure f = {.name = "its decisions applied", .unit = "ms"};
	struct figure full = {.name = first, .unit = "ms"}, rest = {.name = "settling"};
	struct sched_result res;
	size_t decided = 1;

	for (int i = 0; i < QUIET_ROUNDS && decided; i++) {
		double start;

		run(b, i == 1 && first ? &full : &rest, &res);
		decided = res.decision_count;
		start = now_ms();
		world_accept(&b->w, &res);
		if (!i)
			sample(&f, now_ms() - start);
		sched_result_done(&res);
	}
	if (first && f.count)
		report(b, &f);
	if (full.count)
		report(b, &full);
	free(rest.samples);
}

static void measure_jobs(struct bench *b)
{
	const struct world_spec *z = b->w.spec;
	int jobs = z->style == WORLD_ARRAY ? z->fill : z->fill + z->queued;
	size_t before = in_use();
	double start = now_ms();

	world_add_jobs(&b->w, jobs);
	start = now_ms() - start;
	report_one(b, "add a job", "us", 0, start * 1e3 / jobs);
	report_one(b, "memory of a job", "bytes", z->target_bytes,
		   (double)(in_use() - before) / jobs);
}

static void measure_urgent(struct bench *b)
{
	uint64_t job = world_add_urgent(&b->w, URGENT_MEMBERS);

	measure(b, "one urgent gang of 64", 0);
	sched_job_remove(b->w.rig.s, job);
}

/* Urgent gangs arrive at once; every member displaces others. */
static void measure_storm(struct bench *b, const char *name, uint32_t members)
{
	uint64_t first = world_add_storm(&b->w, STORM, members);

	measure(b, name, 0);
	for (int i = 0; i < STORM; i++)
		sched_job_remove(b->w.rig.s, first + (uint64_t)i);
}

static void measure_storms(struct bench *b)
{
	measure(b, "empty to full", 0);
	settle(b, NULL);
	measure_storm(b, "1,000 urgent jobs", 1);
	measure_storm(b, "1,000 urgent gangs of 64", URGENT_MEMBERS);
	world_protect(&b->w, 1e6);
	measure_storm(b, "1,000 urgent jobs, none evicted", 1);
	world_done(&b->w);
}

static void measure_world(struct bench *b, const struct world_spec *spec)
{
	if (!b->json)
		printf("%s\n", spec->name);
	world_init(&b->w, spec);
	measure_jobs(b);
	if (spec->style == WORLD_LOW) {
		measure_storms(b);
		return;
	}
	measure(b, "empty to full", spec->target_cold);
	settle(b, "first full round");
	measure(b, "steady, all evicted", spec->target_steady);
	measure_urgent(b);
	world_protect(&b->w, 1);
	settle(b, NULL);
	measure(b, "saturated", 0);
	world_protect(&b->w, 1e6);
	measure(b, "saturated, none evicted", 0);
	world_end(&b->w, ENDED);
	measure(b, "100 jobs ended", 0);
	world_done(&b->w);
}

static void measure_with(struct bench *b, const struct world_spec *spec, int more)
{
	struct world_spec with = *spec;

	with.more = more;
	measure_world(b, &with);
}

static int usage(void)
{
	fputs("usage: bench_round [--runs N] [--only TEXT] [--figure TEXT] [--resources 3-8] [--json] "
	      "[--list]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"runs", required_argument, NULL, 'r'},   {"only", required_argument, NULL, 'o'},
		{"figure", required_argument, NULL, 'f'}, {"json", no_argument, NULL, 'j'},
		{"list", no_argument, NULL, 'l'},         {"resources", required_argument, NULL, 'n'},
		{0}};
	struct bench b = {
		.runs = RUNS, .only = "", .figure = "", .terminal = isatty(STDERR_FILENO)};
	bool list = false;
	int c, more = 0;

	while ((c = getopt_long(argc, argv, "r:o:f:jln:", options, NULL)) != -1) {
		if (c == 'r' && (b.runs = atoi(optarg)) > 0)
			continue;
		if (c == 'n' && (more = atoi(optarg) - RIG_RESOURCES) >= 0 &&
		    more <= RIG_RESOURCES_MAX - RIG_RESOURCES)
			continue;
		if (c != 'o' && c != 'f' && c != 'j' && c != 'l')
			return usage();
		b.only = c == 'o' ? optarg : b.only;
		b.figure = c == 'f' ? optarg : b.figure;
		b.json = b.json || c == 'j';
		list = list || c == 'l';
	}
	if (!b.json && !list)
		printf("  %-26s %10s %10s %10s %-5s %13s\n", "", "least", "median", "worst", "",
		       "of target");
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		if (!strstr(specs[i].name, b.only))
			continue;
		if (list)
			puts(specs[i].name);
		else
			measure_with(&b, &specs[i], more);
	}
	if (b.json)
		puts(b.printed ? "\n]" : "[]");
	return 0;
}
