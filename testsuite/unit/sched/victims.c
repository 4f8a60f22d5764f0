/*
 * Whom preemption takes: gangs over several nodes, gangs of jobs, and gangs that the plugin spares. The rule
 * as a whole is tested by preempt_worlds and mixed_worlds.
 */
#include "sched/round/round.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4000, NODES = 4 };

static const struct sched_class classes[] = {
	{.name = "low", .fair_share_preemptible = true, .urgency_preemptible = true},
	{.name = "high", .priority = 1000},
};
static const char *const names[NODES] = {"n0", "n1", "n2", "n3"};

static void add(struct sched *s, uint64_t id, const char *queue, const char *class,
		uint32_t members)
{
	struct sched_job j = {.id = id,
			      .queue = queue,
			      .class_name = class,
			      .request = {1000, RIG_G},
			      .submit_us = (int64_t)id,
			      .members = members,
			      .min_members = members,
			      .distinct = true};

	sched_job_add(s, &j);
	sched_wait(s, id, 0, 0, 1);
}

static void add_nodes(struct sched *s, int count)
{
	for (int i = 0; i < count; i++) {
		struct sched_node n = {
			.name = names[i], .total = {1000, 8 * RIG_G}, .schedulable = true};

		sched_node_set(s, &n);
	}
	sched_queue_set(s, "a", 1, false);
	sched_queue_set(s, "b", 1, false);
}

/* How often is a gang on this many nodes evicted, at a probability of a half for each node? */
static void test_lots(uint32_t members)
{
	struct rig_policy policy = {
		.preempt = "fairshare",
		.options = {{.name = "protected_fraction", .number = 0.1},
			    {.name = "eviction_probability", .number = 0.5}},
		.option_count = 2,
		.classes = classes,
		.class_count = ARRAY_SIZE(classes),
	};
	double want = 1 - pow(0.5, members), got = 0;
	struct rig r = {0};

	rig_init_policy(&r, &policy);
	add_nodes(r.s, NODES);
	add(r.s, 1, "a", "low", members);
	sched_run(r.s, 1, 0, names, 1);
	add(r.s, 2, "b", "low", NODES);
	for (int i = 0; i < ROUNDS; i++) {
		struct sched_round in = {.now_us = 1, .seed = (uint64_t)i};
		struct sched_result res;

		sched_run_round(r.s, &in, &res);
		got += (double)res.work.evicted / ROUNDS;
		sched_result_done(&res);
	}
	ok(fabs(got - want) < 0.04, "a gang on %u nodes is evicted in %.2f of the rounds (%.2f)",
	   members, got, want);
	rig_done(&r);
}

/* The decisions of a round, as "preempted 1 for 3", which are few. */
static void expect_victim(struct sched *s, uint64_t victim, const char *why, const char *what)
{
	struct sched_round in = {.now_us = 100, .seed = 1};
	struct sched_result res;
	uint64_t got = 0;
	const char *how = "";

	sched_run_round(s, &in, &res);
	for (size_t i = 0; i < res.decision_count; i++) {
		if (res.decisions[i].kind != SCHED_PREEMPT)
			continue;
		got = res.decisions[i].job;
		how = res.decisions[i].why;
	}
	ok(got == victim && strcmp(how, why) == 0, "%s: %llu, %s", what, (unsigned long long)got,
	   how);
	sched_result_done(&res);
}

static uint32_t spared_queue;
static struct armada_displacement seen;

static bool spares(void *handle, const struct armada_displacement *displacement)
{
	(void)handle;
	seen = *displacement;
	return displacement->queue == spared_queue;
}

/* Jobs 1 and 2 of queue a, and 3 of queue b, run; job 4 of queue c wants a node. */
static void test_spared(void)
{
	struct armada_preempt_ops ops;
	struct rig r = {0};

	rig_init_fairshare(&r, classes, ARRAY_SIZE(classes), 1);
	add_nodes(r.s, 3);
	sched_queue_set(r.s, "c", 1, false);
	for (uint64_t id = 1; id <= 3; id++) {
		add(r.s, id, id == 3 ? "b" : "a", "low", 1);
		sched_run(r.s, id, 0, names + id - 1, (int64_t)id);
	}
	add(r.s, 4, "c", "high", 1);
	ops = *r.s->model.policies.preempt;
	ops.spares = spares;
	r.s->model.policies.preempt = &ops;
	spared_queue = 7;
	expect_victim(r.s, 2, "urgency", "the last job of the queue that uses most is displaced");
	ok(seen.for_queue == 2 && seen.for_class_priority == 1000 && seen.class_priority == 0 &&
		   seen.urgency && seen.start_us > 0,
	   "the plugin sees both queues, classes and the rule");
	spared_queue = 0;
	expect_victim(r.s, 3, "urgency", "unless the plugin spares its jobs");
	r.s->model.policies.preempt = r.preempt.ops;
	rig_done(&r);
}

static void expect_gang_first(struct sched *s)
{
	struct sched_round in = {.now_us = 100, .seed = 1};
	struct sched_result res;
	bool alone = true;

	sched_run_round(s, &in, &res);
	for (size_t i = 0; i < res.decision_count; i++)
		alone = alone &&
			!(res.decisions[i].kind == SCHED_PREEMPT && res.decisions[i].job == 2);
	ok(alone && res.decision_count == 2,
	   "a gang stands where its last member does, so it is displaced before job 2");
	sched_result_done(&res);
}

/* Jobs 1 and 3 are a gang, started at 1 and 3; job 2 started between. Job 4 is more urgent. */
static void test_gang_place(void)
{
	static const struct sched_gang gang = {.name = "g", .cardinality = 2, .min = 2};
	struct rig r = {0};

	rig_init_fairshare(&r, classes, ARRAY_SIZE(classes), 1);
	add_nodes(r.s, 3);
	for (uint64_t id = 1; id <= 3; id++) {
		struct sched_job j = {.id = id,
				      .queue = "a",
				      .class_name = "low",
				      .request = {1000, RIG_G},
				      .submit_us = (int64_t)id,
				      .members = 1,
				      .gang = id == 2 ? NULL : &gang};

		sched_job_add(r.s, &j);
		sched_wait(r.s, id, 0, 0, 1);
		sched_run(r.s, id, 0, names + id - 1, (int64_t)id);
	}
	sched_gangs_settle(r.s);
	sched_gang_begun(r.s, 1);
	sched_gangs_settle(r.s);
	add(r.s, 4, "b", "high", 1);
	expect_gang_first(r.s);
	rig_done(&r);
}

int main(void)
{
	test_lots(1);
	test_lots(2);
	test_lots(4);
	test_spared();
	test_gang_place();
	return done();
}
