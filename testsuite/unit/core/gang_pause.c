/*
 * Pauses before restarts of gangs of jobs: all members pause until the same time, a restart counts for all of
 * them, and the number of restarts is bounded.
 */
#include "core/check.h"
#include "fed_sched.h"
#include "gang_members.h"
#include "tap/tap.h"
#include "util/mem.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

enum { SECOND = 1000000 };

/* Two nodes, a gang of two jobs that are restarted after failures, and a scheduler. */
struct stage {
	struct test_world w;
	struct fed_sched live;
	uint64_t a, b;
	uint32_t attempt;
};

static void begin(struct stage *t, uint32_t tasks_of_a)
{
	struct gang_member m[2] = {{.cardinality = 2, .tasks = tasks_of_a}, {.cardinality = 2}};

	gang_members_begin(&t->w);
	t->w.policy.restart_pause_us = 10 * SECOND;
	t->w.policy.restart_pause_max_us = 30 * SECOND;
	fed_sched_init(&t->live, &t->w, (struct rig_policy){.preempt = "urgency"});
	m[0].on_task_failure = m[1].on_task_failure =
		ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB;
	t->a = gang_members_submit(&t->w, m, 2);
	t->b = t->a + 1;
	t->attempt = 0;
	fed_sched_apply(&t->live, &t->w);
}

static void end(struct stage *t)
{
	fed_sched_done(&t->live);
	world_done(&t->w);
}

static void tick(struct stage *t, int64_t seconds)
{
	world_tick(&t->w, seconds * SECOND);
	fed_sched_apply(&t->live, &t->w);
}

static int leased_by_round(struct stage *t)
{
	struct sched_round round = {.now_us = t->w.wall_us};
	struct sched_result result;
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &result};

	sched_run_round(t->live.rig.s, &round, &result);
	world_feed(&t->w, &in);
	fed_sched_apply(&t->live, &t->w);
	sched_result_done(&result);
	return world_leased(&t->w);
}

/* A round starts both jobs. */
static void starts(struct stage *t, uint32_t tasks_of_a)
{
	t->attempt++;
	is_int(leased_by_round(t), 2, "attempt %u: both jobs start", t->attempt);
	for (uint64_t conn = 1; conn <= 2; conn++) {
		for (uint32_t i = 0; i < tasks_of_a; i++)
			world_started(&t->w, conn, t->a, 0, i, t->attempt);
		fed_sched_apply(&t->live, &t->w);
		world_started(&t->w, conn, t->b, 0, 0, t->attempt);
		fed_sched_apply(&t->live, &t->w);
	}
}

/* A task ends. Its node is not known, so both report it. */
static void ends(struct stage *t, uint64_t job, uint32_t rank, Armada__EndCause cause)
{
	for (uint64_t conn = 1; conn <= 2; conn++) {
		world_ended(&t->w, conn, job, 0, rank, t->attempt, cause, cause == END(EXITED));
		fed_sched_apply(&t->live, &t->w);
	}
}

/* One job fails, and the other one ends so many seconds later. */
static void fails(struct stage *t, uint64_t first, int64_t later_s)
{
	event_notes_clear(t->w.events);
	ends(t, first, 0, END(EXITED));
	if (later_s)
		tick(t, later_s);
	ends(t, first == t->a ? t->b : t->a, 0, END(CANCELLED));
	is_int(world_state(&t->w, t->a, 0) == JOB(PENDING) &&
		       world_state(&t->w, t->b, 0) == JOB(PENDING),
	       1, "attempt %u: both jobs wait again", t->attempt);
}

/* Both jobs pause for so long from now on, and no longer. */
static void pause(struct stage *t, int64_t seconds)
{
	int64_t end_us = world_row(&t->w, t->a)->begin_us, left_us = end_us - t->w.wall_us;
	struct err err = {{0}};

	ok(left_us > (seconds - 1) * SECOND && left_us <= seconds * SECOND,
	   "the listing of the first job has the end of a pause of %d s", (int)seconds);
	ok(world_row(&t->w, t->b)->begin_us == end_us, "the second one has the same");
	is_str(world_row(&t->w, t->a)->reason_word, "RestartPause", "its reason says so");
	is_str(world_row(&t->w, t->b)->reason_word, "RestartPause", "so does that of the other");
	tick(t, seconds - 1);
	is_int(leased_by_round(t), 0, "no job starts before");
	world_decide(&t->w, t->a, 0, "n1 n2");
	fed_sched_apply(&t->live, &t->w);
	is_int(world_leased(&t->w), 0, "a decision of an older round is refused");
	is_int(core_check(t->w.core, &err), 0, "the state holds together: %s", err.text);
	event_notes_clear(t->w.events);
	tick(t, 1);
	is_str(event_notes_kinds(t->w.events, t->a), "queued", "then the first job waits for room");
	is_str(event_notes_kinds(t->w.events, t->b), "queued", "and the second one");
}

static int64_t last_requeue_until(struct stage *t)
{
	const Armada__JobEvent *e =
		event_notes_last(t->w.events, ARMADA__JOB_EVENT_KIND__JOB_EVENT_REQUEUED);

	return e ? e->not_before_us : 0;
}

static void restart(struct stage *t)
{
	world_restart(&t->w);
	world_node(&t->w, 1, "n1", 4, "boot1", 1);
	world_node(&t->w, 2, "n2", 4, "boot1", 2);
	fed_sched_done(&t->live);
	fed_sched_init(&t->live, &t->w, (struct rig_policy){.preempt = "urgency"});
}

static void test_together(void)
{
	struct stage t;

	begin(&t, 1);
	t.w.policy.max_requeues = 4;
	starts(&t, 1);
	fails(&t, t.a, 0);
	is_int(world_row(&t.w, t.a)->begin_us, 0, "the first restart has no pause");
	starts(&t, 1);
	fails(&t, t.b, 4);
	ok(last_requeue_until(&t) == world_row(&t.w, t.b)->begin_us,
	   "the event of the job that ended with the other has the end of the pause");
	has_str(world_reason(&t.w, t.a), "restarts in 6 s after 2 failures",
		"the failures of both jobs count");
	pause(&t, 6);
	starts(&t, 1);
	fails(&t, t.a, 0);
	restart(&t);
	has_str(world_reason(&t.w, t.b), "restarts in 20 s after 3 failures",
		"each pause is twice as long, also after a restart of the controller");
	pause(&t, 20);
	starts(&t, 1);
	ends(&t, t.a, 0, END(LOST));
	ends(&t, t.b, 0, END(CANCELLED));
	is_int(world_row(&t.w, t.b)->begin_us, 0, "after the loss of a node there is no pause");
	starts(&t, 1);
	fails(&t, t.b, 25);
	is_int(last_requeue_until(&t) - t.w.wall_us <= 5 * SECOND, 1,
	       "a job that ended late pauses only for the rest");
	pause(&t, 5);
	starts(&t, 1);
	ends(&t, t.b, 0, END(EXITED));
	is_int(world_ended_as(&t.w, t.b, 0), JOB(FAILED), "the failures of the gang are bounded");
	is_int(world_state(&t.w, t.a, 0), JOB(RUNNING), "the other job goes on");
	end(&t);
}

/* Two jobs fail by themselves: it is one restart, and the later pause holds for both. */
static void test_both_fail(void)
{
	struct stage t;
	int64_t early_us;

	begin(&t, 2);
	starts(&t, 2);
	ends(&t, t.a, 0, END(EXITED));
	ends(&t, t.b, 0, END(EXITED));
	ends(&t, t.a, 1, END(GANG));
	is_int(world_row(&t.w, t.b)->begin_us, 0, "two failures of one run are one restart");
	starts(&t, 2);
	ends(&t, t.a, 0, END(EXITED));
	tick(&t, 2);
	ends(&t, t.b, 0, END(EXITED));
	early_us = world_row(&t.w, t.b)->begin_us;
	ok(early_us > 0, "the job that ends first pauses");
	tick(&t, 12);
	is_int(world_row(&t.w, t.b)->begin_us, 0, "its pause ends while the other one still runs");
	is_int(leased_by_round(&t), 0, "it waits for the other one");
	ends(&t, t.a, 1, END(GANG));
	pause(&t, 10);
	starts(&t, 2);
	end(&t);
}

static void test_cancelled(void)
{
	struct stage t;

	begin(&t, 1);
	for (int i = 0; i < 2; i++) {
		starts(&t, 1);
		fails(&t, t.a, 0);
	}
	world_cancel(&t.w, TEST_USER, t.a);
	fed_sched_apply(&t.live, &t.w);
	is_int(leased_by_round(&t), 0, "the other job pauses on after one was cancelled");
	tick(&t, 10);
	is_int(leased_by_round(&t), 1, "and starts alone after the pause");
	end(&t);
}

int main(void)
{
	test_together();
	test_both_fail();
	test_cancelled();
	return done();
}
