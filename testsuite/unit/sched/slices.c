/*
 * order/slices: small worlds with known results; random worlds compared with a simple
 * implementation (slices_plain.c); the probabilities of the random stage; and the share of each
 * queue over many rounds (slices_share.c).
 *
 * ARMADA_WORLDS: number of random worlds (1500), and of rounds for the shares if it is more than
 * 10,000. ARMADA_STOP: stop at the first error.
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "unit/sched/script.h"
#include "unit/sched/slices_plain.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *text;
} scripts[] = {
	{"weights 1 and 1/2: two thirds and one third",
	 "order slices\nnode n0 cpu=12 mem=64\nqueue a 1\nqueue b 2\n"
	 "job 1 a wait=0-19\njob 2 b wait=0-19\n"
	 "round\n> 1.0@n0 1.1@n0 2.0@n0 1.2@n0 1.3@n0 2.1@n0 1.4@n0 1.5@n0 2.2@n0 1.6@n0 1.7@n0 "
	 "2.3@n0\n"},
	{"a job behind one larger than the slice starts",
	 "order slices\nnode n0 cpu=8 mem=64\nqueue a 1\nqueue b 1\n"
	 "job 1 a cpu=5\njob 2 a cpu=3\njob 3 a cpu=2\njob 4 a cpu=1\njob 5 b cpu=4\n"
	 "round\n> 2.0@n0 4.0@n0 5.0@n0\n"
	 "? 1 asks for 5 cpu; its queue's slice of the free resources was 4, and the rest went to "
	 "other jobs: no node has 5 cpu free now (best: n0 with 0)\n"
	 "? 3 asks for 2 cpu; its queue's slice of the free resources was 4 (1 left), and the rest "
	 "went to other jobs: no node has 2 cpu free now (best: n0 with 0)\n"},
	{"the first stage ends after batch_size jobs of a queue",
	 "order slices batch_size=1\nnode n0 cpu=8 mem=64\nqueue a 1\nqueue b 1\n"
	 "job 1 a cpu=5\njob 2 a cpu=3\njob 5 b cpu=3\njob 6 b cpu=99\n"
	 "round\n> 5.0@n0 1.0@n0\n"},
	{"jobs equal to a skipped one do not count as tries",
	 "order slices batch_size=2\nnode n0 cpu=8 mem=64\nqueue a 1\nqueue b 1\n"
	 "job 1 a cpu=5\njob 2 a cpu=5\njob 3 a cpu=5\njob 4 a cpu=4\njob 5 b cpu=4\n"
	 "round\n> 4.0@n0 5.0@n0\n"},
	{"only waiting queues have a slice, and only of what is free",
	 "order slices\nnode n0 cpu=8 mem=64\nqueue a 1\nqueue b 1\nqueue c 1\nqueue d 1 cordoned\n"
	 "job 1 c cpu=2\nround\n> 1.0@n0\njob 2 a cpu=3\njob 3 b cpu=3\njob 4 d cpu=1\nround\n"
	 "> 2.0@n0 3.0@n0\n"},
	{"a saturated cluster has no slices",
	 "order slices\nnode n0 cpu=2 mem=64\nqueue a 1\nqueue b 1\njob 1 a cpu=2\nround\n> 1.0@n0\n"
	 "job 2 a\njob 3 b\nround\n>\n? 2 no node has 1 cpu free now (best: n0 with 0)\n"
	 "? 3 no node has 1 cpu free now (best: n0 with 0)\n"},
	{"the room of a cordoned node is not divided",
	 "order slices\nnode n0 cpu=8 mem=64\nqueue a 1\nqueue b 1\njob 1 a cpu=1\nround\n> 1.0@n0\n"
	 "node n0 cpu=8 mem=64 down\nnode n1 cpu=4 mem=64\njob 2 a cpu=3\njob 3 b cpu=2\n"
	 "job 4 b cpu=1\nround\n> 3.0@n1 4.0@n1\n"
	 "? 2 asks for 3 cpu; its queue's slice of the free resources was 2, and the rest went to "
	 "other jobs: no node has 3 cpu free now (best: n1 with 2)\n"},
	{"the first job without room holds a reservation",
	 "order slices\nnode n0 cpu=4 mem=64\nqueue a 1\njob 1 a cpu=3 limit=60\nround\n> 1.0@n0\n"
	 "job 2 a cpu=4\njob 3 a cpu=1\njob 4 a cpu=1 limit=50\nround\n> 4.0@n0\n= 2.0 at 60 n0\n"},
	{"no reservation is made without backfill",
	 "order slices backfill=0\nnode n0 cpu=4 mem=64\nqueue a 1\njob 1 a cpu=3 limit=60\nround\n"
	 "> 1.0@n0\njob 2 a cpu=4\njob 3 a cpu=1\nround\n> 3.0@n0\n= -\n"},
};

/* The probability of each queue to be drawn first in the second stage. */
static const struct {
	const char *name;
	double factors[3];
	int64_t milli; /* of the node */
	size_t before; /* number of starts of the first stage */
	bool vain;     /* the job of the third queue requests more than any node has */
	double first[3];
} lotteries[] = {
	{"one core and weights 3 and 1: the slices are the probabilities",
	 {1, 3},
	 1000,
	 0,
	 false,
	 {.75, .25}},
	{"three cores and two equal queues", {1, 1}, 3000, 2, false, {.5, .5}},
	/* slices 1.8, 1.8 and 0.4: one each for a and b, then 0.8, 0.8 and 0.4 */
	{"starts within its slice do not change the probability of a queue",
	 {1, 1, 4.5},
	 4000,
	 2,
	 false,
	 {.4, .4, .2}},
	/*
	 * slices 2.8 and 1.4 beside c's: two and one, then one each, 0.2 and 0.6 too much. At rates of
	 * 2.8 and 1.4 a waits for 0.2 / 2.8, b for 0.6 / 1.4: exp(2.8 * (1 / 14 - 3 / 7)) / 3 for b
	 */
	{"a queue above its slice has a smaller probability",
	 {1, 2, 1},
	 7000,
	 5,
	 true,
	 {.87737, .12263}},
};

static void open_lottery(struct rig *r, size_t world)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false}};
	struct rig_policy policy = {.order = "slices", .classes = classes, .class_count = 1};
	struct sched_node node = {.name = "n0", .schedulable = true};

	rig_init_policy(r, &policy);
	node.total[RIG_CPU] = lotteries[world].milli;
	node.total[RIG_MEMORY] = 64 * RIG_G;
	sched_node_set(r->s, &node);
	for (int q = 0; q < 3 && lotteries[world].factors[q] > 0; q++) {
		char name[2] = {(char)('a' + q), 0};
		bool vain = lotteries[world].vain && q == 2;
		struct sched_job job = {.id = (uint64_t)q + 1,
					.queue = name,
					.class_name = "low",
					.request = {vain ? 99000 : 1000, 0},
					.members = 1,
					.min_members = 1};

		sched_queue_set(r->s, name, lotteries[world].factors[q], false);
		sched_job_add(r->s, &job);
		sched_wait(r->s, job.id, 0, 9, 1);
	}
}

static void draw_lots(size_t world)
{
	enum { ROUNDS = 10000 };
	size_t before = lotteries[world].before;
	int count[3] = {0};
	bool good = true;
	struct rig r;

	open_lottery(&r, world);
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct sched_round in = {.now_us = 1, .seed = seed};
		struct sched_result out;

		sched_run_round(r.s, &in, &out);
		if (out.decision_count > before)
			count[out.decisions[before].job - 1]++;
		sched_result_done(&out);
	}
	/* five standard deviations */
	for (int q = 0; q < 3; q++) {
		double want = lotteries[world].first[q];

		good = good &&
		       fabs(count[q] - want * ROUNDS) <= 5 * sqrt(want * (1 - want) * ROUNDS);
	}
	ok(good, "%s (%d %d %d of %d)", lotteries[world].name, count[0], count[1], count[2],
	   ROUNDS);
	rig_done(&r);
}

int main(void)
{
	const char *text = getenv("ARMADA_WORLDS");
	uint64_t worlds = text ? strtoull(text, NULL, 10) : 1500;
	uint64_t rounds = worlds > 10000 ? worlds : 10000;

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		script_play(scripts[i].name, scripts[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(lotteries); i++)
		draw_lots(i);
	slices_plain_worlds(worlds);
	slices_share_over(rounds);
	return done();
}
