/*
 * What the history keeps of an attempt for accounting: since when it waited, what it used, who ended it,
 * for whom it was preempted, and whether its time was lost.
 */
#include "elastic_job.h"
#include "tap/tap.h"

#include <string.h>

#define JOB(name)  ARMADA__JOB_STATE__JOB_##name
#define END(name)  ARMADA__END_CAUSE__END_##name
#define LOST(name) ARMADA__LOST__LOST_##name

enum { NODE1 = 1, SECOND = 1000000, ADMIN = 0 };

/* The row of the attempt that the last input ended, or of the end itself. */
static const Armada__JobRow *row_of(const struct test_world *w, struct arena *arena)
{
	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];
		const struct armada_history_row *r = e->row ? e->row : e->attempt;

		if (e->kind == EFFECT_HISTORY && r)
			return msg_unpack_as(&armada__job_row__descriptor, r->row, r->row_len,
					     arena, NULL);
	}
	bail("no row was made");
}

static uint64_t running_job(struct test_world *w, uint32_t attempt)
{
	uint64_t id = world_submit_plain(w);

	world_tick(w, 5 * SECOND);
	world_decide(w, id, 0, "n1");
	world_started(w, NODE1, id, 0, 0, attempt);
	return id;
}

/* A round gives its room to another job. */
static void preempt_for(struct test_world *w, uint64_t job, uint64_t taker)
{
	struct sched_decision d = {
		.kind = SCHED_PREEMPT, .job = job, .for_job = taker, .why = "fair-share"};
	struct sched_result result = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &result};

	world_feed(w, &in);
}

static void test_preempted(struct test_world *w, struct arena *arena)
{
	uint64_t id = running_job(w, 1), taker = world_submit_plain(w);
	const Armada__JobRow *row;
	int64_t ended_us;

	preempt_for(w, id, taker);
	is_int(world_state(w, id, 0), JOB(COMPLETING), "a round preempts the job");
	world_restart(w);
	world_node(w, NODE1, "n1", 4, "boot1", 1);
	world_ended(w, NODE1, id, 0, 0, 1, END(PREEMPTED), 0);
	ended_us = w->wall_us;
	row = row_of(w, arena);
	is_int(row->state, JOB(PREEMPTED), "the attempt was preempted");
	is_int(row->lost, LOST(PREEMPTION), "its time was lost to a preemption");
	is_int((long long)row->for_job, (long long)taker,
	       "the row names the job that got its room");
	is_str(row->for_queue, "ann", "and the queue of that job");
	is_str(row->by, "", "no request ended it");
	world_tick(w, 7 * SECOND);
	world_decide(w, id, 0, "n1");
	world_started(w, NODE1, id, 0, 0, 2);
	is_int(world_row(w, id)->eligible_us, ended_us,
	       "the second attempt waited from the end of the first");
	world_ended(w, NODE1, id, 0, 0, 2, END(EXITED), 0);
	row = row_of(w, arena);
	is_int(row->lost, LOST(UNSET), "the time of a success is not lost");
	is_int((long long)row->for_job, 0, "nor was it preempted");
}

static void test_lost(struct test_world *w, struct arena *arena)
{
	uint64_t id = running_job(w, 1);
	const Armada__JobRow *row;

	world_ended(w, NODE1, id, 0, 0, 1, END(LOST), 0);
	row = row_of(w, arena);
	is_int(row->lost, LOST(NODE), "the time of an attempt whose node failed is lost to that");
	is_int(row->eligible_us, row->submit_us, "it waited from its submission");
	world_cancel(w, ADMIN, id);
	row = row_of(w, arena);
	is_int(row->state, JOB(CANCELLED), "cancelled while it waits");
	is_int(row->lost, LOST(UNSET), "no time was lost");
	ok(row->by[0], "the row has the user who cancelled it: %s", row->by);
}

static void test_cancelled(struct test_world *w, struct arena *arena)
{
	uint64_t id = running_job(w, 1);
	const Armada__JobRow *row;

	world_cancel(w, ADMIN, id);
	world_restart(w);
	world_node(w, NODE1, "n1", 4, "boot1", 1);
	world_ended(w, NODE1, id, 0, 0, 1, END(CANCELLED), 0);
	row = row_of(w, arena);
	ok(row->by[0], "a running job that is cancelled: by %s", row->by);
	is_int(row->lost, LOST(UNSET), "its time is not lost");
}

static void test_eligible(struct test_world *w)
{
	uint64_t id = world_submit_plain(w);
	int64_t at_us;

	world_hold(w, id, false);
	is_int(world_row(w, id)->eligible_us, 0, "a held job does not wait for room");
	world_tick(w, 9 * SECOND);
	world_hold(w, id, true);
	at_us = w->wall_us; /* a listing takes time in this world */
	is_int(world_row(w, id)->eligible_us, at_us, "it does from its release");
	world_restart(w);
	is_int(world_row(w, id)->eligible_us - world_row(w, id)->submit_us > 8 * SECOND, 1,
	       "a restarted controller knows it");
	world_cancel(w, ADMIN, id);
}

/* Reports the end of a task that ran since start_us and used one second of cpu time. */
static void ended_since(struct test_world *w, uint64_t job, uint32_t rank, uint32_t attempt,
			Armada__EndCause cause, int64_t start_us)
{
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	Armada__Usage usage = ARMADA__USAGE__INIT;
	Armada__Report r = ARMADA__REPORT__INIT, *list[] = {&r};
	Armada__Reports m = ARMADA__REPORTS__INIT;

	key.job = job;
	key.rank = rank;
	key.attempt = attempt;
	usage.cpu_us = usage.user_us = SECOND;
	end.cause = cause;
	end.start_us = start_us;
	end.end_us = w->wall_us;
	end.usage = &usage;
	r.key = &key;
	r.kind = ARMADA__REPORT__KIND__REPORT_ENDED;
	r.end = &end;
	m.reports = list;
	m.n_reports = 1;
	world_agent(w, NODE1, MSG_REPORTS, &m);
}

static int64_t amount_of(Armada__Resource *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i]->amount;
	return -1;
}

/*
 * An elastic job starts with two tasks. A third one runs in two of four parts of the time: it is taken back
 * in between. Parts of a second are the times of the inputs in this world.
 */
static void test_elastic(struct test_world *w, struct arena *arena)
{
	struct elastic p;
	const Armada__JobRow *row;
	int64_t start_us, third_us;
	uint64_t id;

	elastic_init(&p, 3, 2);
	id = run_elastic(w, &p);
	start_us = w->wall_us;
	world_tick(w, 8 * SECOND);
	world_decide(w, extra(0, 0), 0, "n1");
	third_us = w->wall_us;
	world_started(w, NODE1, id, 0, 2, 2);
	world_tick(w, 8 * SECOND);
	world_preempt(w, extra(0, 0), 0);
	ended_since(w, id, 2, 2, END(PREEMPTED), third_us);
	world_tick(w, 8 * SECOND);
	world_decide(w, extra(0, 0), 0, "n1");
	third_us = w->wall_us;
	world_started(w, NODE1, id, 0, 2, 3);
	world_restart(w);
	world_node(w, NODE1, "n1", 4, "boot1", 1);
	world_tick(w, 8 * SECOND);
	ended_since(w, id, 0, 1, END(EXITED), start_us);
	ended_since(w, id, 1, 1, END(EXITED), start_us);
	ended_since(w, id, 2, 3, END(EXITED), third_us);
	row = row_of(w, arena);
	is_int(row->state, JOB(COMPLETED), "an elastic job completes");
	is_int(amount_of(row->resources, row->n_resources, "cpu"), 3000,
	       "it had three cpus in the end");
	is_int((amount_of(row->charged, row->n_charged, "cpu") + 25) / 50, 50,
	       "it is charged for two and a half");
	is_int(row->usage->cpu_us, 4 * SECOND, "the use of the task that was taken back counts");
	is_int(row->usage->user_us, 4 * SECOND, "and its part in user mode");
}

int main(void)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct test_world w;

	world_init(&w);
	world_node(&w, NODE1, "n1", 4, "boot1", 1);
	test_preempted(&w, arena);
	test_lost(&w, arena);
	test_cancelled(&w, arena);
	test_eligible(&w);
	world_done(&w);
	world_init(&w);
	world_node(&w, NODE1, "n1", 4, "boot1", 1);
	test_elastic(&w, arena);
	world_done(&w);
	return done();
}
