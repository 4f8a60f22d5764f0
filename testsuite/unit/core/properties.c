/*
 * PROPERTIES: sharing incentive, envy, waste and preemptions of the last round, in small worlds whose
 * numbers follow from the definitions in armada-fairness(7). COUNTERS: the same by queue.
 */
#include "core/state/state.h"
#include "core/txn/preempted_work.h"
#include "elastic_job.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CPU = 1000 };

static void round_with(struct test_world *w, struct sched_share *shares, size_t share_count,
		       struct sched_decision *d)
{
	static uint64_t number;
	struct sched_result r = {.shares = shares,
				 .share_count = share_count,
				 .decisions = d,
				 .decision_count = d ? 1 : 0};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r, .round = ++number};

	world_feed(w, &in);
}

static const Armada__Property *property(struct test_world *w, const char *name)
{
	Armada__PropertiesRequest m = ARMADA__PROPERTIES_REQUEST__INIT;
	const Armada__PropertiesReply *r;

	world_send(w, TEST_USER, MSG_PROPERTIES, &m);
	r = world_reply(w, MSG_PROPERTIES_REPLY);
	for (size_t i = 0; r && i < r->n_rows; i++)
		if (strcmp(r->rows[i]->name, name) == 0)
			return r->rows[i];
	bail("no property %s", name);
}

static void is_value(struct test_world *w, const char *name, double want, const char *what)
{
	double got = property(w, name)->value;

	ok(fabs(got - want) < 1e-6, "%s: %s is %g", what, name, got);
}

static const Armada__CountersReply *counters(struct test_world *w)
{
	Armada__CountersRequest m = ARMADA__COUNTERS_REQUEST__INIT;

	world_send(w, TEST_USER, MSG_COUNTERS, &m);
	if (w->out.effect_count != 1 || w->out.effects[0].kind != EFFECT_COUNTERS)
		bail("no effect of COUNTERS");
	return msg_unpack_own(&armada__counters_reply__descriptor, w->out.effects[0].body,
			      w->out.effects[0].len, w->arena);
}

/* NAN: there is no such row. */
static double counter(struct test_world *w, const char *name, const char *value)
{
	const Armada__CountersReply *r = counters(w);

	for (size_t i = 0; i < r->n_rows; i++)
		if (strcmp(r->rows[i]->name, name) == 0 && strcmp(r->rows[i]->value, value) == 0)
			return r->rows[i]->amount;
	return NAN;
}

static void is_counter(struct test_world *w, const char *name, const char *value, double want,
		       const char *what)
{
	double got = counter(w, name, value);

	ok(fabs(got - want) < 1e-9, "%s: %s of %s is %g", what, name, value, got);
}

/* A queue that has and wants cpus and gpus of a cluster of 12 cpus and 4 gpus. */
static struct sched_share share_of(const char *queue, double weight, double fair,
				   const int64_t has[2], const int64_t wants[2])
{
	double cost = fmax((double)has[0] / 12, (double)has[1] / 4),
	       demand = fmax((double)wants[0] / 12, (double)wants[1] / 4);
	struct sched_share s = {
		.queue = queue, .weight = weight, .fair = fair, .cost = cost, .cost_after = cost};

	s.capped = demand < fair ? demand : fair;
	s.allocated[0] = has[0] * CPU;
	s.allocated[2] = has[1];
	s.demand[0] = wants[0] * CPU;
	s.demand[2] = wants[1];
	return s;
}

static const struct {
	const char *what;
	double weight, fair;
	int64_t a[2], wants_a[2], b[2], wants_b[2];
	double below, lacks, envy, most;
} worlds[] = {
	{"equal parts", 1, 0.5, {6, 0}, {20, 0}, {6, 0}, {20, 0}, 0, 0, 0, 0},
	{"a has more", 1, 0.5, {8, 0}, {20, 0}, {4, 0}, {20, 0}, 1, 1.0 / 6, 1, 0.2},
	{"b wants no more", 1, 0.5, {8, 0}, {20, 0}, {4, 0}, {4, 0}, 0, 0, 0, 0},
	{"a has twice the weight", 2, 2.0 / 3, {8, 0}, {20, 0}, {4, 0}, {20, 0}, 0, 0, 0, 0},
	{"a has twice the weight and no more",
	 2,
	 2.0 / 3,
	 {6, 0},
	 {20, 0},
	 {6, 0},
	 {20, 0},
	 1,
	 1.0 / 6,
	 1,
	 0.3},
	{"different resources", 1, 0.5, {2, 4}, {4, 8}, {10, 0}, {40, 0}, 0, 0, 0, 0},
	{"an idle queue", 1, 0.5, {0, 0}, {0, 0}, {12, 0}, {40, 0}, 0, 0, 0, 0},
};

static void test_worlds(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++) {
		struct sched_share s[] = {
			share_of("a", worlds[i].weight, worlds[i].fair, worlds[i].a,
				 worlds[i].wants_a),
			share_of("b", 1, 1 - worlds[i].fair, worlds[i].b, worlds[i].wants_b),
		};
		struct test_world w;

		world_init(&w);
		round_with(&w, s, 2, NULL);
		is_value(&w, "queues", 2, worlds[i].what);
		is_value(&w, "incentive_below", worlds[i].below, worlds[i].what);
		is_value(&w, "incentive_lacks", worlds[i].lacks, worlds[i].what);
		is_value(&w, "envy_pairs", worlds[i].envy, worlds[i].what);
		is_value(&w, "envy_most", worlds[i].most, worlds[i].what);
		ok(fabs(counter(&w, "queue_share_lacking", "a") +
			counter(&w, "queue_share_lacking", "b") - worlds[i].lacks) < 1e-9,
		   "%s: both queues together lack the same", worlds[i].what);
		ok(fabs(fmax(counter(&w, "queue_envy", "a"), counter(&w, "queue_envy", "b")) -
			worlds[i].most) < 1e-9,
		   "%s: one of them envies as much", worlds[i].what);
		world_done(&w);
	}
}

static void test_texts(void)
{
	static const int64_t eight[] = {8, 0}, four[] = {4, 0}, many[] = {20, 0};
	struct sched_share s[] = {share_of("a", 1, 0.5, eight, many),
				  share_of("b", 1, 0.5, four, many)};
	Armada__PropertiesRequest m = ARMADA__PROPERTIES_REQUEST__INIT;
	struct test_world w;

	world_init(&w);
	world_send(&w, TEST_USER, MSG_PROPERTIES, &m);
	has_str(world_error(&w), "there has been no scheduling round",
		"without a round there is no answer");
	round_with(&w, s, 2, NULL);
	has_str(property(&w, "incentive_lacks")->text,
		"queue b uses 33.33 %, and its share is 50 %",
		"the queue that lacks most is named");
	has_str(property(&w, "envy_most")->text,
		"queue b runs 20 % of its demand, and would run 40 % with what queue a has",
		"the pair with the most envy is named");
	is_counter(&w, "queue_share_lacking", "b", 1.0 / 6, "the queue that lacks");
	is_counter(&w, "queue_share_lacking", "a", 0, "the other one");
	is_counter(&w, "queue_envy", "b", 0.2, "the queue that envies");
	is_counter(&w, "queue_envy", "a", 0, "the other one");
	world_done(&w);
}

/* 60 queues lack a part each, the later ones more; the last one has the rest of the cluster. */
static void test_many_queues(void)
{
	enum { QUEUES = 60, SHOWN = 50 };
	static const int64_t many[] = {20, 0}, none[] = {0, 0};
	struct sched_share s[QUEUES];
	char names[QUEUES][8];
	size_t rows = 0, lacking = 0;
	double others = 0;
	struct test_world w;

	for (size_t i = 0; i < QUEUES; i++) {
		snprintf(names[i], sizeof(names[i]), "q%02zu", i);
		s[i] = share_of(names[i], 1, 0.001 * (double)(i + 1), none, many);
		if (i < QUEUES - SHOWN)
			others += s[i].fair;
	}
	world_init(&w);
	is_counter(&w, "queue_preempted_cluster_seconds", "(other)", 0, "before the first round");
	ok(isnan(counter(&w, "queue_envy", "(other)")), "without a round no queue envies");
	round_with(&w, s, QUEUES, NULL);
	is_counter(&w, "queue_share_lacking", "q59", 0.06, "the queue that lacks most");
	is_counter(&w, "queue_share_lacking", "q10", 0.011, "the last one with a row");
	ok(isnan(counter(&w, "queue_share_lacking", "q09")), "the next one has none");
	is_counter(&w, "queue_share_lacking", "(other)", others, "the others are summed");
	is_counter(&w, "queue_envy", "(other)", 0, "none has what another could envy");
	for (size_t i = 0; i < counters(&w)->n_rows; i++) {
		lacking += strcmp(counters(&w)->rows[i]->name, "queue_share_lacking") == 0;
		rows += strcmp(counters(&w)->rows[i]->name, "queue_envy") == 0;
	}
	is_int(lacking, SHOWN + 1, "so many rows are there");
	is_int(rows, SHOWN + 1, "... of each kind");
	world_done(&w);
}

/* The first queues keep their counts, and further ones share one. */
static void test_work_of_many(void)
{
	enum { QUEUES = PREEMPTED_QUEUES + 10 };
	struct preempted_work work = {0};
	char name[16];

	for (int turn = 0; turn < 2; turn++)
		for (int i = 0; i < QUEUES; i++) {
			snprintf(name, sizeof(name), "q%d", i);
			preempted_work_add(&work, name, 2);
		}
	preempted_work_add(&work, "late", 0);
	is_int(work.count, PREEMPTED_QUEUES, "the queues with a count of their own are bounded");
	ok(work.list[0].cluster_s == 4 && work.list[PREEMPTED_QUEUES - 1].cluster_s == 4,
	   "each has its work");
	ok(work.others_s == 40, "the others have one together");
	preempted_work_done(&work);
}

static double cost_of_cpus(const void *arg, const int64_t *allocated)
{
	(void)arg;
	return (double)allocated[0] / (12 * CPU);
}

/* A job of one of 12 cpus runs for a minute, and goes. */
static void test_preempted_work(void)
{
	struct sched_decision d = {.kind = SCHED_PREEMPT, .why = "scavenging"};
	struct sched_result r = {.decisions = &d, .decision_count = 1, .cost = cost_of_cpus};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r, .round = 1};
	const struct element *e;
	struct test_world w;
	double want;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "b1", 1);
	d.job = world_submit_plain(&w);
	world_decide(&w, d.job, 0, "n1");
	world_feed(&w, &in);
	is_counter(&w, "preempted_elements", "scavenging", 1, "a preemption before the start");
	ok(isnan(counter(&w, "queue_preempted_cluster_seconds", "ann")), "... costs no work");
	d.job = world_submit_plain(&w);
	world_decide(&w, d.job, 0, "n1");
	world_started(&w, 1, d.job, 0, 0, 1);
	w.wall_us += 60000000;
	w.steady_us += 60000000;
	e = element_find(job_find(core_state(w.core), d.job), 0);
	want = (double)(w.wall_us + 1000 - e->start_us) / 12e6;
	world_feed(&w, &in);
	is_counter(&w, "preempted_elements", "scavenging", 2, "a preemption after it");
	is_counter(&w, "queue_preempted_cluster_seconds", "ann", want, "it costs its run time");
	ok(want > 5 && want < 5.1, "a minute of a twelfth of the cluster");
	is_counter(&w, "queue_preempted_cluster_seconds", "(other)", 0, "no other queue lost work");
	world_done(&w);
}

/*
 * An extra task of an elastic job runs for a minute, and is taken back. It is one task of the three that
 * run, and it joined half a minute after the job began.
 */
static void test_extra_task(void)
{
	struct sched_decision d = {.kind = SCHED_PREEMPT, .why = "urgency"};
	struct sched_result r = {.decisions = &d, .decision_count = 1, .cost = cost_of_cpus};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r, .round = 1};
	const struct element *e;
	struct test_world w;
	struct elastic p;
	uint64_t id;
	double want;

	world_two(&w);
	elastic_init(&p, 6, 2);
	id = run_elastic(&w, &p);
	w.wall_us += 30000000;
	w.steady_us += 30000000;
	world_decide(&w, extra(0, 0), 0, "n2");
	world_started(&w, 2, id, 0, 2, 2);
	w.wall_us += 60000000;
	w.steady_us += 60000000;
	e = element_find(job_find(core_state(w.core), id), 0);
	is_int(e->task_count, 3, "three tasks run");
	want = (double)(w.wall_us + 1000 - e->tasks[2].start_us) / 12e6;
	d.job = extra(0, 0);
	world_feed(&w, &in);
	is_counter(&w, "preempted_elements", "urgency", 1, "an extra task is taken back");
	is_counter(&w, "queue_preempted_cluster_seconds", "ann", want, "it costs its own work");
	ok(want > 5 && want < 5.1, "a minute of a twelfth of the cluster");
	world_done(&w);
}

static void test_preempted_by_request(void)
{
	Armada__PreemptRequest m = ARMADA__PREEMPT_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange ids = ARMADA__JOB_RANGE__INIT, *list[] = {&ids};
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "b1", 1);
	ids.first = ids.last = world_submit_plain(&w);
	world_decide(&w, ids.first, 0, "n1");
	world_started(&w, 1, ids.first, 0, 0, 1);
	filter.ids = list;
	filter.n_ids = 1;
	m.filter = &filter;
	m.dry_run = true;
	world_send(&w, ADMIN_USER, MSG_PREEMPT, &m);
	is_counter(&w, "preempted_elements", "request", 0, "a dry run");
	m.dry_run = false;
	world_send(&w, ADMIN_USER, MSG_PREEMPT, &m);
	is_counter(&w, "preempted_elements", "request", 1, "actl preempt");
	world_done(&w);
}

/* The allocation is that after the decisions, and preemptions are counted by rule. */
static void test_preempted(void)
{
	static const int64_t two[] = {2, 0}, one[] = {1, 0}, many[] = {20, 0};
	struct sched_decision d = {.kind = SCHED_PREEMPT, .why = "fair-share"};
	struct test_world w;

	for (int urgency = 0; urgency < 2; urgency++) {
		struct sched_share s[] = {share_of("ann", 1, 0.5, two, many),
					  share_of("b", 1, 0.5, one, many)};

		world_init(&w);
		world_node(&w, 1, "n1", 4, "b1", 1);
		d.job = world_submit_plain(&w);
		d.why = urgency ? "urgency" : "fair-share";
		world_decide(&w, d.job, 0, "n1");
		world_started(&w, 1, d.job, 0, 0, 1);
		round_with(&w, s, 2, &d);
		is_value(&w, "envy_pairs", 0, "after the preemption both have one cpu");
		is_value(&w, "preempted_fair_share", !urgency, "the last round");
		is_value(&w, "preempted_urgency", urgency, "the last round");
		round_with(&w, s, 2, NULL);
		is_value(&w, "preempted_fair_share", 0, "a later round");
		is_value(&w, "preempted_fair_share_total", !urgency, "since the start");
		is_value(&w, "preempted_urgency_total", urgency, "since the start");
		world_done(&w);
	}
}

static uint64_t submit_at(struct test_world *w, int cpus, const char *uniformity)
{
	Armada__Resource cpu, *list[1];
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec_cpus(&group, cpus, &cpu, list);
	spec.uniformity = (char *)(uintptr_t)uniformity;
	return world_submit(w, &spec);
}

static void test_waste(void)
{
	struct sched_reason why = {.why = WHY_QUEUE_JOBS_LIMIT, .text = "too many"};
	struct sched_result r = {.reasons = &why, .reason_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r, .round = 1};
	struct test_world w;

	world_init(&w);
	round_with(&w, NULL, 0, NULL);
	world_node(&w, 1, "n1", 4, "b1", 1);
	world_node_labelled(&w, 2, "n2", "rack", "a");
	is_value(&w, "waste_elements", 0, "nothing waits");
	world_decide(&w, world_submit_plain(&w), 0, "n1");
	submit_at(&w, 3, "");
	submit_at(&w, 4, "");
	submit_at(&w, 1, "rack");
	world_hold(&w, submit_at(&w, 1, ""), false);
	is_value(&w, "waste_elements", 2,
		 "two jobs fit: one beside a job that runs, one on an empty node");
	is_value(&w, "waste_cpus", 7 * CPU, "their cpus");
	has_str(property(&w, "waste_elements")->text,
		": Priority 2; 1 of gangs of jobs and with --uniformity are left out",
		"the reasons and what was left out");
	why.job = submit_at(&w, 1, "");
	world_feed(&w, &in);
	is_value(&w, "waste_elements", 2, "a third job finds no free room");
	world_drain(&w, "n2", "a test");
	is_value(&w, "waste_elements", 1, "a drained node is no room");
	world_cancel(&w, TEST_USER, why.job - 4);
	has_str(property(&w, "waste_elements")->text, "at once: QueueJobsLimit 1;",
		"the reason of the last round");
	world_done(&w);
}

int main(void)
{
	test_worlds();
	test_texts();
	test_many_queues();
	test_work_of_many();
	test_preempted();
	test_preempted_work();
	test_extra_task();
	test_preempted_by_request();
	test_waste();
	return done();
}
