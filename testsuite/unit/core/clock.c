/*
 * The wall clock goes ten years ahead and is set back: jobs keep their order, and what is shown, or has to
 * pass, follows the clock.
 */
#include "node_rig.h"

#include <string.h>

static const int64_t ten_years = 3650 * INT64_C(86400) * S;

/* The line of the log that the last input caused; "" without one. */
static const char *logged(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_LOG)
			return w->out.effects[i].text;
	return "";
}

static int64_t submitted(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *row = world_row(w, job);

	return row ? row->submit_us : 0;
}

static bool is_now(const struct test_world *w, int64_t us)
{
	return us > w->wall_us - S && us <= w->wall_us;
}

static int64_t ended_at(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_HISTORY)
			return w->out.effects[i].row->end_us;
	return 0;
}

static void test_shown(void)
{
	struct test_world w;
	uint64_t before, ahead, after;
	int64_t shown;

	node_run_one(&w);
	before = world_submit_plain(&w);
	w.wall_us += ten_years;
	ahead = world_submit_plain(&w);
	ok(is_now(&w, submitted(&w, ahead)), "while the clock is ahead a job shows its time");
	w.wall_us -= ten_years;
	world_tick(&w, S);
	has_str(logged(&w), "3649 days 23 h 59 min 58 s before the last record of the log",
		"a clock that was set back is logged");
	world_tick(&w, S);
	is_str(logged(&w), "", "once");
	after = world_submit_plain(&w);
	shown = submitted(&w, after);
	ok(is_now(&w, shown), "a new job shows the time of the clock");
	ok(submitted(&w, before) < shown && submitted(&w, ahead) > shown,
	   "the older jobs show what they showed");
	world_restart(&w);
	is_int(submitted(&w, after), shown, "and so does the new one after a restart");
	world_tick(&w, S);
	has_str(logged(&w), "before the last record of the log", "which logs the clock again");
	world_cancel(&w, TEST_USER, after);
	ok(is_now(&w, ended_at(&w)), "the end of a job has the time of the clock");
	world_tick(&w, ten_years);
	has_str(logged(&w), "has reached the last record", "a clock that has caught up is logged");
	world_done(&w);
}

static void test_avoided(void)
{
	const Armada__Event *ev;
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	w.policy.avoid_us = 300 * S;
	job = world_submit_plain(&w);
	w.wall_us += ten_years;
	world_decide(&w, job, 0, "n1");
	world_failed(&w, 1, job, 0, 0, 1, END(NODE), "no room on /tmp");
	world_tick(&w, S);
	ok(!world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS), "a job avoids the node that failed");
	w.wall_us -= ten_years;
	world_tick(&w, S);
	ev = world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS);
	ok(ev && ev->job_avoids->n_nodes == 0, "not for ten years after the clock was set back");
	world_decide(&w, job, 0, "n1");
	world_failed(&w, 1, job, 0, 0, 2, END(NODE), "no room on /tmp");
	world_tick(&w, 200 * S);
	ok(!world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS),
	   "then it avoids a node for as long as always");
	world_tick(&w, 101 * S);
	ok(world_event(&w, ARMADA__EVENT__KIND_JOB_AVOIDS), "and no longer");
	world_done(&w);
}

int main(void)
{
	test_shown();
	test_avoided();
	return done();
}
