/*
 * The time of the next round. If a limit stopped a round, the round returns the time at which another
 * round may start more jobs. If only a lack of room stopped it, it returns no time, and no useless round
 * follows.
 */
#include "sched/configure.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <string.h>

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false}};

struct play {
	struct rig rig;
	int64_t now_us;
	uint64_t jobs, started, preempted;
};

static void init(struct play *p, const struct sched_limits *limits)
{
	struct sched_config config = {.resources = resources,
				      .resource_count = RIG_RESOURCES,
				      .classes = classes,
				      .class_count = ARRAY_SIZE(classes),
				      .limits = *limits};
	struct sched_node node = {.name = "n0", .total = {10000, 100 * RIG_G}, .schedulable = true};
	struct err err;

	*p = (struct play){.now_us = 1000000};
	rig_init(&p->rig);
	config.fairness = &p->rig.fairness;
	config.order = &p->rig.order;
	config.preempt = &p->rig.preempt;
	config.select = &p->rig.select;
	if (sched_reconfigure(p->rig.s, &config, &err))
		bail("%s", err.text);
	sched_queue_set(p->rig.s, "a", 1, false);
	sched_node_set(p->rig.s, &node);
}

static void submit(struct play *p, uint32_t members, int64_t milli)
{
	struct sched_job job = {.id = ++p->jobs,
				.queue = "a",
				.class_name = "low",
				.request = {milli, RIG_G},
				.members = members,
				.min_members = members};

	sched_job_add(p->rig.s, &job);
	sched_wait(p->rig.s, job.id, 0, 0, 1);
}

/*
 * Runs a round after some time and applies its decisions. Returns the time until the next useful
 * round, or -1.
 */
static int64_t round_after(struct play *p, int64_t us)
{
	struct sched_round in = {.now_us = p->now_us += us, .seed = 1};
	struct sched_result out;
	int64_t again;

	sched_run_round(p->rig.s, &in, &out);
	p->started = out.decision_count;
	for (size_t i = 0; i < out.decision_count; i++)
		rig_accept(p->rig.s, &out.decisions[i]);
	again = out.again_us ? out.again_us - p->now_us : -1;
	sched_result_done(&out);
	return again;
}

static void test_counts(void)
{
	struct play p;

	init(&p, &(struct sched_limits){.jobs_per_round = 2});
	for (int i = 0; i < 5; i++)
		submit(&p, 1, 1000);
	is_int(round_after(&p, 0), 0, "a round that used its limit is followed by another");
	is_int(round_after(&p, 0), 0, "the second round is followed by another");
	is_int(round_after(&p, 0), -1, "no round follows when all jobs are started");
	is_int(p.started, 1, "the last of five jobs starts");
	submit(&p, 3, 1000);
	is_int(round_after(&p, 0), -1, "a job too large for any round is not tried again");
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), -1,
	       "a job too large for any round is not tried again after another job has started");
	is_int(p.started, 1, "the other job starts");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.queue_lookback = 1});
	submit(&p, 1, 1000);
	submit(&p, 1, 2000);
	is_int(round_after(&p, 0), 0, "with queue_lookback another round follows a start");
	is_int(round_after(&p, 0), -1, "no further round follows");
	submit(&p, 1, 20000);
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), -1, "no round follows a round without a start");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.queue_lookback = 2});
	submit(&p, 3, 1000);
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), 0,
	       "a gang larger than queue_lookback is followed by another round");
	is_int(p.started, 1, "the first gang is considered and starts");
	is_int(round_after(&p, 0), -1, "no round follows the next one");
	is_int(p.started, 1, "the job behind the gang starts");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.per_round = {.limited = 1, .of = {0.2}}});
	submit(&p, 1, 3000);
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), 0, "a round starts jobs up to its fraction of the cluster");
	is_int(round_after(&p, 0), -1, "the next round starts the rest");
	rig_done(&p.rig);
}

static void test_rates(void)
{
	struct play p;

	init(&p, &(struct sched_limits){.rate = {2, 4}});
	for (int i = 0; i < 5; i++)
		submit(&p, 1, 100);
	is_int(round_after(&p, 0), 500000, "the next token comes in half a second");
	is_int(p.started, 4, "the burst is started");
	is_int(round_after(&p, 100000), 400000, "the wait is shorter at a later time");
	is_int(round_after(&p, 400000), -1, "the last job is started then");
	is_int(p.started, 1, "one job is started");
	submit(&p, 3, 100);
	is_int(round_after(&p, 500000), 1000000, "a gang waits for all its tokens");
	is_int(round_after(&p, 1000000), -1, "the gang gets its tokens");
	is_int(p.started, 1, "the gang starts");
	submit(&p, 5, 100);
	is_int(round_after(&p, 1000000), -1, "a gang larger than the burst never starts");
	submit(&p, 1, 20000);
	is_int(round_after(&p, 0), -1, "a job without room waits for room");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.queue_rate = {0.001, 1}});
	submit(&p, 1, 100);
	submit(&p, 1, 100);
	is_int(round_after(&p, 0), 1000000000, "each queue has its own tokens");
	rig_done(&p.rig);
}

int main(void)
{
	test_counts();
	test_rates();
	return done();
}
