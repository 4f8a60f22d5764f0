/*
 * Samples of shares integrate the use of a queue: jobs that begin and end between two samples count
 * with their time, to the microsecond, also over snapshots and restarts. What happened while no
 * controller ran is not known, and is marked so.
 */
#include "core/lifecycle/shares.h"
#include "core/state/state.h"
#include "fed_sched.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <math.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)
#define DAY    (24 * 60 * MINUTE)

static const char queue[] = "ann"; /* the own queue of the user */

struct play {
	struct test_world w;
	struct fed_sched p;
	const Armada__SharesNoted *noted; /* of the last round; NULL: none */
};

static void fill(struct play *y)
{
	fed_sched_init(&y->p, &y->w, (struct rig_policy){.fairness = "drf"});
}

static void begin(struct play *y)
{
	world_init(&y->w);
	y->w.policy.share_interval_us = MINUTE;
	y->w.policy.node_timeout_us = 10 * DAY;
	world_node(&y->w, 1, "n1", 4, "boot", 1);
	fill(y);
}

static void done_with(struct play *y)
{
	fed_sched_done(&y->p);
	world_done(&y->w);
}

static void apply(struct play *y)
{
	fed_sched_apply(&y->p, &y->w);
}

static void later(struct play *y, int64_t us)
{
	world_tick(&y->w, us);
	apply(y);
}

static void play_round(struct play *y)
{
	struct sched_round in = {.now_us = y->w.wall_us, .seed = ++y->p.round};
	struct input input = {.kind = INPUT_DECISIONS, .round = y->p.round};
	struct sched_result result;
	const Armada__Event *ev;

	sched_run_round(y->p.rig.s, &in, &result);
	input.decisions = &result;
	input.round_start_us = in.now_us;
	world_feed(&y->w, &input);
	apply(y);
	sched_result_done(&result);
	ev = world_event(&y->w, ARMADA__EVENT__KIND_SHARES_NOTED);
	y->noted = ev ? ev->shares_noted : NULL;
}

/* The nth sample of the queue in the last event; NULL: there is none. */
static const Armada__ShareSample *sample(const struct play *y, size_t nth)
{
	for (size_t i = 0; y->noted && i < y->noted->n_queues; i++)
		if (strcmp(y->noted->queues[i]->queue, queue) == 0 && !nth--)
			return y->noted->queues[i];
	return NULL;
}

/* Submits a job and starts it. Returns the time of its lease. */
static int64_t start(struct play *y, uint64_t *ret_job)
{
	*ret_job = world_submit_plain(&y->w);
	apply(y);
	play_round(y);
	return y->w.wall_us;
}

/* Ends the job; returns the time of its end. */
static int64_t end(struct play *y, uint64_t job)
{
	world_ended(&y->w, 1, job, 0, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	apply(y);
	return y->w.wall_us;
}

static void is_sample(const Armada__ShareSample *s, int64_t from_us, int64_t until_us,
		      double used_us, double level, const char *what)
{
	double mean = until_us > from_us ? used_us / (double)(until_us - from_us) : level;

	if (!s) {
		ok(false, "%s: there is a sample", what);
		return;
	}
	is_int(s->from_us - from_us, 0, "%s: it begins with the first change", what);
	is_int(s->time_us - until_us, 0, "%s: it ends with the round", what);
	ok(fabs(s->cost - mean) < 1e-6, "%s: its cost is %.9g (%.9g)", what, s->cost, mean);
	ok(fabs(s->level - level) < 1e-9, "%s: its level is %.9g (%.9g)", what, s->level, level);
}

/* The share of one job: of 4 cpus. */
static const double one = 0.25;

/* Seven short jobs between two samples, which no sample of a moment would show. */
static void test_short(void)
{
	struct play y;
	uint64_t job;
	int64_t first_us, used_us = 0;

	begin(&y);
	later(&y, 10 * MINUTE);
	start(&y, &job);
	is_sample(sample(&y, 0), y.w.wall_us, y.w.wall_us, 0, one, "a start with a sample");
	later(&y, SECOND);
	first_us = end(&y, job);
	for (int i = 0; i < 7; i++) {
		later(&y, 3 * SECOND);
		used_us -= start(&y, &job);
		ok(!y.noted, "it is too soon for a sample");
		later(&y, 1234567);
		used_us += end(&y, job);
	}
	later(&y, MINUTE);
	play_round(&y);
	is_sample(sample(&y, 0), first_us, y.w.wall_us, one * (double)used_us, 0, "short jobs");
	ok(sample(&y, 0) && sample(&y, 0)->weight == 0, "short jobs: the queue has left");
	later(&y, 5 * MINUTE);
	play_round(&y);
	ok(!y.noted, "there is nothing more to note");
	done_with(&y);
}

/* Half of the time two jobs, then one: the levels and the mean agree with the jobs. */
static void test_levels(void)
{
	struct play y;
	uint64_t job, other;
	int64_t ended_us, at_us;

	begin(&y);
	start(&y, &job);
	later(&y, MINUTE);
	at_us = start(&y, &other);
	is_sample(sample(&y, 0), at_us, at_us, 0, 2 * one, "a second job");
	later(&y, 20 * MINUTE);
	play_round(&y);
	ok(!sample(&y, 0), "nothing changed, so the level says it");
	later(&y, 45 * SECOND);
	ended_us = end(&y, other);
	later(&y, MINUTE);
	play_round(&y);
	is_sample(sample(&y, 0), ended_us, y.w.wall_us, one * (double)(y.w.wall_us - ended_us), one,
		  "an end");
	later(&y, 2 * SHARES_REFRESH_US);
	play_round(&y);
	is_sample(sample(&y, 0), y.w.wall_us, y.w.wall_us, 0, one,
		  "a level that lasts is noted once an hour");
	done_with(&y);
}

/*
 * A restart 20 seconds after a start, and an hour without a controller: the job ended during that,
 * nobody knows when. The log has the 20 seconds.
 */
static void test_restart(void)
{
	struct play y;
	uint64_t job, other;
	int64_t from_us, until_us, epoch_us;

	begin(&y);
	start(&y, &job);
	later(&y, 10 * SECOND);
	from_us = start(&y, &other);
	later(&y, 20 * SECOND);
	until_us = end(&y, job);
	fed_sched_done(&y.p);
	y.w.wall_us += 60 * MINUTE;
	world_restart(&y.w);
	epoch_us = y.w.wall_us;
	fill(&y);
	play_round(&y);
	ok(!y.noted, "nothing is noted while the nodes are missing");
	later(&y, SECOND);
	ok(!y.w.out.wants_round, "nor is a round wanted for it");
	world_node(&y.w, 1, "n1", 4, "boot", 1);
	apply(&y);
	play_round(&y);
	is_sample(sample(&y, 0), from_us, until_us, 2 * one * (double)(until_us - from_us), one,
		  "before the restart");
	ok(sample(&y, 0) && sample(&y, 0)->unknown_after, "nothing is known after it");
	is_sample(sample(&y, 1), epoch_us, y.w.wall_us, one * (double)(y.w.wall_us - epoch_us), one,
		  "after the restart");
	ok(sample(&y, 1) && !sample(&y, 1)->unknown_after, "then it is known again");
	done_with(&y);
}

/* While jobs run and nothing happens, the log says until when the controller ran. */
static void test_silence(void)
{
	struct play y;
	uint64_t job;
	int64_t last_us;

	begin(&y);
	start(&y, &job);
	for (int i = 0; i < 10; i++) {
		later(&y, MINUTE);
		play_round(&y);
	}
	last_us = y.w.wall_us;
	fed_sched_done(&y.p);
	y.w.wall_us += 60 * MINUTE;
	world_restart(&y.w);
	fill(&y);
	world_node(&y.w, 1, "n1", 4, "boot", 1);
	apply(&y);
	play_round(&y);
	ok(sample(&y, 0) && sample(&y, 0)->unknown_after &&
		   last_us - sample(&y, 0)->time_us <= 2 * MINUTE,
	   "the level of a quiet hour is known until the last minute");
	done_with(&y);
}

/* The integral itself, of more than 64 bits. */
static void test_precision(void)
{
	struct play y;
	const struct queue *q;
	struct use_sum u;
	uint64_t job;
	int64_t from_us;

	begin(&y);
	from_us = start(&y, &job);
	q = queue_find(core_state(y.w.core), queue);
	later(&y, DAY);
	u = queue_use_open(q, y.w.wall_us);
	is_int(u.from_us - from_us, y.w.wall_us - from_us,
	       "nothing changed since the sample, so nothing is open");
	from_us = end(&y, job);
	u = queue_use_open(q, y.w.wall_us);
	is_int(u.from_us - from_us, 0, "the end opens the integral");
	ok(q->changed && u.sum[0] == 0, "nothing is used after it");
	start(&y, &job);
	later(&y, SECOND);
	end(&y, job);
	from_us = start(&y, &job);
	later(&y, DAY);
	u = queue_use_open(q, y.w.wall_us);
	ok(u.sum[1] == (__int128)q->held.amount[1] * (y.w.wall_us - from_us) &&
		   u.sum[1] > INT64_MAX,
	   "a day of memory is exact, in 128 bits");
	done_with(&y);
}

int main(void)
{
	test_short();
	test_levels();
	test_restart();
	test_silence();
	test_precision();
	return done();
}
