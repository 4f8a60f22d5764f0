/*
 * Preemption of pinned jobs (which cannot be preempted now) and of jobs whose tasks are being ended
 * already.
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"

#include <stdlib.h>

static const struct sched_class classes[] = {
	{.name = "low", .fair_share_preemptible = true, .urgency_preemptible = true},
	{.name = "high", .priority = 1000},
};

static void add(struct sched *s, uint64_t id, const char *queue, const char *class)
{
	struct sched_job j = {
		.id = id,
		.queue = queue,
		.class_name = class,
		.request = {2000, RIG_G},
		.members = 2,
		.min_members = 2,
		.distinct = true,
	};

	sched_job_add(s, &j);
	sched_wait(s, id, 0, 0, 1);
}

static void world(struct rig *r, const char *class)
{
	static const char *const names[] = {"n1", "n2"};

	rig_init_fairshare(r, classes, 2, 0.5);
	for (int i = 0; i < 2; i++) {
		struct sched_node n = {
			.name = names[i], .total = {2000, 8 * RIG_G}, .schedulable = true};

		sched_node_set(r->s, &n);
	}
	sched_queue_set(r->s, "a", 4, false);
	sched_queue_set(r->s, "b", 1, false);
	add(r->s, 1, "a", "low");
	sched_run(r->s, 1, 0, names, 1);
	add(r->s, 2, "b", class);
}

static void expect(struct rig *r, size_t preempted, size_t started, const char *what)
{
	struct sched_round round = {.now_us = 1, .seed = 1};
	struct sched_result result;
	size_t p = 0, n = 0;

	sched_run_round(r->s, &round, &result);
	for (size_t i = 0; i < result.decision_count; i++) {
		p += result.decisions[i].kind == SCHED_PREEMPT;
		n += result.decisions[i].kind == SCHED_START;
	}
	ok(p == preempted && n == started, "%s: %zu preempted, %zu started", what, p, n);
	sched_result_done(&result);
}

static void play(const char *class, const char *how)
{
	struct rig r = {0};

	diag("%s", how);
	world(&r, class);
	expect(&r, 1, 1, "the running job is preempted");
	sched_pin(r.s, 1, 0, true);
	expect(&r, 0, 0, "a pinned job is not preempted");
	sched_pin(r.s, 1, 0, true);
	sched_pin(r.s, 1, 0, false);
	expect(&r, 1, 1, "the job is preempted when it is no longer pinned");
	sched_member_end(r.s, 1, 0, 0);
	expect(&r, 1, 1, "a job with one ended task is preempted");
	sched_member_end(r.s, 1, 0, 1);
	expect(&r, 0, 1, "a job whose tasks have all ended need not be preempted");
	sched_pin(r.s, 1, 0, true);
	sched_end(r.s, 1, 0);
	sched_wait(r.s, 1, 0, 0, 1);
	sched_run(r.s, 1, 0, (const char *const[]){"n1", "n2"}, 2);
	expect(&r, 1, 1, "a restarted job is not pinned");
	rig_done(&r);
}

int main(void)
{
	play("low", "balance");
	play("high", "urgency");
	return done();
}
