/*
 * Samples of the shares of queues. A sample is written when there is a change and the interval is
 * over; an idle cluster gets none. A fairness plugin that starts from the samples has the same
 * usage as a plugin that ran all the time.
 */
#include "sched/usage_history.h"
#include "core/lifecycle/shares.h"
#include "fed_sched.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <math.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define MINUTE (60 * SECOND)

/* The queue of all jobs of this test: the own queue of the user. */
static const char queue[] = "ann";

static void begin_picture(struct fed_sched *p, const struct test_world *w, const char *fairness)
{
	fed_sched_init(p, w,
		       (struct rig_policy){.fairness = fairness,
					   .options = {{"half_life", 10.0 * MINUTE, NULL, 0}},
					   .option_count = 1});
}

static void tick(struct fed_sched *p, struct test_world *w, int64_t later_us)
{
	world_tick(w, later_us);
	fed_sched_apply(p, w);
}

/* Runs a round; returns the samples that it wrote, or NULL. */
static const Armada__SharesNoted *play(struct fed_sched *p, struct test_world *w)
{
	struct sched_round in = {.now_us = w->wall_us, .seed = ++p->round};
	struct sched_result result;
	struct input input = {.kind = INPUT_DECISIONS, .round = p->round};
	const Armada__Event *ev;

	sched_run_round(p->rig.s, &in, &result);
	input.decisions = &result;
	input.round_start_us = in.now_us;
	world_feed(w, &input);
	fed_sched_apply(p, w);
	sched_result_done(&result);
	ev = world_event(w, ARMADA__EVENT__KIND_SHARES_NOTED);
	return ev ? ev->shares_noted : NULL;
}

static const Armada__ShareSample *sample_of(const Armada__SharesNoted *m)
{
	for (size_t i = 0; m && i < m->n_queues; i++)
		if (strcmp(m->queues[i]->queue, queue) == 0)
			return m->queues[i];
	return NULL;
}

static double remembered(const struct fed_sched *p, const struct test_world *w, int64_t later_us)
{
	return sched_queue_history(p->rig.s, queue, w->wall_us + later_us);
}

/* Checks that a second plugin, started from the samples, has the same usage, now and later. */
static void same_anew(const struct fed_sched *p, const struct test_world *w, double within,
		      const char *what)
{
	struct fed_sched fresh;
	double worst = 0;

	begin_picture(&fresh, w, "decay");
	for (int i = 0; i < 5; i++)
		worst = fmax(worst, fabs(remembered(p, w, i * 7 * MINUTE) -
					 remembered(&fresh, w, i * 7 * MINUTE)));
	ok(worst <= within, "%s: %.3g and %.3g, apart by %.3g", what, remembered(p, w, 0),
	   remembered(&fresh, w, 0), worst);
	fed_sched_done(&fresh);
}

/* Lets minutes pass, with a round whenever the core requests one. Returns the number of samples. */
static int quiet(struct fed_sched *p, struct test_world *w, int minutes)
{
	int notes = 0;

	for (int i = 0; i < minutes; i++) {
		tick(p, w, MINUTE);
		world_beat(w, 1);
		fed_sched_apply(p, w);
		if (w->out.wants_round || i % 10 == 0)
			notes += sample_of(play(p, w)) != NULL;
	}
	return notes;
}

static void start_all(struct test_world *w, struct fed_sched *p, int jobs)
{
	world_init(w);
	w->policy.share_interval_us = MINUTE;
	world_node(w, 1, "n1", 4, "boot", 1);
	begin_picture(p, w, "decay");
	for (int i = 0; i < jobs; i++) {
		world_submit_plain(w);
		fed_sched_apply(p, w);
	}
}

static void test_notes(void)
{
	const Armada__SharesNoted *m;
	const Armada__ShareSample *s;
	struct test_world w;
	struct fed_sched p;
	int64_t at_us;
	double full, left;

	start_all(&w, &p, 6);
	at_us = w.wall_us;
	m = play(&p, &w);
	ok(m != NULL, "the first round with a queue writes a sample");
	is_str(m ? m->fairness : "", "decay", "the sample names the plugin");
	s = sample_of(m);
	ok(s && s->weight > 0 && s->cost > 0, "the sample has the jobs that the round started");
	is_int(s ? s->round_us : 0, at_us, "the sample has the time of the round");
	tick(&p, &w, 30 * SECOND);
	ok(!play(&p, &w), "half a minute later there is no sample");
	tick(&p, &w, 29 * SECOND);
	ok(!w.out.wants_round, "no round is wanted before the interval is over");
	tick(&p, &w, SECOND);
	ok(w.out.wants_round, "a minute later a round is wanted without another event");
	s = sample_of(play(&p, &w));
	ok(s && s->cost > 0.3 && s->memory > 0, "the sample has the cost and the usage");
	same_anew(&p, &w, 1e-9, "a new plugin after a recent sample");
	tick(&p, &w, 7 * MINUTE);
	same_anew(&p, &w, 1e-9,
		  "a new plugin some time after a sample, with the same jobs running");

	quiet(&p, &w, 200);
	full = remembered(&p, &w, 0);
	is_int(quiet(&p, &w, 300), 5, "without a change there is one sample in an hour (%.3f)",
	       full);
	for (uint64_t id = 1; id <= 6; id++)
		world_cancel(&w, TEST_USER, id), fed_sched_apply(&p, &w);
	for (uint64_t id = 1; id <= 4; id++) {
		world_ended(&w, 1, id, 0, 0, 1, ARMADA__END_CAUSE__END_CANCELLED, 0);
		fed_sched_apply(&p, &w);
	}
	s = sample_of(play(&p, &w));
	ok(s && s->weight == 0 && s->cost == 0, "a queue that leaves gets a last sample");
	ok(s && fabs(s->memory - full) < 0.01, "the last sample has the usage");
	tick(&p, &w, 20 * MINUTE);
	left = remembered(&p, &w, 0);
	ok(fabs(left - full / 4) < 0.01, "the usage decays by half (%.3f, %.3f)", full, left);
	is_int(quiet(&p, &w, 300), 0, "an idle cluster gets no samples");
	same_anew(&p, &w, 1e-9, "a new plugin after hours");
	fed_sched_done(&p);
	world_done(&w);
}

/*
 * After a restart the usage is exact if the last change was sampled; otherwise it differs by at
 * most the usage of one interval.
 */
static void test_restart(void)
{
	struct test_world w;
	struct fed_sched p, drf;

	start_all(&w, &p, 3);
	play(&p, &w);
	tick(&p, &w, 5 * MINUTE);
	play(&p, &w);
	world_restart(&w);
	fed_sched_apply(&p, &w);
	world_node(&w, 2, "n1", 4, "boot", 1);
	fed_sched_apply(&p, &w);
	same_anew(&p, &w, 1e-9, "a new plugin after a restart from the log");
	tick(&p, &w, 10 * SECOND);
	world_cancel(&w, TEST_USER, 1);
	fed_sched_apply(&p, &w);
	tick(&p, &w, 40 * SECOND);
	world_ended(&w, 2, 1, 0, 0, 1, ARMADA__END_CAUSE__END_CANCELLED, 0);
	fed_sched_apply(&p, &w);
	ok(!play(&p, &w), "an end that is not sampled yet");
	same_anew(&p, &w, 2 * (1 - exp2(-50.0 / 600)), "the error is at most the usage since then");
	tick(&p, &w, MINUTE);
	ok(play(&p, &w) != NULL, "the sample is written as soon as the interval is over");
	same_anew(&p, &w, 1e-9, "the usage is exact again");

	/* a plugin does not use the samples of another plugin */
	begin_picture(&drf, &w, "drf");
	tick(&drf, &w, MINUTE);
	ok(play(&drf, &w) != NULL, "another plugin writes its own samples");
	fed_sched_done(&p);
	begin_picture(&p, &w, "decay");
	ok(remembered(&p, &w, 0) == 0, "they are not used by the first plugin");
	ok(remembered(&p, &w, 10 * MINUTE) > 0.9, "it starts with the running jobs");
	fed_sched_done(&p);
	fed_sched_done(&drf);
	world_done(&w);
}

static void test_asked(void)
{
	Armada__SharesRequest m = ARMADA__SHARES_REQUEST__INIT;
	char *queues[] = {(char *)"a"};
	struct test_world w;

	world_init(&w);
	m.queues = queues;
	m.n_queues = 1;
	world_send(&w, OTHER_USER, MSG_SHARES, &m);
	is_int((long long)w.out.effect_count, 1, "a request for shares has one effect");
	is_int(w.out.effects[0].kind, EFFECT_SHARES, "the history is queried");
	ok(w.out.effects[0].len > 0, "the effect has the request");
	world_done(&w);
}

int main(void)
{
	test_notes();
	test_restart();
	test_asked();
	return done();
}
