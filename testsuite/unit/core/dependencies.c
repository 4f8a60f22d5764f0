/*
 * Dependencies of jobs on other jobs, and begin times. The tests cover each kind of dependency,
 * lists, arrays, ended jobs that only the history knows, refused requests, restarts, and the
 * cost of long chains and of arrays with many ranges.
 */
#include "event_notes.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name
#define DEP(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name

/* One submission with dependencies. */
struct ask {
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Dependency deps[8], *list[8];
	Armada__IndexRange range, *ranges[1];
};

static void ask_init(struct ask *a)
{
	spec_init(&a->spec, &a->group);
	a->spec.dependencies = a->list;
}

static void ask_array(struct ask *a, uint32_t last)
{
	armada__index_range__init(&a->range);
	a->range.last = last;
	a->ranges[0] = &a->range;
	a->spec.array = a->ranges;
	a->spec.n_array = 1;
}

static Armada__Dependency *ask_for(struct ask *a, Armada__DependencyType type, uint64_t job)
{
	Armada__Dependency *d = &a->deps[a->spec.n_dependencies];

	armada__dependency__init(d);
	d->type = type;
	d->job = job;
	a->list[a->spec.n_dependencies++] = d;
	return d;
}

/* The core changes the spec that it gets, so it gets a copy. */
static uint64_t submit(struct test_world *w, struct ask *a)
{
	Armada__JobSpec spec, said = a->spec;

	spec_init(&spec, &a->group);
	said.groups = spec.groups;
	return world_submit(w, &said);
}

static uint64_t submit_after(struct test_world *w, Armada__DependencyType type, uint64_t job)
{
	struct ask a;

	ask_init(&a);
	ask_for(&a, type, job);
	return submit(w, &a);
}

static void run(struct test_world *w, uint64_t job, uint32_t element, uint32_t attempt)
{
	world_decide(w, job, element, "n1");
	world_started(w, 1, job, element, 0, attempt);
}

static void finish(struct test_world *w, uint64_t job, uint32_t element, int code)
{
	world_ended(w, 1, job, element, 0, 1, END(EXITED), code);
}

/* Whether the core accepts a decision to start the element. */
static bool may_start(struct test_world *w, uint64_t job, uint32_t element)
{
	world_decide(w, job, element, "n1");
	return world_state(w, job, element) == JOB(CONFIGURING);
}

static const char *word_of(struct test_world *w, uint64_t job, const char **ret_text)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;

	m.after_id = job - 1;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	r = world_reply(w, MSG_LIST_JOBS_REPLY);
	if (!r->n_rows || r->rows[0]->job != job)
		return "";
	if (ret_text)
		*ret_text = r->rows[0]->reason;
	return r->rows[0]->reason_word;
}

static void begin(struct test_world *w)
{
	world_init(w);
	w->policy.node_timeout_us = INT64_C(1) << 60;
	world_node(w, 1, "n1", 64, "boot", 1);
}

static void test_kinds(void)
{
	static const struct {
		Armada__DependencyType type;
		bool at_start, at_good, at_bad;
	} kinds[] = {
		{DEP(AFTER), true, true, true},
		{DEP(AFTERANY), false, true, true},
		{DEP(AFTEROK), false, true, false},
		{DEP(AFTERNOTOK), false, false, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (int code = 0; code < 2; code++) {
			bool free = code ? kinds[i].at_bad : kinds[i].at_good;
			struct test_world w;
			uint64_t a, b;

			begin(&w);
			a = world_submit_plain(&w);
			b = submit_after(&w, kinds[i].type, a);
			is_int(world_state(&w, b, 0), JOB(PENDING), "kind %d: the job is pending",
			       kinds[i].type);
			is_str(word_of(&w, b, NULL), "Dependency", "its reason is the dependency");
			ok(!may_start(&w, b, 0), "a decision to start it is refused");
			run(&w, a, 0, 1);
			is_int(may_start(&w, b, 0), kinds[i].at_start,
			       "start allowed when the other job has started");
			finish(&w, a, 0, code);
			if (!kinds[i].at_start)
				is_int(may_start(&w, b, 0), free,
				       "start allowed when the other job has ended with %d", code);
			if (!free)
				is_int(world_ended_as(&w, b, 0), JOB(CANCELLED),
				       "a dependency that can never hold cancels the job");
			world_done(&w);
		}
}

static void test_past(void)
{
	struct test_world w;
	struct ask x;
	uint64_t good, bad, b;

	begin(&w);
	good = world_submit_plain(&w);
	bad = world_submit_plain(&w);
	run(&w, good, 0, 1);
	finish(&w, good, 0, 0);
	run(&w, bad, 0, 1);
	finish(&w, bad, 0, 3);
	b = submit_after(&w, DEP(AFTEROK), good);
	is_int(w.history_queries, 1, "the history is queried for a job that has left the state");
	ok(may_start(&w, b, 0), "a dependency on a job that completed earlier holds at once");
	b = submit_after(&w, DEP(AFTEROK), bad);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED),
	       "a dependency on a job that failed earlier cancels the job");
	b = submit_after(&w, DEP(AFTERNOTOK), bad);
	ok(may_start(&w, b, 0), "afternotok on it holds");
	is_int(submit_after(&w, DEP(AFTEROK), 4711), 0,
	       "a dependency on an unknown job is refused");
	has_str(world_error(&w), "there is no job 4711", "the error names the job");
	ask_init(&x);
	x.spec.keep_invalid_dependency = true;
	ask_for(&x, DEP(AFTEROK), bad);
	b = submit(&w, &x);
	is_str(word_of(&w, b, NULL), "DependencyNeverSatisfied",
	       "with keep_invalid_dependency the job is kept");
	world_done(&w);
}

static void test_all_and_any(void)
{
	struct test_world w;
	struct ask x;
	uint64_t one, two, all, any, lost;

	begin(&w);
	one = world_submit_plain(&w);
	two = world_submit_plain(&w);
	ask_init(&x);
	ask_for(&x, DEP(AFTEROK), one);
	ask_for(&x, DEP(AFTEROK), two);
	all = submit(&w, &x);
	x.spec.dependency_any = true;
	any = submit(&w, &x);
	ask_init(&x);
	x.spec.dependency_any = true;
	ask_for(&x, DEP(AFTERNOTOK), one);
	ask_for(&x, DEP(AFTERNOTOK), two);
	lost = submit(&w, &x);
	run(&w, one, 0, 1);
	finish(&w, one, 0, 0);
	ok(!may_start(&w, all, 0),
	   "with \",\" the job is pending while one of two conditions holds");
	ok(may_start(&w, any, 0), "with \"?\" the job may start when one of two conditions holds");
	is_int(world_state(&w, lost, 0), JOB(PENDING),
	       "with \"?\" one condition that can never hold does not cancel the job");
	run(&w, two, 0, 1);
	finish(&w, two, 0, 0);
	ok(may_start(&w, all, 0), "with \",\" the job may start when both conditions hold");
	is_int(world_ended_as(&w, lost, 0), JOB(CANCELLED),
	       "with \"?\" the job is cancelled when none of its conditions can hold any more");
	world_done(&w);
}

static void test_arrays(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a, whole, part, corr, never;

	begin(&w);
	ask_init(&x);
	ask_array(&x, 2);
	a = submit(&w, &x);
	whole = submit_after(&w, DEP(AFTEROK), a);
	never = submit_after(&w, DEP(AFTERNOTOK), a);
	ask_init(&x);
	ask_for(&x, DEP(AFTEROK), a)->has_element = true;
	x.deps[0].element = 1;
	part = submit(&w, &x);
	ask_init(&x);
	ask_array(&x, 2);
	ask_for(&x, DEP(AFTERCORR), a);
	corr = submit(&w, &x);
	for (uint32_t e = 0; e < 3; e++)
		run(&w, a, e, 1);
	finish(&w, a, 1, 0);
	ok(may_start(&w, part, 0), "afterok:A_1 holds when element 1 has completed");
	ok(!may_start(&w, whole, 0), "afterok:A needs all elements");
	ok(may_start(&w, corr, 1), "aftercorr: element 1 may start after element 1 of the other");
	ok(!may_start(&w, corr, 0), "aftercorr: element 0 may not");
	finish(&w, a, 0, 1);
	is_int(world_ended_as(&w, whole, 0), JOB(CANCELLED),
	       "one element failed: afterok:A can never hold");
	is_int(world_ended_as(&w, corr, 0), JOB(CANCELLED),
	       "aftercorr: the element of the failed one is cancelled");
	is_int(world_state(&w, corr, 2), JOB(PENDING), "aftercorr: the third element is pending");
	is_int(world_state(&w, never, 0), JOB(PENDING),
	       "afternotok waits for the end of all elements");
	ask_init(&x);
	ask_array(&x, 2);
	ask_for(&x, DEP(AFTERCORR), a);
	part = submit(&w, &x);
	ok(may_start(&w, part, 1),
	   "aftercorr made later: the element of the completed one may start");
	is_int(world_ended_as(&w, part, 0), JOB(CANCELLED),
	       "the element of the failed one is cancelled");
	finish(&w, a, 2, 0);
	ok(may_start(&w, corr, 2), "aftercorr: the third element may start");
	ok(may_start(&w, never, 0), "afternotok holds when the array has ended with a failure");
	world_done(&w);
}

static void test_refused(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a, single;

	begin(&w);
	single = world_submit_plain(&w);
	ask_init(&x);
	ask_array(&x, 2);
	a = submit(&w, &x);
	is_int(submit_after(&w, DEP(AFTERCORR), a), 0,
	       "aftercorr on a job that is not an array is refused");
	has_str(world_error(&w), "for arrays", "the error says so");
	ask_init(&x);
	ask_array(&x, 4);
	ask_for(&x, DEP(AFTERCORR), a);
	is_int(submit(&w, &x), 0, "aftercorr with an element without a counterpart is refused");
	has_str(world_error(&w), "that job has no element 3", "the error names the element");
	ask_init(&x);
	ask_for(&x, DEP(AFTEROK), a)->has_element = true;
	x.deps[0].element = 9;
	is_int(submit(&w, &x), 0, "a dependency on an unknown element is refused");
	has_str(world_error(&w), "has no element 9", "the error names the element");
	x.deps[0].job = single;
	is_int(submit(&w, &x), 0, "a dependency on an element of a single job is refused");
	has_str(world_error(&w), "is not an array", "the error says that it is not an array");
	world_done(&w);
}

/* Invalid messages, which only a hostile client sends. */
static void test_hostile(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a;

	begin(&w);
	a = world_submit_plain(&w);
	ask_init(&x);
	ask_for(&x, (Armada__DependencyType)99, a);
	is_int(submit(&w, &x), 0, "an unknown kind is refused");
	ask_init(&x);
	ask_for(&x, DEP(AFTEROK), 0);
	is_int(submit(&w, &x), 0, "job 0 is refused");
	ask_init(&x);
	ask_for(&x, DEP(AFTEROK), UINT64_MAX);
	is_int(submit(&w, &x), 0, "the largest job id is refused");
	ask_init(&x);
	ask_for(&x, DEP(SINGLETON), a);
	is_int(submit(&w, &x), 0, "a singleton with a job is refused");
	ask_init(&x);
	ask_for(&x, DEP(AFTER), a)->delay_s = INT64_MAX;
	is_int(submit(&w, &x), 0, "a delay that overflows is refused");
	x.deps[0].delay_s = -5;
	is_int(submit(&w, &x), 0, "a negative delay is refused");
	ask_init(&x);
	x.spec.begin_us = INT64_MAX;
	is_int(submit(&w, &x), 0, "a begin time that overflows is refused");
	x.spec.begin_us = -1;
	is_int(submit(&w, &x), 0, "a negative begin time is refused");
	ask_init(&x);
	ask_for(&x, DEP(AFTEROK), a)->state = ARMADA__DEPENDENCY_STATE__DEPENDENCY_MET;
	ok(!may_start(&w, submit(&w, &x), 0), "a dependency state set by the client is ignored");
	world_done(&w);
}

static void test_singleton(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a, b, c, other;

	begin(&w);
	a = world_submit_plain(&w);
	b = submit_after(&w, DEP(SINGLETON), 0);
	c = submit_after(&w, DEP(SINGLETON), 0);
	ask_init(&x);
	ask_for(&x, DEP(SINGLETON), 0);
	x.spec.name = (char *)"other";
	other = submit(&w, &x);
	ok(may_start(&w, other, 0), "a singleton with another name may start");
	ok(!may_start(&w, b, 0), "a singleton waits for the earlier job of its name");
	run(&w, a, 0, 1);
	finish(&w, a, 0, 1);
	ok(!may_start(&w, c, 0), "the second singleton waits for the first");
	ok(may_start(&w, b, 0), "the first starts whether the other job failed or not");
	finish(&w, b, 0, 0);
	ok(may_start(&w, c, 0), "then the second may start");
	world_done(&w);
}

static void test_times(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a, b, late, both;
	const char *text;

	begin(&w);
	ask_init(&x);
	x.spec.begin_us = w.wall_us + 60000000;
	late = submit(&w, &x);
	a = world_submit_plain(&w);
	ask_for(&x, DEP(AFTEROK), a);
	both = submit(&w, &x);
	ask_init(&x);
	ask_for(&x, DEP(AFTER), a)->delay_s = 600;
	b = submit(&w, &x);
	is_str(word_of(&w, late, &text), "BeginTime", "a job waits for its begin time");
	is_str(word_of(&w, both, NULL), "Dependency", "a job with both waits for its dependency");
	world_tick(&w, 59000000);
	ok(!may_start(&w, late, 0), "the job may not start before its begin time");
	world_tick(&w, 2000000);
	ok(may_start(&w, late, 0), "the job may start after its begin time");
	ok(!may_start(&w, both, 0), "after its begin time the job still waits for its dependency");
	run(&w, a, 0, 1);
	is_str(word_of(&w, b, NULL), "BeginTime", "a delay after a start is a begin time");
	finish(&w, a, 0, 0);
	ok(may_start(&w, both, 0), "the job may start when its dependency holds too");
	world_tick(&w, 590000000);
	ok(!may_start(&w, b, 0), "the job may not start before the delay is over");
	world_tick(&w, 20000000);
	ok(may_start(&w, b, 0), "the job may start when the delay is over");
	world_done(&w);
}

/* The time of the log never goes back; begin times are compared with the time of the clock. */
static void test_clock(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a, b;

	begin(&w);
	world_tick(&w, INT64_C(86400000000));
	w.wall_us -= INT64_C(86400000000);
	ask_init(&x);
	x.spec.begin_us = w.wall_us + 60000000;
	a = submit(&w, &x);
	ok(!may_start(&w, a, 0), "after the clock was set back the job waits by the clock");
	world_tick(&w, 61000000);
	ok(may_start(&w, a, 0), "the job may start by the clock");
	ask_init(&x);
	x.spec.begin_us = w.wall_us + INT64_C(3600000000);
	b = submit(&w, &x);
	world_tick(&w, INT64_C(7200000000));
	w.wall_us -= INT64_C(7200000000);
	world_tick(&w, 0);
	ok(may_start(&w, b, 0),
	   "a job whose begin time has passed stays eligible when the clock is set back");
	world_done(&w);
}

static void cancel(struct test_world *w, uint64_t job)
{
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};

	r.first = r.last = job;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	world_send(w, TEST_USER, MSG_CANCEL, &m);
}

static void test_cancelled(void)
{
	struct test_world w;
	uint64_t a, b, c, d;

	begin(&w);
	a = world_submit_plain(&w);
	b = submit_after(&w, DEP(AFTEROK), a);
	c = submit_after(&w, DEP(AFTEROK), b);
	d = submit_after(&w, DEP(AFTER), b);
	cancel(&w, a);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED),
	       "afterok on a cancelled job cancels the job");
	is_int(world_ended_as(&w, c, 0), JOB(CANCELLED),
	       "the job that depends on it is cancelled too");
	ok(may_start(&w, d, 0), "after on a job that ends without a start may start");
	b = submit_after(&w, DEP(AFTEROK), d);
	cancel(&w, b);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED),
	       "a job with a dependency can be cancelled");
	finish(&w, d, 0, 0);
	world_done(&w);
}

/* The core restarts from its snapshot, and the dependencies are kept. */
static void restore(void *arg, const void *data, size_t len)
{
	struct err err;

	if (core_restore(arg, data, len, &err) < 0)
		ok(false, "restore: %s", err.text);
}

static void go_on_restored(struct test_world *w)
{
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "test"};
	struct core *copy = core_new(&w->policy);

	core_snapshot(w->core, restore, copy);
	core_free(w->core);
	w->core = copy;
	world_feed(w, &in);
	world_node(w, 1, "n1", 64, "boot", 1);
}

static void test_restart(void)
{
	struct test_world w;
	struct ask x;
	uint64_t a, b, corr, late, c;

	begin(&w);
	ask_init(&x);
	ask_array(&x, 1);
	a = submit(&w, &x);
	b = submit_after(&w, DEP(AFTEROK), a);
	ask_for(&x, DEP(AFTERCORR), a);
	corr = submit(&w, &x);
	ask_init(&x);
	x.spec.begin_us = w.wall_us + 60000000;
	late = submit(&w, &x);
	c = submit_after(&w, DEP(SINGLETON), 0);
	go_on_restored(&w);
	world_tick(&w, 61000000);
	ok(may_start(&w, late, 0), "a begin time that passed meanwhile is noticed");
	cancel(&w, a);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED), "dependencies are kept in the snapshot");
	is_int(world_ended_as(&w, corr, 1), JOB(CANCELLED), "dependencies by element are kept too");
	go_on_restored(&w);
	ok(!may_start(&w, c, 0), "the singleton waits for the remaining job");
	world_done(&w);
}

/* Gives an input to the core without the checks of world_feed(), which visit the whole state. */
static void feed_fast(struct test_world *w, struct input *in)
{
	in->wall_us = w->wall_us += 10;
	in->steady_us = w->steady_us += 10;
	core_input(w->core, in, &w->out);
	event_notes_add(w->events, core_state(w->core), &w->out);
}

static void submit_fast(struct test_world *w, struct ask *a)
{
	static const uint32_t gids[] = {TEST_USER};
	static const char *const groups[] = {"people"};
	struct caller who = {.role = ROLE_CLIENT,
			     .uid = TEST_USER,
			     .gid = TEST_USER,
			     .user = "ann",
			     .gids = gids,
			     .gid_count = 1,
			     .groups = groups,
			     .group_count = 1};
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__JobSpec *jobs[] = {&a->spec};
	struct input in = {.kind = INPUT_MESSAGE, .conn = 1, .caller = &who, .type = MSG_SUBMIT};

	m.jobs = jobs;
	m.n_jobs = 1;
	in.message = &m;
	feed_fast(w, &in);
	/* the core takes the dependencies out of the spec it was given */
	a->spec.dependencies = a->list;
}

#ifdef __SANITIZE_ADDRESS__
enum { CHAIN = 20000 };
#else
enum { CHAIN = 100000 };
#endif

/*
 * The cancellation of a long chain does not recurse, and each input does a bounded amount of work.
 */
static void test_chain(void)
{
	struct test_world w;
	struct ask x;
	struct input tick = {.kind = INPUT_TICK};
	struct err err;
	size_t most = 0, inputs = 0;
	uint64_t first;

	begin(&w);
	first = world_submit_plain(&w);
	for (uint64_t i = 0; i < CHAIN; i++) {
		ask_init(&x);
		ask_for(&x, DEP(AFTEROK), first + i);
		submit_fast(&w, &x);
	}
	ok(core_check(w.core, &err) == 0, "a chain of %d jobs", CHAIN);
	cancel(&w, first);
	while (w.out.unfinished && inputs < CHAIN) {
		feed_fast(&w, &tick);
		most = w.out.effect_count > most ? w.out.effect_count : most;
		inputs++;
	}
	ok(core_idle(w.core), "the first job is cancelled: all are cancelled, in %zu inputs",
	   inputs);
	ok(most < 10000, "each input has at most %zu effects", most);
	core_free(w.core);
	event_notes_free(w.events);
	for (size_t i = 0; i < w.record_count; i++)
		free(w.records[i].data);
	free(w.records);
	arena_free(w.arena);
}

/* An array of every second index has many ranges: no cost may be quadratic in their number. */
static void test_pieces(void)
{
	struct test_world w;
	struct ask a;
	uint64_t first, second, third, timed;

	world_init(&w);
	w.policy.max_array_elements = 1000000;
	ask_init(&a);
	ask_array(&a, 79998);
	a.range.step = 2;
	first = submit(&w, &a);
	ask_for(&a, DEP(AFTERCORR), first);
	second = submit(&w, &a);
	ask_array(&a, 80000);
	a.range.step = 2;
	third = submit(&w, &a);
	ok(first && second && !third && strstr(world_error(&w), "that job has no element 80000"),
	   "the one missing counterpart among 40001 is found");
	a.spec.n_dependencies = 0;
	a.spec.begin_us = w.wall_us + 1000000;
	timed = submit(&w, &a);
	world_tick(&w, 2000000);
	ok(timed && world_event(&w, ARMADA__EVENT__KIND_JOB_ELIGIBLE),
	   "a begin time of such an array is reached");
	for (int i = 0; i < 100 && world_state(&w, first, 0); i++)
		world_cancel(&w, TEST_USER, first);
	for (int i = 0; i < 100 && world_state(&w, second, 0); i++)
		world_tick(&w, 1000000);
	is_int(world_state(&w, second, 0), 0,
	       "jobs that depend on a cancelled array are ended, in batches");
	ok(w.out.record_len < 1 << 20, "the record of a batch is bounded");
	world_done(&w);
}

int main(void)
{
	test_kinds();
	test_past();
	test_all_and_any();
	test_arrays();
	test_refused();
	test_hostile();
	test_singleton();
	test_times();
	test_clock();
	test_cancelled();
	test_restart();
	test_chain();
	test_pieces();
	return done();
}
