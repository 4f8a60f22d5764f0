/*
 * The scheduler with requests, nodes and classes at the limits of their ranges, and with jobs
 * that are added and removed.
 */
#include "sched/explain.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 100 };

static void node(struct sched *s, const char *name, int64_t cpu, int64_t memory)
{
	struct sched_node n = {.name = name, .total = {cpu, memory}, .schedulable = true};

	sched_node_set(s, &n);
}

static void job(struct sched *s, uint64_t id, const char *queue, const char *class, int64_t cpu,
		uint32_t members)
{
	struct sched_job j = {.id = id,
			      .queue = queue,
			      .class_name = class,
			      .request = {cpu, RIG_G},
			      .members = members,
			      .min_members = members,
			      .submit_us = (int64_t)id};

	sched_job_add(s, &j);
	sched_wait(s, id, 0, 0, 1);
}

static void expect(struct sched *s, const char *want, const char *what)
{
	struct sched_round round = {.now_us = 1, .seed = 1};
	struct sched_result result;
	char *text;

	sched_run_round(s, &round, &result);
	text = rig_decisions(&result);
	is_str(text, want, "%s", what);
	free(text);
	sched_result_done(&result);
}

/* More classes than a word has bits. */
static void test_classes(void)
{
	static struct sched_class classes[CLASSES];
	static char names[CLASSES][16];
	struct rig r = {0};
	struct rig_policy policy = {
		.preempt = "urgency", .classes = classes, .class_count = CLASSES};
	const char *on[] = {"n0"};

	for (int i = 0; i < CLASSES; i++) {
		snprintf(names[i], sizeof(names[i]), "c%d", i);
		classes[i] = (struct sched_class){.name = names[i],
						  .priority = i,
						  .fair_share_preemptible = true,
						  .urgency_preemptible = true};
	}
	rig_init_policy(&r, &policy);
	node(r.s, "n0", 1000, 8 * RIG_G);
	sched_queue_set(r.s, "a", 1, false);
	job(r.s, 1, "a", "c90", 500, 1);
	sched_run(r.s, 1, 0, on, 1);
	job(r.s, 2, "a", "c50", 500, 1);
	sched_run(r.s, 2, 0, on, 1);
	job(r.s, 3, "a", "c95", 500, 1);
	expect(r.s, "-2.0 3.0@n0", "the least urgent of a hundred classes is preempted");
	job(r.s, 4, "a", "c99", 1000, 1);
	sched_unwait(r.s, 3, 0, 0);
	expect(r.s, "-1.0 -2.0 4.0@n0", "all less urgent classes are preempted if needed");
	rig_done(&r);
}

/* Checks that the job is pending and that its explanation works with extreme numbers. */
static void explain(struct sched *s, uint64_t id)
{
	struct sched_round round = {.now_us = 1, .seed = 1};
	struct sched_explanation e;
	int rc = sched_explain(s, id, &round, &e);

	ok(!rc && e.why != WHY_NONE && *e.text, "job %d waits: %s", (int)id, rc ? "" : e.text);
	if (!rc)
		sched_explanation_done(&e);
}

/* The largest numbers, of jobs and of members. */
static void test_huge(void)
{
	struct rig r = {0};
	const char *on[] = {"n0"};

	rig_init(&r);
	sched_queue_set(r.s, "a", 1, false);
	sched_queue_set(r.s, "b", 1, false);
	job(r.s, 1, "a", "low", INT64_MAX, 1);
	job(r.s, 2, "a", "low", INT64_MAX, UINT32_MAX);
	job(r.s, 3, "b", "low", 0, UINT32_MAX);
	expect(r.s, "", "nothing starts without nodes");
	explain(r.s, 1);
	explain(r.s, 3);
	node(r.s, "n0", INT64_MAX, 8 * RIG_G);
	node(r.s, "n1", 0, 0);
	sched_job_remove(r.s, 3);
	expect(r.s, "1.0@n0", "a job gets all of a node");
	sched_run(r.s, 1, 0, on, 1);
	node(r.s, "n0", 0, 8 * RIG_G);
	expect(r.s, "", "running jobs may exceed a shrunk node");
	explain(r.s, 2);
	sched_end(r.s, 1, 0);
	sched_wait(r.s, 1, 0, 0, 1);
	expect(r.s, "", "other jobs have no room");
	node(r.s, "n0", INT64_MAX, 8 * RIG_G);
	expect(r.s, "1.0@n0", "a job starts when the node has room again");
	rig_done(&r);
}

/* A gang that is added and removed leaves no state in the scheduler. */
static void test_gone(void)
{
	struct rig r = {0};

	rig_init(&r);
	node(r.s, "n0", 1000, 8 * RIG_G);
	sched_queue_set(r.s, "a", 1, false);
	for (int i = 0; i < 3; i++) {
		job(r.s, 1, "a", "low", 2000 + i, 3);
		expect(r.s, "", "the gang has no room");
		sched_job_remove(r.s, 1);
	}
	rig_done(&r);
}

int main(void)
{
	test_classes();
	test_huge();
	test_gone();
	return done();
}
