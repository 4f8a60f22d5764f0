/*
 * Backfill in simulated days. Each task runs exactly until its time limit, if it has one, and later
 * jobs have later places in their queue. A gang that holds the reservation must start no later than
 * first predicted, whatever starts before it. Without backfill, large gangs wait longer on average
 * in the same days.
 *
 *	reservation_start [FIRST-SEED [COUNT]]
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 8, SHAPES = 6, JOBS = 300, STEPS = 400, WORLDS = 100, MEMBERS = 6, AT_ONCE = 5 };

struct shape {
	int64_t cpu, memory;
	uint32_t members;
	bool distinct, exclusive, uniform, pinned;
};

struct task {
	int64_t limit, end, predicted; /* limit 0: none; predicted 0: no start was predicted */
	bool runs, started;
	uint32_t members;
};

struct day {
	struct rig rig;
	struct shape shapes[SHAPES];
	struct task tasks[JOBS];
	uint64_t random;
	int64_t now;
	int jobs;
	/* counted */
	unsigned long predictions, before;
	double wait; /* waiting large gangs, summed over time */
	const char *wrong;
};

static int below(struct day *d, int n)
{
	d->random ^= d->random << 13;
	d->random ^= d->random >> 7;
	d->random ^= d->random << 17;
	return (int)((d->random * UINT64_C(0x2545f4914f6cdd1d) >> 16) % (uint64_t)n);
}

static bool one_in(struct day *d, int n)
{
	return below(d, n) == 0;
}

static const char *const names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
static const char *const racks[] = {"r0", "r1", "r2"};

static void add_nodes(struct day *d)
{
	for (int i = 0; i < NODES; i++) {
		struct sched_label label = {"rack", racks[below(d, 3)]};
		struct sched_node n = {.name = names[i],
				       .total = {1000 * (2 + below(d, 7)),
						 RIG_G * (2 + below(d, 7))},
				       .labels = &label,
				       .label_count = 1,
				       .schedulable = true};

		sched_node_set(d->rig.s, &n);
	}
}

static void draw_shapes(struct day *d)
{
	for (int i = 0; i < SHAPES; i++) {
		struct shape *s = &d->shapes[i];

		*s = (struct shape){.cpu = 500 * (1 + below(d, 10)),
				    .memory = RIG_G / 2 * (1 + below(d, 8)),
				    .members = 1};
		if (i % 2 == 0)
			continue;
		s->members = 1 + (uint32_t)below(d, MEMBERS);
		s->distinct = one_in(d, 3);
		s->exclusive = one_in(d, 4);
		s->uniform = one_in(d, 3);
		s->pinned = one_in(d, 4);
	}
}

static void submit(struct day *d)
{
	const struct shape *s = &d->shapes[below(d, SHAPES)];
	struct task *t = &d->tasks[d->jobs];
	const char *node = names[below(d, NODES)];
	struct sched_job j = {.id = (uint64_t)d->jobs + 1,
			      .queue = "a",
			      .class_name = "mid",
			      .submit_us = d->jobs,
			      .request = {s->cpu, s->memory},
			      .members = s->members,
			      .min_members = s->members,
			      .distinct = s->distinct,
			      .exclusive = s->exclusive,
			      .uniformity = s->uniform ? "rack" : NULL,
			      .exclude = &node,
			      .exclude_count = s->pinned};

	*t = (struct task){.limit = one_in(d, 40) ? 0 : 1 + below(d, one_in(d, 3) ? 50 : 8),
			   .members = s->members};
	j.time_limit_us = t->limit;
	sched_job_add(d->rig.s, &j);
	sched_wait(d->rig.s, j.id, 0, 0, 1);
	d->jobs++;
}

/* Advances the time to the next end; false if no task has an end. */
static bool pass_time(struct day *d)
{
	int64_t next = INT64_MAX;

	for (int i = 0; i < d->jobs; i++)
		if (d->tasks[i].runs && d->tasks[i].limit && d->tasks[i].end < next)
			next = d->tasks[i].end;
	if (next == INT64_MAX)
		return false;
	for (int i = 0; i < d->jobs; i++)
		if (!d->tasks[i].started && d->tasks[i].members > 1)
			d->wait += (double)(next - d->now);
	d->now = next;
	for (int i = 0; i < d->jobs; i++) {
		struct task *t = &d->tasks[i];

		if (!t->runs || !t->limit || t->end > d->now)
			continue;
		t->runs = false;
		sched_end(d->rig.s, (uint64_t)i + 1, 0);
	}
	return true;
}

static void start(struct day *d, const struct sched_decision *decision, bool reserved)
{
	struct task *t = &d->tasks[decision->job - 1];

	sched_run(d->rig.s, decision->job, decision->element, (const char *const *)decision->nodes,
		  d->now);
	t->runs = t->started = true;
	t->end = d->now + t->limit;
	d->before += reserved;
	if (t->predicted && d->now > t->predicted)
		d->wrong = "the job starts later than predicted";
}

static void play_round(struct day *d)
{
	struct sched_round in = {.now_us = d->now};
	struct sched_result res;

	sched_run_round(d->rig.s, &in, &res);
	if (res.reservation) {
		struct task *t = &d->tasks[res.reservation->job - 1];

		if (!t->predicted) {
			t->predicted = res.reservation->start_us;
			d->predictions++;
		} else if (res.reservation->start_us > t->predicted) {
			d->wrong = "the predicted start becomes later";
		}
	}
	for (size_t i = 0; i < res.decision_count; i++)
		start(d, &res.decisions[i], res.reservation != NULL);
	sched_result_done(&res);
}

static void play(struct day *d, uint64_t seed, bool backfill)
{
	static const struct sched_class classes[] = {{"mid", 0, true, true, {0}, false}};
	struct rig_policy policy = {.classes = classes,
				    .class_count = 1,
				    .options = {{"backfill", backfill, NULL, 0}},
				    .option_count = 1};

	*d = (struct day){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .now = 1};
	rig_init_policy(&d->rig, &policy);
	sched_queue_set(d->rig.s, "a", 1, false);
	add_nodes(d);
	draw_shapes(d);
	for (int step = 0; step < STEPS && !d->wrong; step++) {
		for (int i = below(d, AT_ONCE); i > 0 && d->jobs < JOBS; i--)
			submit(d);
		play_round(d);
		if (!pass_time(d) && d->jobs == JOBS)
			break;
	}
	if (d->wrong)
		diag("seed %llu at %lld: %s", (unsigned long long)seed, (long long)d->now,
		     d->wrong);
	rig_done(&d->rig);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : WORLDS, good = 0;
	unsigned long predictions = 0, before = 0;
	double wait = 0, wait_without = 0;
	CLEANUP_FREE struct day *d = xcalloc(1, sizeof(*d));

	for (uint64_t seed = first; seed < first + count; seed++) {
		play(d, seed, true);
		good += !d->wrong;
		predictions += d->predictions;
		before += d->before;
		wait += d->wait / (double)d->now;
		play(d, seed, false);
		wait_without += d->wait / (double)d->now;
	}
	is_int((long long)good, (long long)count,
	       "predicted starts are kept, in days from seed %llu", (unsigned long long)first);
	ok(predictions && before, "starts were predicted, and other jobs started before them");
	ok(count < 20 || wait < wait_without, "with backfill fewer large gangs wait");
	diag("%lu predicted starts, %lu others before them; %g large gangs wait on average, %g without",
	     predictions, before, wait / (double)count, wait_without / (double)count);
	return done();
}
