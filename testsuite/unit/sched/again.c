/*
 * A round that a limit held up says when another may do more; one that nothing but room holds up
 * does not, so that nobody runs rounds in vain.
 */
#include "sched/configure.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <string.h>

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const struct sched_class classes[] = {{"low", 0, true, true, {0}}};

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

/* Another round after some time, accepted; how long after it the next is worth while, or -1. */
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
	is_int(round_after(&p, 0), 0, "a round that started all it may is followed by another");
	is_int(round_after(&p, 0), 0, "and that one too");
	is_int(round_after(&p, 0), -1, "until all is started");
	is_int(p.started, 1, "the last of five");
	submit(&p, 3, 1000);
	is_int(round_after(&p, 0), -1, "what is too large for any round is not tried again");
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), -1, "whatever is started beside it");
	is_int(p.started, 1, "(one)");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.queue_lookback = 1});
	submit(&p, 1, 1000);
	submit(&p, 1, 2000);
	is_int(round_after(&p, 0), 0,
	       "who looks no further looks again once it has started something");
	is_int(round_after(&p, 0), -1, "and no more");
	submit(&p, 1, 20000);
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), -1, "but not when it has not");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.queue_lookback = 2});
	submit(&p, 3, 1000);
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), 0, "a gang that alone is more than a round looks at");
	is_int(p.started, 1, "is looked at when it is first");
	is_int(round_after(&p, 0), -1, "and then what stands behind it");
	is_int(p.started, 1, "starts, too");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.per_round = {.limited = 1, .of = {0.2}}});
	submit(&p, 1, 3000);
	submit(&p, 1, 1000);
	is_int(round_after(&p, 0), 0, "a round's part of the cluster");
	is_int(round_after(&p, 0), -1, "is given again in the next");
	rig_done(&p.rig);
}

static void test_rates(void)
{
	struct play p;

	init(&p, &(struct sched_limits){.rate = {2, 4}});
	for (int i = 0; i < 5; i++)
		submit(&p, 1, 100);
	is_int(round_after(&p, 0), 500000, "the next token comes in half a second");
	is_int(p.started, 4, "after the burst");
	is_int(round_after(&p, 100000), 400000, "in less for who asks later");
	is_int(round_after(&p, 400000), -1, "then the last is started");
	is_int(p.started, 1, "indeed");
	submit(&p, 3, 100);
	is_int(round_after(&p, 500000), 1000000, "a gang is waited for with all its tokens");
	is_int(round_after(&p, 1000000), -1, "which it gets");
	is_int(p.started, 1, "and starts");
	submit(&p, 5, 100);
	is_int(round_after(&p, 1000000), -1, "one that is larger than the burst never does");
	submit(&p, 1, 20000);
	is_int(round_after(&p, 0), -1, "and what has no room waits for room");
	rig_done(&p.rig);

	init(&p, &(struct sched_limits){.queue_rate = {0.001, 1}});
	submit(&p, 1, 100);
	submit(&p, 1, 100);
	is_int(round_after(&p, 0), 1000000000, "queues have buckets of their own");
	rig_done(&p.rig);
}

int main(void)
{
	test_counts();
	test_rates();
	return done();
}
