/*
 * Time limits: defaults and maximums of job, queue, class and cluster; grace periods; the signal
 * before the limit.
 */
#include "fixture.h"
#include "tap/tap.h"

#include "core/state/state.h"
#include "util/mem.h"

#include <signal.h>
#include <string.h>

/* In seconds. */
struct limits {
	int64_t queue_default, queue_max, class_default, class_max, cluster_default, cluster_max;
};

static struct core_class class_rules[2];
static Armada__QueueSpec declared;

static void set_limits(struct test_world *w, const struct limits *l)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &w->policy};

	class_rules[0] = (struct core_class){.default_s = l->class_default, .max_s = l->class_max};
	declared =
		(Armada__QueueSpec){QUEUE_SPEC_BEGIN, .name = (char *)"short",
				    .default_time_s = l->queue_default, .max_time_s = l->queue_max};
	w->policy.class_rules = class_rules;
	w->policy.queues = &declared;
	w->policy.queue_count = 1;
	w->policy.default_time_limit_us = l->cluster_default * 1000000;
	w->policy.max_time_limit_us = l->cluster_max * 1000000;
	world_feed(w, &in);
}

/* Submits a job. Returns its stored spec; NULL if it is refused. */
static const Armada__JobSpec *accepted(struct test_world *w, Armada__JobSpec *spec)
{
	Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *reply;

	q.job = world_submit(w, spec);
	if (!q.job)
		return NULL;
	world_send(w, TEST_USER, MSG_SHOW_JOB, &q);
	reply = world_reply(w, MSG_SHOW_JOB_REPLY);
	return reply->spec;
}

static const Armada__JobSpec *submit(struct test_world *w, int64_t time_s)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec.queue = (char *)"short";
	spec.time_limit_s = time_s;
	return accepted(w, &spec);
}

#define BY(name) ARMADA__LIMIT_BY__LIMIT_BY_##name

static const struct {
	const char *what;
	struct limits limits;
	int64_t ask_s, want_s; /* want_s 0: the submission is refused */
	int by;
} default_cases[] = {
	{"without any setting a job has no time limit", {0}, 0, -1, BY(UNSET)},
	{"a job has the default of the cluster", {.cluster_default = 100}, 0, 100, BY(CLUSTER)},
	{"the class's default overrides the cluster's",
	 {.cluster_default = 100, .class_default = 200},
	 0,
	 200,
	 BY(CLASS)},
	{"the queue's default overrides both",
	 {.cluster_default = 100, .class_default = 200, .queue_default = 300},
	 0,
	 300,
	 BY(QUEUE)},
	{"the job's own time overrides all defaults",
	 {.cluster_default = 100, .class_default = 200, .queue_default = 300},
	 400,
	 400,
	 BY(JOB)},
	{"a job may request no limit", {.cluster_default = 100}, -1, -1, BY(JOB)},
	{"the default is cut to the queue's maximum",
	 {.cluster_default = 100, .queue_max = 50},
	 0,
	 50,
	 BY(QUEUE_MAX)},
	{"the default is cut to the class's maximum",
	 {.queue_default = 300, .queue_max = 400, .class_max = 60},
	 0,
	 60,
	 BY(CLASS_MAX)},
	{"the default is cut to the cluster's maximum",
	 {.queue_default = 300, .class_max = 90, .cluster_max = 80},
	 0,
	 80,
	 BY(CLUSTER_MAX)},
	{"without a default a job has the maximum", {.cluster_max = 80}, 0, 80, BY(CLUSTER_MAX)},
	{"a default equal to the maximum is the limit",
	 {.queue_default = 80, .cluster_max = 80},
	 0,
	 80,
	 BY(QUEUE)},
	{"a time equal to the maximum is accepted", {.queue_max = 80}, 80, 80, BY(JOB)},
	{"a time above the maximum is refused", {.queue_max = 80}, 81, 0, 0},
	{"no limit is refused where a maximum is set", {.class_max = 80}, -1, 0, 0},
};

static void test_defaults(struct test_world *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(default_cases); i++) {
		const Armada__JobSpec *got;

		set_limits(w, &default_cases[i].limits);
		got = submit(w, default_cases[i].ask_s);
		is_int(got ? got->time_limit_s : 0, default_cases[i].want_s, "%s",
		       default_cases[i].what);
		if (got)
			is_int(got->time_limit_by, default_cases[i].by,
			       "the source of the limit is recorded");
	}
}

static void test_words(struct test_world *w)
{
	set_limits(w, &(struct limits){.queue_max = 3600, .class_max = 7200, .cluster_max = 9000});
	submit(w, 7201);
	is_str(world_error(w), "time: at most 1 h is accepted in queue 'short' (its max_time)",
	       "the error names the shortest limit: that of the queue");
	set_limits(w, &(struct limits){.queue_max = 7200, .class_max = 60, .cluster_max = 9000});
	submit(w, 61);
	is_str(world_error(w),
	       "time: at most 1 min is accepted in priority class 'armada-default' (its max_time)",
	       "the error names the limit of the class");
	set_limits(w, &(struct limits){.cluster_max = 60});
	submit(w, 61);
	is_str(world_error(w), "time: at most 1 min is accepted (limits.max_time_limit)",
	       "the error names the limit of the cluster");
	submit(w, INT64_C(4000000000));
	has_str(world_error(w), "time: at most 100 years", "a time above 100 years is refused");
	submit(w, -2);
	has_str(world_error(w), "time: at most 100 years",
		"a negative time other than -1 is refused");
}

/* A lower maximum does not change jobs that were accepted before. */
static void test_reconfigured(struct test_world *w)
{
	const Armada__JobSpec *got;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t job;

	set_limits(w, &(struct limits){.cluster_default = 5000});
	world_node(w, 1, "n1", 4, "boot1", 1);
	spec_init(&spec, &group);
	job = world_submit(w, &spec);
	world_decide(w, job, 0, "n1");
	world_started(w, 1, job, 0, 0, 1);
	set_limits(w, &(struct limits){.queue_max = 10, .class_max = 10, .cluster_max = 10});
	is_int(world_orders(w, ORDER_KILL), 0, "a lower maximum ends no job");
	world_tick(w, 1000000);
	is_int(world_orders(w, ORDER_KILL), 0, "a later tick ends no job either");
	is_int(world_state(w, job, 0), ARMADA__JOB_STATE__JOB_RUNNING, "the job still runs");
	is_int(world_row(w, job)->time_limit_s, 5000, "the job keeps its time limit");
	got = submit(w, 0);
	is_int(got->time_limit_s, 10, "a new job gets the new maximum");
}

static void queue_request(struct test_world *w, Armada__QueueRequest__Verb verb,
			  Armada__QueueSpec *spec)
{
	Armada__QueueRequest q = ARMADA__QUEUE_REQUEST__INIT;

	q.verb = verb;
	q.spec = spec;
	world_send(w, ADMIN_USER, MSG_QUEUE, &q);
}

static void test_queues(struct test_world *w)
{
	Armada__QueueSpec q = ARMADA__QUEUE_SPEC__INIT;
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	set_limits(w, &(struct limits){.cluster_default = 100});
	q.name = (char *)"made";
	q.default_time_s = 20;
	q.max_time_s = 10;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, &q);
	has_str(world_error(w), "longer than its max time",
		"a default above the maximum is refused");
	q.default_time_s = -1;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, &q);
	has_str(world_error(w), "at most 100 years", "a negative default is refused");
	q.default_time_s = 5;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, &q);
	spec_init(&spec, &group);
	spec.queue = (char *)"made";
	is_int(accepted(w, &spec)->time_limit_s, 5, "a job gets the default of a created queue");
	armada__queue_spec__init(&q);
	q.name = (char *)"made";
	q.set_max_time = true;
	q.max_time_s = 4;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, &q);
	has_str(world_error(w), "longer than its max time",
		"an update is checked against the fields that stay");
	q.set_default_time = true;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, &q);
	spec_init(&spec, &group);
	spec.queue = (char *)"made";
	is_int(accepted(w, &spec)->time_limit_s, 4, "without a default a job gets the maximum");
	armada__queue_spec__init(&q);
	q.name = (char *)"made";
	q.set_cordoned = true;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, &q);
	spec_init(&spec, &group);
	spec.queue = (char *)"made";
	is_int(accepted(w, &spec)->time_limit_s, 4, "another update keeps the maximum");
	armada__queue_spec__init(&q);
	q.name = (char *)"fleeting";
	q.lease_s = 1;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, &q);
	has_str(world_error(w), "lease: must be longer than the",
		"a lease not longer than node_timeout is refused");
	q.name = (char *)"made";
	q.set_lease = true;
	queue_request(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, &q);
	has_str(world_error(w), "lease: must be longer than the",
		"an update with such a lease is refused");
}

static void test_grace(struct test_world *w)
{
	static const struct {
		int64_t ask_ms, by_default_us, want_ms;
	} cases[] = {
		{0, 1000000, 1000}, {0, 0, 1000},        {0, 30000000, 30000},
		{1000, 0, 1000},    {300000, 0, 300000}, {999, 1000000, 0},
		{1, 1000000, 0},    {-1, 1000000, 0},    {300001, 1000000, 0},
	};

	set_limits(w, &(struct limits){.cluster_default = 100});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const Armada__JobSpec *got;
		Armada__JobSpec spec;
		Armada__TaskGroup group;

		spec_init(&spec, &group);
		spec.grace_ms = cases[i].ask_ms;
		w->policy.default_grace_us = cases[i].by_default_us;
		got = accepted(w, &spec);
		is_int(got ? got->grace_ms : 0, cases[i].want_ms, "a grace of %lld ms",
		       (long long)cases[i].ask_ms);
		if (!got)
			has_str(world_error(w),
				"grace period: ", "the error names the grace period");
	}
	w->policy.default_grace_us = 1000000;
}

static void test_signal(struct test_world *w)
{
	static const struct {
		int32_t signal;
		int64_t before_s, time_s, want_s; /* want_s -1: the submission is refused */
	} cases[] = {
		{SIGUSR1, 120, 600, 120}, {SIGUSR1, 0, 600, 60},    {SIGUSR1, 0, 60, 30},
		{SIGUSR1, 0, 1, 1},       {SIGUSR1, 599, 600, 599}, {SIGUSR1, 600, 600, -1},
		{SIGUSR1, 60, -1, 60},    {SIGUSR1, 0, -1, 60},     {0, 120, 600, 0},
		{65, 120, 600, -1},       {-1, 120, 600, -1},       {SIGUSR1, 65536, -1, -1},
		{SIGUSR1, -1, 600, -1},
	};

	set_limits(w, &(struct limits){.cluster_default = 100});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const Armada__JobSpec *got;
		Armada__JobSpec spec;
		Armada__TaskGroup group;

		spec_init(&spec, &group);
		spec.signal = cases[i].signal;
		spec.signal_before_s = cases[i].before_s;
		spec.time_limit_s = cases[i].time_s;
		got = accepted(w, &spec);
		is_int(got ? got->signal_before_s : -1, cases[i].want_s,
		       "signal %d, %lld s before a limit of %lld s", cases[i].signal,
		       (long long)cases[i].before_s, (long long)cases[i].time_s);
		if (!got)
			has_str(world_error(w), "signal: ", "the error names the signal");
	}
}

/*
 * Updates this field of a job to the value in `to`. Returns the stored spec; NULL if it is refused.
 */
static const Armada__JobSpec *updated(struct test_world *w, uint64_t job, Armada__JobSpec *to,
				      Armada__UpdateJobRequest__Field field)
{
	Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	const Armada__UpdateJobReply *r;
	const Armada__ShowJobReply *shown;

	range.first = range.last = job;
	f.ids = ranges;
	f.n_ids = 1;
	m.filter = &f;
	m.spec = to;
	m.fields = &field;
	m.n_fields = 1;
	world_send(w, TEST_USER, MSG_UPDATE_JOB, &m);
	r = world_reply(w, MSG_UPDATE_JOB_REPLY);
	if (r->n_problems)
		diag("%s", r->problems[0]);
	if (!r->changed)
		return NULL;
	q.job = job;
	world_send(w, TEST_USER, MSG_SHOW_JOB, &q);
	shown = world_reply(w, MSG_SHOW_JOB_REPLY);
	return shown->spec;
}

#define FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

/*
 * An update keeps the other fields, even values above the present maximum, and changes derived
 * fields.
 */
static void test_updates(struct test_world *w)
{
	const Armada__JobSpec *got;
	Armada__JobSpec spec, to = ARMADA__JOB_SPEC__INIT;
	Armada__TaskGroup group;
	uint64_t plain, asked;

	set_limits(w, &(struct limits){.cluster_default = 1000, .queue_default = 300});
	spec_init(&spec, &group);
	spec.signal = SIGUSR1;
	plain = world_submit(w, &spec);
	spec_init(&spec, &group);
	spec.time_limit_s = 500;
	asked = world_submit(w, &spec);
	set_limits(w, &(struct limits){
			      .cluster_default = 100, .cluster_max = 400, .queue_default = 40});
	to.grace_ms = 5000;
	got = updated(w, plain, &to, FIELD(GRACE));
	is_int(got->time_limit_s, 1000,
	       "an update of the grace period keeps a time limit above the present maximum");
	is_int(got->time_limit_by, BY(CLUSTER), "it keeps the source of the time limit");
	is_int(got->grace_ms, 5000, "the grace period is updated");
	to.grace_ms = 500;
	ok(!updated(w, plain, &to, FIELD(GRACE)), "a grace period that is too short is refused");
	to.time_limit_s = 401;
	ok(!updated(w, plain, &to, FIELD(TIME_LIMIT)), "a time limit above the maximum is refused");
	to.time_limit_s = 50;
	got = updated(w, plain, &to, FIELD(TIME_LIMIT));
	is_int(got->time_limit_s, 50, "a time limit within the maximum is accepted");
	is_int(got->time_limit_by, BY(JOB), "its source is the job");
	is_int(got->signal_before_s, 25,
	       "a signal that would come before the start is moved to half of the time");
	to.queue = (char *)"short";
	got = updated(w, plain, &to, FIELD(QUEUE));
	is_int(got->time_limit_s, 50, "a job with its own time limit keeps it in another queue");
	ok(!updated(w, asked, &to, FIELD(QUEUE)),
	   "a move is refused if that time is too long there");
	spec_init(&spec, &group);
	plain = world_submit(w, &spec);
	got = updated(w, plain, &to, FIELD(QUEUE));
	is_int(got->time_limit_s, 40,
	       "a job without its own time limit gets the default of the queue");
	is_int(got->time_limit_by, BY(QUEUE), "its source is the queue");
}

int main(void)
{
	struct test_world w;

	world_init(&w);
	w.policy.hold_impossible = true;
	test_defaults(&w);
	test_words(&w);
	test_reconfigured(&w);
	test_queues(&w);
	test_grace(&w);
	test_signal(&w);
	test_updates(&w);
	world_done(&w);
	return done();
}
