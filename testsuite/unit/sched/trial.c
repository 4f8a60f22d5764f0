/*
 * The start of a job that does not exist: now, at the end of running tasks, or not known; and the
 * model afterwards.
 */
#include "sched/trial.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)
enum { NOW_S = 1000 };

static struct rig rig;

static void node(const char *name)
{
	struct sched_node n = {.name = name, .total = {4000, 8 * RIG_G}, .schedulable = true};

	sched_node_set(rig.s, &n);
}

static void add_in_class(uint64_t id, const char *class, int64_t cpu, uint32_t members,
			 int64_t limit_s)
{
	struct sched_job j = {.id = id,
			      .queue = "a",
			      .class_name = class,
			      .submit_us = (int64_t)id,
			      .request = {cpu, RIG_G},
			      .members = members,
			      .min_members = members,
			      .distinct = members > 1,
			      .time_limit_us = limit_s * SECOND};

	sched_job_add(rig.s, &j);
	sched_wait(rig.s, id, 0, 0, 1);
}

static void add(uint64_t id, int64_t cpu, uint32_t members, int64_t limit_s)
{
	add_in_class(id, "mid", cpu, members, limit_s);
}

static void start(uint64_t id, const char *where)
{
	sched_run(rig.s, id, 0, &where, NOW_S * SECOND);
}

static char *round_now(void)
{
	struct sched_round round = {.now_us = NOW_S * SECOND};
	struct sched_result res;
	char *text;

	sched_run_round(rig.s, &round, &res);
	text = rig_decisions(&res);
	sched_result_done(&res);
	return text;
}

/*
 * Checks the time of the start, in seconds from now (-1: not known; 0: now), its nodes, and the jobs
 * before it.
 */
static void expect(int64_t cpu, uint32_t members, int64_t in_s, const char *nodes, uint64_t before,
		   const char *name)
{
	struct sched_round round = {.now_us = NOW_S * SECOND};
	CLEANUP_FREE char *was = round_now();
	CLEANUP_FREE char *is = NULL;
	char list[64] = "";
	struct sched_trial t;

	add(SCHED_TRIAL_ID, cpu, members, 10);
	ok(sched_trial_run(rig.s, &round, &t) == 0, "%s: there is an answer", name);
	is_int(t.why == WHY_NONE ? 0
	       : t.start_us      ? t.start_us / SECOND - NOW_S
				 : -1,
	       in_s, "%s: the time", name);
	for (size_t i = 0; i < t.node_count; i++)
		strcat(list, t.nodes[i]);
	is_str(list, nodes, "%s: the nodes", name);
	is_int(t.before, before, "%s: the jobs before it", name);
	ok(t.text && *t.text, "%s: there is a reason", name);
	sched_trial_done(&t);
	sched_unwait(rig.s, SCHED_TRIAL_ID, 0, UINT32_MAX);
	sched_job_remove(rig.s, SCHED_TRIAL_ID);
	is = round_now();
	is_str(is, was, "%s: the decisions of a round are the same afterwards", name);
}

/* The answer says how many gangs the round would preempt for the job. */
static void expect_preemptions(uint64_t want, const char *name)
{
	struct sched_round round = {.now_us = NOW_S * SECOND};
	struct sched_trial t;

	add_in_class(SCHED_TRIAL_ID, "high", 3000, 1, 10);
	ok(sched_trial_run(rig.s, &round, &t) == 0 && t.why == WHY_NONE, "%s: it could start",
	   name);
	is_int(t.preempts, want, "%s: the jobs that would be preempted", name);
	sched_trial_done(&t);
	sched_unwait(rig.s, SCHED_TRIAL_ID, 0, UINT32_MAX);
	sched_job_remove(rig.s, SCHED_TRIAL_ID);
}

static void test_preemption(void)
{
	static const struct sched_class classes[] = {{"mid", 1000, true, true, {0}, false},
						     {"high", 2000, false, false, {0}, false}};

	rig_init_fairshare(&rig, classes, ARRAY_SIZE(classes), 1);
	sched_queue_set(rig.s, "a", 1, false);
	node("n0");
	expect_preemptions(0, "an empty node");
	add(1, 2000, 1, 100);
	start(1, "n0");
	add(2, 2000, 1, 100);
	start(2, "n0");
	expect_preemptions(2, "a node with two jobs of a lower class");
	rig_done(&rig);
}

int main(void)
{
	rig_init(&rig);
	sched_queue_set(rig.s, "a", 1, false);
	node("n0");
	node("n1");
	expect(2000, 1, 0, "n0", 0, "an empty cluster");
	expect(4000, 2, 0, "n0n1", 0, "two empty nodes");
	expect(1000, 3, -1, "", 0, "three nodes where there are two");
	add(1, 4000, 1, 100);
	start(1, "n0");
	add(2, 3000, 1, 50);
	start(2, "n1");
	expect(1000, 1, 0, "n1", 0, "room on one node");
	expect(4000, 1, 50, "n1", 0, "the first node that becomes free");
	expect(3000, 2, 100, "n0n1", 0, "both nodes");
	add(3, 4000, 2, 100);
	expect(4000, 1, 50, "n1", 1, "behind a job with the reservation");
	expect(1000, 1, 0, "n1", 0, "short enough to start before the reservation");
	add(4, 1000, 1, 0);
	start(4, "n1");
	expect(4000, 2, -1, "", 1, "a task without a time limit has the room");
	sched_queue_set(rig.s, "a", 1, true);
	expect(4000, 1, -1, "", 0, "a cordoned queue");
	rig_done(&rig);
	test_preemption();
	return done();
}
