/*
 * fairness/decay: the usage after one interval, the usage that the scheduler keeps over many
 * intervals, and the long-run shares of queues.
 */
#include "sched/usage_history.h"
#include "sched/configure.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <armada/fairness.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define HOUR   (3600 * SECOND)
#define T0     (INT64_C(1800000000) * SECOND)

static const struct sched_class classes[] = {{"low", 0, false, false, {0}, false}};

static void rig_decay(struct rig *r, double half_life_us, double floor)
{
	struct rig_policy policy = {
		.fairness = "decay",
		.options = {{"half_life", half_life_us, NULL, 0},
			    {"floor", floor, NULL, 0},
			    {"backfill", 0, NULL, 0}},
		.option_count = 3,
		.classes = classes,
		.class_count = 1,
	};

	rig_init_policy(r, &policy);
}

static bool near(double a, double b, double part)
{
	return fabs(a - b) <= part * (1e-3 + fabs(b));
}

/* The cluster and the queue of the example in the documents of Armada. */
static const int64_t totals[] = {10000, 20 * RIG_G, 5}, used[] = {5000, 2 * RIG_G, 1};

struct plugin_rig {
	struct rig rig;
	const struct armada_fairness_ops *ops;
	void *handle;
};

static void plugin_open(struct plugin_rig *p, double half_life_us, double floor)
{
	static const char *const resources[] = {"cpu", "memory", "gpu"};
	struct armada_policy policy = {resources, 3};
	struct armada_error err;

	rig_decay(&p->rig, half_life_us, floor);
	p->ops = p->rig.fairness.ops;
	if (p->ops->open(&p->handle, p->rig.fairness.values, &policy, &err))
		bail("%s", err.text);
}

static void plugin_done(struct plugin_rig *p)
{
	p->ops->close(p->handle);
	rig_done(&p->rig);
}

static double lapse(const struct plugin_rig *p, int64_t us, double memory)
{
	struct armada_fairness_lapse l = {totals, used, us};

	return p->ops->lapse(p->handle, &l, memory);
}

static void test_usage(void)
{
	struct plugin_rig p;
	double far;

	plugin_open(&p, (double)HOUR, 0.5);
	far = lapse(&p, 100 * HOUR, 0);
	ok(near(far, 8, 1e-12), "5 cpu, 1 gpu and 2 Gi of 10, 5 and 20: 8 (%.17g)", far);
	ok(near(lapse(&p, HOUR, 0), 4, 1e-12),
	   "in one half-life the usage moves half of the way up to its goal");
	ok(near(lapse(&p, HOUR, 24), 16, 1e-12),
	   "in one half-life the usage moves half of the way down to its goal");
	ok(near(lapse(&p, 2 * HOUR, 0), 6, 1e-12),
	   "in two half-lives the usage moves three quarters of the way");
	ok(near(lapse(&p, 1, 0), 8 * M_LN2 / (double)HOUR, 1e-9),
	   "an interval of a microsecond has an effect");
	ok(near(lapse(&p, 123456789, 8), 8, 1e-15), "a usage at its goal does not change");
	ok(lapse(&p, INT64_MAX, 1e300) == 8,
	   "after the longest interval the largest usage is at the goal");
	plugin_done(&p);
}

/* An interval gives the same result as its parts. */
static void test_parts(void)
{
	unsigned seed = 7;
	struct plugin_rig p;

	plugin_open(&p, (double)HOUR, 0.5);
	for (int round = 0; round < 20; round++) {
		int64_t whole = 1 + rand_r(&seed) % 1000000 * INT64_C(40000), left = whole;
		double start = rand_r(&seed) % 1000 / 10.0, memory = start, at_once;
		int parts = 0;

		for (; left; parts++) {
			int64_t part = 1 + (int64_t)(rand_r(&seed) % 1000) * (whole / 100000 + 1);

			part = part > left ? left : part;
			memory = lapse(&p, part, memory);
			left -= part;
		}
		at_once = lapse(&p, whole, start);
		if (!near(memory, at_once, 1e-9))
			ok(false, "%d parts of %lld us: %.17g and %.17g", parts, (long long)whole,
			   memory, at_once);
	}
	ok(true, "any parts of an interval give the result of the whole");
	plugin_done(&p);
}

static void test_weights(void)
{
	static const char *const names[] = {"a", "b", "c"};
	static const double factors[] = {1, 2, 3};
	double memory[] = {8, 0, 0.6}, weights[3];
	struct armada_queues queues = {.count = 3, .names = names, .factors = factors};
	struct armada_fairness_round round = {
		.totals = totals, .queues = &queues, .memory = memory};
	int64_t nothing[] = {0, 0, 0};
	struct plugin_rig p;

	plugin_open(&p, (double)HOUR, 0.5);
	p.ops->begin(p.handle, &round, weights);
	ok(near(weights[0], 1 / 8.0, 1e-12), "the weight is 1 over the usage");
	ok(near(weights[1], 1 / (0.5 * 2), 1e-12),
	   "the usage is at least the floor, times the factor");
	ok(near(weights[2], 1 / (0.6 * 3), 1e-12), "usage above the floor counts");
	ok(near(p.ops->cost(p.handle, totals), 1, 1e-12), "the whole costs 1");
	ok(near(p.ops->cost(p.handle, used), 8 / 30.0, 1e-12),
	   "a part costs its usage divided by the whole's");
	ok(p.ops->cost(p.handle, nothing) == 0, "no usage costs nothing");
	round.totals = nothing;
	p.ops->begin(p.handle, &round, weights);
	ok(p.ops->cost(p.handle, used) == 0 && isfinite(weights[0]),
	   "an empty cluster has no cost");
	plugin_done(&p);
}

/* The scheduler. Queue q has job q + 1, an endless array. */

static void set_node(struct sched *s, const char *name, int64_t cpus, int64_t gpus, bool up)
{
	struct sched_node n = {.name = name, .schedulable = up};

	n.total[RIG_CPU] = cpus * 1000;
	n.total[RIG_MEMORY] = cpus * RIG_G;
	n.total[RIG_GPU] = gpus;
	sched_node_set(s, &n);
}

static void set_queue(struct sched *s, const char *name, double factor, uint64_t id)
{
	struct sched_job j = {.id = id, .queue = name, .class_name = "low", .members = 1};

	j.request[RIG_CPU] = 1000;
	j.request[RIG_MEMORY] = RIG_G / 2;
	sched_queue_set(s, name, factor, false);
	sched_job_add(s, &j);
	sched_wait(s, id, 0, 1000000, 1);
}

/* The usage of a running job on this cluster, in cores. */
static double use_of_one(int64_t cpus, int64_t memory_gib)
{
	return 1 + 0.5 * (double)cpus / (double)memory_gib;
}

static void run_round(struct sched *s, int64_t now_us)
{
	struct sched_round in = {.now_us = now_us, .seed = 1};
	struct sched_result res;

	sched_run_round(s, &in, &res);
	sched_result_done(&res);
}

/*
 * Random starts, ends and nodes. A second scheduler runs further rounds in between; the usage must
 * be the same.
 */
static void test_events(void)
{
	static const char *const on_n0[] = {"n0"};
	struct rig calm, busy;
	double half = 600 * (double)SECOND, memory = 0;
	uint32_t first = 0, next = 0;
	int64_t now = T0, gpus = 0, cpus = 100;
	unsigned seed = 3;

	rig_decay(&calm, half, 0.5);
	rig_decay(&busy, half, 0.5);
	for (int k = 0; k < 2; k++) {
		struct sched *s = k ? busy.s : calm.s;

		sched_now(s, now);
		set_node(s, "n0", 100, 0, true);
		set_queue(s, "q", 1, 1);
	}
	for (int step = 0; step < 2000; step++) {
		int64_t us = rand_r(&seed) % 4 ? rand_r(&seed) % 30000000 : 0;
		double use = (next - first) * use_of_one(cpus, cpus);
		int what = rand_r(&seed) % 8;

		memory = use + (memory - use) * exp2(-(double)us / half);
		now += us;
		if (step % 3 == 0)
			run_round(busy.s, now + 500000); /* ahead of the reported time */
		if (what == 0) {
			cpus = 100 + rand_r(&seed) % 50;
			gpus = rand_r(&seed) % 3;
		}
		for (int k = 0; k < 2; k++) {
			struct sched *s = k ? busy.s : calm.s;

			sched_now(s, now);
			if (what == 0)
				set_node(s, "n0", cpus, gpus, true);
			else if (what < 5 && next - first < 60)
				sched_run(s, 1, next, on_n0, now);
			else if (next > first)
				sched_end(s, 1, first);
		}
		if (what && what < 5 && next - first < 60)
			next++;
		else if (what && next > first)
			first++;
		if (!near(sched_queue_history(calm.s, "q", now), memory, 1e-9)) {
			ok(false, "step %d: %.12g, not %.12g", step,
			   sched_queue_history(calm.s, "q", now), memory);
			break;
		}
	}
	ok(memory > 1, "usage is remembered: %g", memory);
	ok(near(sched_queue_history(calm.s, "q", now), memory, 1e-9),
	   "the remembered usage is the exact usage");
	ok(sched_queue_history(busy.s, "q", now) == sched_queue_history(calm.s, "q", now),
	   "the number of rounds has no effect");
	rig_done(&calm);
	rig_done(&busy);
}

static void test_clock(void)
{
	static const char *const on_n0[] = {"n0"};
	struct rig r;
	double was;

	rig_decay(&r, (double)HOUR, 0.5);
	sched_now(r.s, T0);
	set_node(r.s, "n0", 10, 0, true);
	set_queue(r.s, "q", 1, 1);
	sched_run(r.s, 1, 0, on_n0, T0);
	sched_now(r.s, T0 + HOUR);
	was = sched_queue_history(r.s, "q", T0 + HOUR);
	ok(near(was, 0.75, 1e-9), "an hour of a core and a half is remembered: %g", was);
	sched_now(r.s, T0 - 10 * HOUR);
	ok(near(sched_queue_history(r.s, "q", T0 - 10 * HOUR), was, 1e-12),
	   "after a backward step of the clock no time has passed");
	run_round(r.s, T0 - 20 * HOUR);
	sched_now(r.s, T0 - 9 * HOUR);
	ok(near(sched_queue_history(r.s, "q", T0 - 9 * HOUR), 1.125, 1e-9),
	   "then the usage grows again");
	sched_now(r.s, INT64_MAX - 1);
	ok(near(sched_queue_history(r.s, "q", INT64_MAX), 1.5, 1e-9),
	   "after the largest forward step of the clock the remembered usage is the present use");
	sched_now(r.s, 0);
	sched_end(r.s, 1, 0);
	sched_now(r.s, HOUR);
	ok(near(sched_queue_history(r.s, "q", HOUR), 0.75, 1e-9), "then the usage changes again");
	rig_done(&r);
}

/* A new scheduler that gets the recorded usage continues like the old one. */
static void test_recall(void)
{
	static const char *const on_n0[] = {"n0"};
	struct sched_round in = {.now_us = T0 + HOUR, .seed = 1};
	struct sched_result res;
	struct rig a, b;

	rig_decay(&a, (double)HOUR, 0.5);
	rig_decay(&b, (double)HOUR, 0.5);
	sched_now(a.s, T0);
	set_node(a.s, "n0", 10, 0, true);
	set_queue(a.s, "q", 1, 1);
	set_queue(a.s, "idle", 1, 2);
	sched_unwait(a.s, 2, 0, 1000000);
	sched_run(a.s, 1, 0, on_n0, T0);
	sched_run_round(a.s, &in, &res);
	is_int((long long)res.share_count, 1, "one queue takes part");
	ok(res.shares[0].remembers && res.shares[0].unnoted, "its usage is not recorded yet");
	ok(near(res.shares[0].memory, 0.75, 1e-9), "its usage is reported");
	is_str(res.fairness, "decay", "the plugin is reported");
	sched_queue_history_noted(a.s, "q", in.now_us, res.shares[0].memory);
	/* the new scheduler gets the queue, then the rest, before any time passes */
	sched_queue_set(b.s, "q", 1, false);
	sched_queue_restore_history(b.s, "q", in.now_us, res.shares[0].memory);
	sched_result_done(&res);
	set_node(b.s, "n0", 10, 0, true);
	set_queue(b.s, "q", 1, 1);
	sched_run(b.s, 1, 0, on_n0, T0);
	for (int k = 0; k < 2; k++) {
		struct sched *s = k ? b.s : a.s;

		sched_now(s, T0 + 3 * HOUR);
		sched_end(s, 1, 0);
	}
	ok(near(sched_queue_history(a.s, "q", T0 + 4 * HOUR),
		sched_queue_history(b.s, "q", T0 + 4 * HOUR), 1e-12),
	   "both schedulers have the same usage: %g", sched_queue_history(b.s, "q", T0 + 4 * HOUR));
	in.now_us = T0 + 4 * HOUR;
	sched_unwait(a.s, 1, 0, 1000000);
	sched_run_round(a.s, &in, &res);
	is_int((long long)res.share_count, 0, "with nothing to do no queue takes part");
	is_int((long long)res.remembered_count, 1, "one queue is remembered");
	ok(res.remembered_count && res.remembered[0].unnoted,
	   "the queue's job ended since the last record");
	sched_result_done(&res);
	rig_done(&a);
	rig_done(&b);
}

static void test_other_plugin(void)
{
	static const char *const on_n0[] = {"n0"};
	static const char *const resources[] = {"cpu", "memory", "gpu"};
	struct rig r, drf;
	struct plugin decay;
	struct sched_config config = {.resources = resources,
				      .resource_count = 3,
				      .classes = classes,
				      .class_count = 1,
				      .order = &r.order,
				      .preempt = &r.preempt,
				      .select = &r.select};
	struct err err;

	rig_decay(&r, (double)HOUR, 0.5);
	rig_init(&drf);
	sched_now(r.s, T0);
	set_node(r.s, "n0", 10, 0, true);
	set_queue(r.s, "q", 1, 1);
	sched_run(r.s, 1, 0, on_n0, T0);
	sched_now(r.s, T0 + HOUR);
	config.fairness = &r.fairness;
	is_int(sched_reconfigure(r.s, &config, &err), 0, "the same plugin is set again");
	ok(near(sched_queue_history(r.s, "q", T0 + HOUR), 0.75, 1e-9), "the usage is kept");
	/* in place, as the controller does */
	decay = r.fairness;
	r.fairness = drf.fairness;
	is_int(sched_reconfigure(r.s, &config, &err), 0, "another plugin is set");
	sched_now(r.s, T0 + 5 * HOUR);
	ok(!sched_has_history(r.s) && sched_queue_history(r.s, "q", T0 + 5 * HOUR) == 0,
	   "the other plugin has no usage history");
	r.fairness = decay;
	is_int(sched_reconfigure(r.s, &config, &err), 0, "the first plugin is set again");
	sched_now(r.s, T0 + 6 * HOUR);
	ok(near(sched_queue_history(r.s, "q", T0 + 6 * HOUR), 0.75, 1e-9),
	   "its usage starts at zero");
	rig_done(&r);
	rig_done(&drf);
}

/*
 * Simulates two queues with unlimited demand on 100 cores; jobs end one after the other. Returns
 * the use of the first queue relative to the second, over the second half of the time.
 */
static double long_run(double factor, double floor, int steps)
{
	uint32_t running[2][200], count[2] = {0, 0};
	double sum[2] = {0, 0};
	unsigned seed = 11;
	struct rig r;
	int64_t now = T0;

	rig_decay(&r, 2 * (double)HOUR, floor);
	sched_now(r.s, now);
	set_node(r.s, "n0", 100, 0, true);
	set_queue(r.s, "a", 1, 1);
	set_queue(r.s, "b", factor, 2);
	for (int step = 0; step < steps; step++, now += 60 * SECOND) {
		struct sched_round in = {.now_us = now, .seed = (uint64_t)step};
		struct sched_result res;

		sched_now(r.s, now);
		for (int q = 0; q < 2; q++)
			for (uint32_t i = 0; i < count[q];)
				if (rand_r(&seed) % 20 == 0) {
					sched_end(r.s, (uint64_t)q + 1, running[q][i]);
					running[q][i] = running[q][--count[q]];
				} else {
					i++;
				}
		sched_run_round(r.s, &in, &res);
		for (size_t i = 0; i < res.decision_count; i++) {
			const struct sched_decision *d = &res.decisions[i];

			sched_run(r.s, d->job, d->element, (const char *const *)d->nodes, now);
			running[d->job - 1][count[d->job - 1]++] = d->element;
		}
		sched_result_done(&res);
		for (int q = 0; q < 2 && step >= steps / 2; q++)
			sum[q] += count[q];
	}
	rig_done(&r);
	return sum[0] / sum[1];
}

/*
 * The usage becomes the priority, and shares go by 1 over priority times factor: with equal
 * priorities the use is as 1 over the root of the factor. Below the floor only the factors count.
 */
static void test_long_run(void)
{
	double same = long_run(1, 0.5, 4000), two = long_run(2, 0.5, 4000),
	       four = long_run(4, 0.5, 4000), floor = long_run(2, 1e6, 2000);

	ok(near(same, 1, 0.02), "equal factors: 1 to 1 (%.3f)", same);
	ok(near(two, M_SQRT2, 0.03), "factors 1 and 2: 1.414 to 1 in the long run (%.3f)", two);
	ok(near(four, 2, 0.03), "factors 1 and 4: 2 to 1 (%.3f)", four);
	ok(near(floor, 2, 0.03), "factors 1 and 2 below the floor: 2 to 1 (%.3f)", floor);
}

int main(void)
{
	test_usage();
	test_parts();
	test_weights();
	test_events();
	test_clock();
	test_recall();
	test_other_plugin();
	test_long_run();
	return done();
}
