/*
 * Over many rounds of random worlds each queue has its entitlement: the part by its weight of the
 * free resources and of the resources that other queues do not use.
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "unit/sched/slices_plain.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUEUES = 5, WORLDS = 20, JOBS = 1024 };

struct world {
	uint64_t random, id;
	struct rig rig;
	int queues, free;
	bool mixed;
	double weight[QUEUES];
	double most[QUEUES];  /* cores to request */
	double asked[QUEUES]; /* requested by waiting jobs */
	double due[QUEUES], had[QUEUES];
	struct job {
		uint64_t id;
		uint8_t queue, cores;
	} jobs[JOBS]; /* by id; the number of jobs at once */
};

static int draw(struct world *w, int n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (int)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) % (uint64_t)n);
}

/*
 * The entitlement: each queue gets its part by weight, at most its request; the rest is divided
 * among the others in the same way.
 */
static void entitle(struct world *w)
{
	double left = w->free, due[QUEUES] = {0};
	bool done[QUEUES] = {false};

	for (int pass = 0; pass < QUEUES + 1; pass++) {
		double sum = 0, spare = 0;

		for (int q = 0; q < w->queues; q++)
			sum += done[q] ? 0 : w->weight[q];
		for (int q = 0; q < w->queues && sum > 0; q++) {
			if (done[q])
				continue;
			due[q] += left * w->weight[q] / sum;
			if (due[q] < w->asked[q])
				continue;
			spare += due[q] - w->asked[q];
			due[q] = w->asked[q];
			done[q] = true;
		}
		left = spare;
	}
	for (int q = 0; q < w->queues; q++)
		w->due[q] += due[q];
}

/* Submits jobs until the queue requests its amount. */
static void submit(struct world *w, int q)
{
	char name[2] = {(char)('a' + q), 0};

	while (w->asked[q] < w->most[q]) {
		int cores = w->mixed ? 1 + draw(w, 3) : 1;
		struct sched_job job = {.id = ++w->id,
					.queue = name,
					.class_name = "low",
					.submit_us = (int64_t)w->id,
					.request = {1000 * cores, 0},
					.members = 1,
					.min_members = 1};

		while (w->jobs[job.id % JOBS].cores)
			job.id = ++w->id;
		sched_job_add(w->rig.s, &job);
		sched_wait(w->rig.s, job.id, 0, 0, 1);
		w->jobs[job.id % JOBS] = (struct job){job.id, (uint8_t)q, (uint8_t)cores};
		w->asked[q] += cores;
	}
}

static void open_world(struct world *w, uint64_t seed, bool mixed, bool only)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false}};
	struct rig_policy policy = {.order = "slices",
				    .options = {{"probabilistic_only", only, NULL, 0}},
				    .option_count = 1,
				    .classes = classes,
				    .class_count = 1};
	double sum = 0;
	int nodes;

	*w = (struct world){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .mixed = mixed};
	for (int i = 0; i < 9; i++)
		draw(w, 2);
	rig_init_policy(&w->rig, &policy);
	nodes = 3 + draw(w, 3);
	for (int n = 0; n < nodes; n++) {
		char name[16];
		struct sched_node node = {.name = name, .schedulable = true};
		int cores = (mixed ? 48 : 24) + draw(w, 16);

		snprintf(name, sizeof(name), "n%d", n);
		node.total[RIG_CPU] = 1000 * cores;
		node.total[RIG_MEMORY] = 64 * RIG_G;
		sched_node_set(w->rig.s, &node);
		w->free += cores;
	}
	w->queues = 2 + draw(w, QUEUES - 1);
	for (int q = 0; q < w->queues; q++) {
		char name[2] = {(char)('a' + q), 0};
		double factor = 1 + draw(w, 5) / 2.0;

		w->weight[q] = 1 / factor;
		sum += w->weight[q];
		sched_queue_set(w->rig.s, name, factor, false);
	}
	/* Some queues request less than their slice. */
	for (int q = 0; q < w->queues; q++) {
		w->most[q] = (draw(w, 4) ? 1.3 : 0.4 * w->weight[q] / sum) * w->free;
		submit(w, q);
	}
}

static void remove_job(struct world *w, uint64_t id)
{
	struct job *j = &w->jobs[id % JOBS];

	w->asked[j->queue] -= j->cores;
	j->cores = 0;
	sched_unwait(w->rig.s, id, 0, 0);
	sched_job_remove(w->rig.s, id);
}

/*
 * Started jobs end at once, and others are submitted in their place; jobs of all sizes are replaced
 * completely, or only the large ones would be left in the end.
 */
static void play_round(struct world *w, uint64_t seed)
{
	struct sched_round in = {.now_us = 1, .seed = seed};
	struct sched_result out;

	entitle(w);
	sched_run_round(w->rig.s, &in, &out);
	for (size_t i = 0; i < out.decision_count; i++) {
		const struct job *j = &w->jobs[out.decisions[i].job % JOBS];

		w->had[j->queue] += j->cores;
		remove_job(w, out.decisions[i].job);
	}
	sched_result_done(&out);
	for (uint64_t id = w->id; w->mixed && id > 0 && w->id - id < JOBS; id--)
		if (w->jobs[id % JOBS].cores && w->jobs[id % JOBS].id == id)
			remove_job(w, id);
	for (int q = 0; q < w->queues; q++)
		submit(w, q);
}

/* The worst deviation of a queue's part of the started jobs, relative to its entitlement. */
static double worst_of(const struct world *w)
{
	double due = 0, had = 0, worst = 0;

	for (int q = 0; q < w->queues; q++) {
		due += w->due[q];
		had += w->had[q];
	}
	for (int q = 0; q < w->queues; q++) {
		double off = fabs(w->had[q] / had / (w->due[q] / due) - 1);

		worst = off > worst ? off : worst;
	}
	return worst;
}

static void play(uint64_t rounds, bool mixed, bool only, const char *name)
{
	double worst = 0, each = (double)(rounds / WORLDS);
	uint64_t seed = 0;

	for (int i = 0; i < WORLDS; i++) {
		struct world *w = xcalloc(1, sizeof(*w));
		double off;

		open_world(w, (uint64_t)i + 1, mixed, only);
		for (uint64_t n = 0; n < rounds / WORLDS; n++)
			play_round(w, ++seed);
		off = worst_of(w);
		for (int q = 0; off > 0.02 && q < w->queues; q++)
			diag("world %d: %c of weight %g is due %g of %d, and has %g", i + 1,
			     'a' + q, w->weight[q], w->due[q] / each, w->free, w->had[q] / each);
		worst = off > worst ? off : worst;
		rig_done(&w->rig);
		free(w);
	}
	ok(worst <= 0.02, "%llu rounds, %s: within 2 %% (%.2f %%)", (unsigned long long)rounds,
	   name, 100 * worst);
}

void slices_share_over(uint64_t rounds)
{
	play(rounds, false, false, "equal jobs");
	play(rounds, true, false, "jobs of all sizes");
	play(rounds, false, true, "equal jobs, by random draws alone");
	play(rounds, true, true, "jobs of all sizes, by random draws alone");
}
