/*
 * --deadline and --time-min: waiting elements that cannot end in time are cancelled, and an element
 * keeps the lower time limit with which it was started.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name)   ARMADA__JOB_STATE__JOB_##name
#define END(name)   ARMADA__END_CAUSE__END_##name
#define FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name
#define S           INT64_C(1000000)

enum { LIMIT_S = 1000 };

struct times {
	int64_t limit_s, min_s, deadline_s; /* deadline_s: from now */
	int64_t begin_s;
	uint32_t elements;
};

static uint64_t submit(struct test_world *w, struct times t)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges = &range;

	spec_init(&spec, &group);
	spec.time_limit_s = t.limit_s;
	spec.time_min_s = t.min_s;
	spec.deadline_us = t.deadline_s ? w->wall_us + t.deadline_s * S : 0;
	spec.begin_us = t.begin_s ? w->wall_us + t.begin_s * S : 0;
	if (t.elements) {
		range.last = t.elements - 1;
		spec.array = &ranges;
		spec.n_array = 1;
	}
	return world_submit(w, &spec);
}

static void decide(struct test_world *w, uint64_t job, uint32_t element, int64_t limit_s)
{
	const char *nodes[] = {"n1"};
	struct sched_decision d = {.kind = SCHED_START,
				   .job = job,
				   .element = element,
				   .nodes = nodes,
				   .node_count = 1,
				   .limit_us = limit_s * S};
	const struct sched_result result = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &result};

	world_feed(w, &in);
}

static const Armada__TaskBody *launched(struct test_world *w)
{
	struct err err;

	for (size_t n = 0; n < w->out.effect_count; n++) {
		const struct effect *e = &w->out.effects[n];

		if (e->kind == EFFECT_ORDER && e->order.kind == ORDER_LAUNCH)
			return msg_unpack_as(&armada__task_body__descriptor, e->body, e->len,
					     w->arena, &err);
	}
	return NULL;
}

static void world_one(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
}

static void test_missed(void)
{
	struct test_world w;
	uint64_t id, array, dependent;

	world_one(&w);
	id = submit(&w, (struct times){.limit_s = LIMIT_S, .deadline_s = LIMIT_S + 100});
	array = submit(
		&w, (struct times){.limit_s = LIMIT_S, .deadline_s = LIMIT_S + 100, .elements = 3});
	dependent = submit(
		&w, (struct times){.limit_s = LIMIT_S, .deadline_s = LIMIT_S + 100, .begin_s = 90});
	ok(id && array && dependent, "jobs that can end in time are accepted");
	decide(&w, array, 0, 0);
	world_tick(&w, 99 * S);
	is_int(world_state(&w, id, 0), JOB(PENDING), "a job waits while it can still end in time");
	world_restart(&w);
	world_tick(&w, 2 * S);
	is_int(world_state(&w, id, 0), 0, "a new controller cancels it when that is over");
	is_int(world_state(&w, dependent, 0), 0, "and the one whose begin time has come");
	is_int(world_state(&w, array, 0), JOB(UNKNOWN), "an element that has a node goes on");
	is_int(world_state(&w, array, 1), 0, "the waiting ones are cancelled");
	world_node(&w, 1, "n1", 4, "boot2", 1);
	is_int(world_state(&w, array, 0), 0, "an element that has to wait again is too late");
	world_done(&w);

	world_one(&w);
	id = submit(&w, (struct times){.limit_s = LIMIT_S, .deadline_s = LIMIT_S + 100});
	world_tick(&w, 101 * S);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED), "the job is CANCELLED");
	ok(world_event(&w, ARMADA__EVENT__KIND_ELEMENT_ENDED) &&
		   strncmp(world_event(&w, ARMADA__EVENT__KIND_ELEMENT_ENDED)
				   ->element_ended->reason,
			   "DeadlineMissed: it could no longer run for", 42) == 0,
	   "its reason is the deadline");
	world_done(&w);
}

static void test_lowered(void)
{
	struct test_world w;
	int64_t left_s;
	uint64_t id;

	world_one(&w);
	id = submit(&w, (struct times){.limit_s = LIMIT_S, .min_s = 300});
	decide(&w, id, 0, 299);
	is_int(world_state(&w, id, 0), JOB(PENDING), "less than the least limit is refused");
	decide(&w, id, 0, LIMIT_S + 1);
	is_int(world_state(&w, id, 0), JOB(PENDING), "more than the limit is refused");
	decide(&w, id, 0, 400);
	is_int(launched(&w) ? launched(&w)->time_limit_ms : 0, 400000,
	       "the node enforces the limit");
	ok(launched(&w) && strstr(launched(&w)->time_limit_text, "--time-min"),
	   "the task is told why: %s", launched(&w) ? launched(&w)->time_limit_text : "");
	is_int(world_row(&w, id)->time_limit_s, 400, "a listing shows it");
	is_int(world_row(&w, id)->time_min_s, 300, "and the least one");
	world_restart(&w);
	is_int(world_row(&w, id)->time_limit_s, 400, "a new controller knows it");
	world_done(&w);

	world_one(&w);
	id = submit(&w, (struct times){.limit_s = LIMIT_S, .min_s = 300, .deadline_s = 500});
	world_tick(&w, 100 * S);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	decide(&w, id, 0, 0);
	left_s = world_row(&w, id)->time_limit_s;
	ok(left_s >= 390 && left_s <= 400, "the limit ends before the deadline");
	world_done(&w);

	world_one(&w);
	id = submit(&w, (struct times){.limit_s = LIMIT_S});
	decide(&w, id, 0, 400);
	is_int(world_state(&w, id, 0), JOB(PENDING), "another job keeps its limit");
	world_done(&w);
}

static void change(struct test_world *w, uint64_t job, Armada__UpdateJobRequest__Field field,
		   const struct times *t)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges = &range;
	Armada__JobSpec to = ARMADA__JOB_SPEC__INIT;

	range.first = range.last = job;
	filter.ids = &ranges;
	filter.n_ids = 1;
	to.time_limit_s = t->limit_s;
	to.time_min_s = t->min_s;
	to.deadline_us = t->deadline_s ? w->wall_us + t->deadline_s * S : 0;
	m.filter = &filter;
	m.fields = &field;
	m.n_fields = 1;
	m.spec = &to;
	world_send(w, ADMIN_USER, MSG_UPDATE_JOB, &m);
}

static void test_update(void)
{
	struct test_world w;
	uint64_t id;

	world_one(&w);
	id = submit(&w, (struct times){.limit_s = LIMIT_S, .deadline_s = LIMIT_S + 100});
	change(&w, id, FIELD(TIME_LIMIT), &(struct times){.limit_s = LIMIT_S + 200});
	is_int(world_row(&w, id)->time_limit_s, LIMIT_S,
	       "a limit that misses the deadline is refused");
	change(&w, id, FIELD(DEADLINE), &(struct times){.deadline_s = 0});
	world_tick(&w, 200 * S);
	is_int(world_state(&w, id, 0), JOB(PENDING), "without its deadline the job waits on");
	change(&w, id, FIELD(DEADLINE), &(struct times){.deadline_s = LIMIT_S + 10});
	change(&w, id, FIELD(TIME_MIN), &(struct times){.min_s = 300});
	world_tick(&w, 20 * S);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the least limit counts for a deadline");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	decide(&w, id, 0, 400);
	world_started(&w, 1, id, 0, 0, 1);
	is_int(world_row(&w, id)->time_limit_s, 400, "it runs with a lower limit");
	change(&w, id, FIELD(TIME_LIMIT), &(struct times){.limit_s = 500});
	is_int(world_orders(&w, ORDER_SETTINGS), 1, "the node gets the new limit");
	is_int(world_row(&w, id)->time_limit_s, 500, "a new limit replaces it");
	world_done(&w);
}

static void refused(struct test_world *w, struct times t, const char *part)
{
	ok(!submit(w, t) && strstr(world_error(w), part), "refused: %s", world_error(w));
}

static void test_refusals(void)
{
	struct test_world w;

	world_one(&w);
	refused(&w, (struct times){.limit_s = LIMIT_S, .deadline_s = LIMIT_S - 1},
		"give a shorter --time, or --time-min");
	refused(&w, (struct times){.limit_s = LIMIT_S, .deadline_s = -1}, "this time is over");
	refused(&w, (struct times){.limit_s = -1, .deadline_s = 10}, "without a time limit");
	refused(&w, (struct times){.limit_s = 10, .deadline_s = 50, .begin_s = 60},
		"before the begin time");
	refused(&w, (struct times){.limit_s = 10, .deadline_s = 50, .begin_s = 45},
		"are left until");
	refused(&w, (struct times){.limit_s = 10, .min_s = 11}, "more than the time limit");
	refused(&w, (struct times){.limit_s = -1, .min_s = 11},
		"no time limit that could be lowered");
	world_done(&w);
}

int main(void)
{
	test_missed();
	test_lowered();
	test_update();
	test_refusals();
	return done();
}
