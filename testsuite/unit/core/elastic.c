/*
 * Elastic jobs: extra tasks join the running element, are taken back first, and come again. The decisions are
 * single ones of a test; elastic_rounds.c has those of the scheduler.
 */
#include "core/check.h"
#include "core/state/task_replacement.h"
#include "elastic_job.h"
#include "event_notes.h"
#include "tap/tap.h"

#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

static void test_join(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 5, 2);
	p.spec.elastic_signal = 28;
	id = world_submit(&w, &p.spec);
	world_decide(&w, id, 0, "n1 n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "an elastic job starts with its minimum alone");
	world_decide(&w, id, 0, "n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "the minimum starts");
	world_decide(&w, extra(0, 0), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "no task joins before the others have started");
	world_ready(&w, 1, id, 0, 0, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 0, "the start barrier waits for the minimum");
	world_ready(&w, 1, id, 0, 1, 1);
	is_int(world_orders(&w, ORDER_RELEASE), 2, "it opens for the minimum");
	world_started(&w, 1, id, 0, 0, 1);
	world_started(&w, 1, id, 0, 1, 1);
	ok(w.out.wants_round, "a round is wanted for the other tasks");
	is_str(counts(&w, id), "3/2/0/0", "the others are pending");
	world_decide(&w, extra(0, 3), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "there are three extra tasks");
	world_decide(&w, extra(0, 1), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "an extra task is launched");
	ok(order_to(&w, ORDER_LAUNCH, 2) != NULL, "it has the next rank");
	world_decide(&w, extra(0, 1), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "and only once");
	world_ready(&w, 2, id, 0, 2, 2);
	is_int(world_orders(&w, ORDER_RELEASE), 1, "it waits for nobody");
	world_started(&w, 2, id, 0, 2, 2);
	is_str(hosts_told(&w, 0), "n1 ,n1 ,n2 ,", "the others learn of it by a signed order");
	is_int(world_orders(&w, ORDER_SETTINGS), 3, "all tasks get the order");
	w.steady_us += 60000000;
	world_beat(&w, 1);
	is_int(world_orders(&w, ORDER_SETTINGS), 2, "it is repeated until it is confirmed");
	world_restart(&w);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "a restarted controller knows the job");
	is_str(counts(&w, id), "2/3/0/0", "and its tasks");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job goes on with the task that joined");
	world_ended(&w, 2, id, 0, 2, 2, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED),
	       "it completes without the tasks that never joined");
	world_done(&w);
}

/* Tasks that join one after the other do not cost an order for each of the others each time. */
static void test_told_together(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 6, 2);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < 3; i++) {
		world_decide(&w, extra(0, i), 0, "n2");
		world_started(&w, 2, id, 0, 2 + i, 2 + i);
		is_int(world_orders(&w, ORDER_SETTINGS), i ? 0 : 3,
		       i ? "the next ones are told later" : "the first change is told at once");
	}
	world_beat(&w, 1);
	is_int(world_orders(&w, ORDER_SETTINGS), 2, "with the heartbeat of their node");
	is_str(hosts_told(&w, 1), "n1 ,n1 ,n2 ,n2 ,n2 ,", "all of them together");
	world_beat(&w, 1);
	is_int(world_orders(&w, ORDER_SETTINGS), 0, "once");
	world_beat(&w, 2);
	is_int(world_orders(&w, ORDER_SETTINGS), 3, "also the tasks of the other node");
	w.steady_us += 10000000;
	world_decide(&w, extra(0, 3), 0, "n2");
	world_started(&w, 2, id, 0, 5, 5);
	is_int(world_orders(&w, ORDER_SETTINGS), 6, "a heartbeat later a change is told at once");
	world_done(&w);
}

static void test_taken_back(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id, other;
	struct err err = {{0}};

	world_two(&w);
	elastic_init(&p, 6, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < 4; i++) {
		world_decide(&w, extra(0, i), 0, "n2");
		world_started(&w, 2, id, 0, 2 + i, 2 + i);
	}
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	other = world_submit(&w, &p.spec);
	w.steady_us += 10000000;
	world_preempt(&w, extra(0, 3), 0);
	is_int(world_orders(&w, ORDER_KILL), 1, "one task is taken back");
	ok(order_to(&w, ORDER_KILL, 5) != NULL, "the one that the scheduler named");
	is_str(hosts_told(&w, 0), "n1 ,n1 ,n2 ,n2 ,n2 ,-,", "the others learn that it leaves");
	world_preempt(&w, extra(0, 3), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "it is taken back once");
	world_decide(&w, other, 0, "n2");
	is_int(world_state(&w, other, 0), JOB(CONFIGURING), "another job gets its room");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "when the task has ended");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	is_int(core_check(w.core, &err), 0, "the state holds together after a restart: %s",
	       err.text);
	world_ended(&w, 2, id, 0, 5, 5, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "then the other job starts");
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the elastic job runs on");
	is_str(counts(&w, id), "1/5/0/0", "with a task less");
	world_decide(&w, extra(0, 3), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "there is no room for it");
	world_ended(&w, 2, other, 0, 0, 1, END(EXITED), 0);
	world_decide(&w, extra(0, 3), 0, "n2");
	is_int((int)order_to(&w, ORDER_LAUNCH, 5)->order.key.attempt, 6,
	       "it joins again under its rank and a new attempt number");
	world_preempt(&w, id, 0);
	is_int(world_orders(&w, ORDER_KILL), 6,
	       "a preemption of the job itself ends all its tasks");
	world_done(&w);
}

/* Without a rule for failures a node that refuses or loses an extra task does not end the job. */
static void test_lost(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 4, 2);
	id = run_elastic(&w, &p);
	world_decide(&w, extra(0, 0), 0, "n2");
	world_ended(&w, 2, id, 0, 2, 2, END(REFUSED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING),
	       "the job goes on without a task that was refused");
	is_int(world_orders(&w, ORDER_KILL), 0, "no other task is ended");
	is_str(counts(&w, id), "2/2/0/0", "the task waits again");
	world_decide(&w, extra(0, 0), 0, "n1");
	world_started(&w, 1, id, 0, 2, 3);
	world_decide(&w, extra(0, 1), 0, "n2");
	world_started(&w, 2, id, 0, 3, 4);
	world_node(&w, 2, "n2", 4, "boot2b", 3);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "nor does the restart of a node end it");
	is_str(counts(&w, id), "1/3/0/0", "the lost task waits");
	world_restart(&w);
	is_str(counts(&w, id), "1/3/0/0", "also after a restart of the controller");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	for (uint32_t i = 0; i < 3; i++)
		world_ended(&w, 1, id, 0, i, i == 2 ? 3 : 1, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED),
	       "the job completes without the lost task");

	elastic_init(&p, 3, 2);
	id = run_elastic(&w, &p);
	world_decide(&w, extra(1, 0), 0, "n1");
	world_ended(&w, 1, id, 0, 2, 2, END(EXITED), 3);
	is_int(world_state(&w, id, 0), JOB(COMPLETING),
	       "a failure of the task itself ends the job");
	world_done(&w);
}

/* With pauses of no length a node that refuses always does not keep the job for ever. */
static void test_lost_often(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;
	uint32_t n = 0;

	world_two(&w);
	elastic_init(&p, 3, 2);
	p.spec.max_requeues = 4;
	id = run_elastic(&w, &p);
	while (n < 20 && world_state(&w, id, 0) == JOB(RUNNING)) {
		world_decide(&w, extra(0, 0), 0, "n1");
		world_ended(&w, 1, id, 0, 2, 2 + n++, END(REFUSED), 0);
	}
	is_int(n, 5, "after as many refusals as requeues the rule of the task counts");
	world_done(&w);
}

/* Below the minimum the job is restarted, as it asked. Tasks that are being set up do not count. */
static void test_below_minimum(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 4, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = run_elastic(&w, &p);
	world_decide(&w, extra(0, 0), 0, "n2");
	world_started(&w, 2, id, 0, 2, 2);
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 0, "two of three tasks run: one is replaced");
	world_preempt(&w, extra(0, 0), 0);
	world_ended(&w, 2, id, 0, 2, 2, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_KILL), 1, "one runs: the whole job is restarted");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "it waits again");
	is_str(counts(&w, id), "4/0/0/0", "with all its tasks");

	id = run_elastic(&w, &p);
	world_decide(&w, extra(2, 0), 0, "n2");
	world_started(&w, 2, id, 0, 2, 2);
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 1);
	world_decide(&w, REPLACEMENT_ID_BIT + 3, 0, "n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "the failed task is launched again");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 1);
	ok(world_orders(&w, ORDER_KILL) > 0,
	   "a task that is being set up does not count: one runs, and all are restarted");
	world_done(&w);
}

/* A failed extra task is replaced, and the job does not end without it. */
static void test_owed(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 3, 1);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = run_elastic(&w, &p);
	world_decide(&w, extra(0, 0), 0, "n2");
	world_started(&w, 2, id, 0, 1, 2);
	world_ended(&w, 2, id, 0, 1, 2, END(EXITED), 7);
	is_str(counts(&w, id), "2/1/0/0", "a failed extra task waits again");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job does not end without it");
	world_decide(&w, extra(0, 0), 0, "n2");
	world_ended(&w, 2, id, 0, 1, 3, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "it completes when the task has run");
	world_done(&w);
}

/* The job event scaled, with the number of tasks that run after it and before it. */
static void is_scaled(struct test_world *w, uint64_t id, uint32_t from, uint32_t to,
		      const char *reason, const char *what)
{
	const Armada__JobEvent *e;

	is_str(event_notes_kinds(w->events, id), "scaled", "%s: the event is scaled", what);
	e = event_notes_last(w->events, ARMADA__JOB_EVENT_KIND__JOB_EVENT_SCALED);
	ok(e && e->old_tasks == from && e->tasks == to && e->attempt,
	   "%s: from %u running tasks to %u", what, from, to);
	is_str(e ? e->reason : NULL, reason, "%s: why", what);
	event_notes_clear(w->events);
}

/* The fixture compares the events with those of a replay. */
static void test_scaled_events(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 5, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = run_elastic(&w, &p);
	event_notes_clear(w.events);
	world_decide(&w, extra(0, 0), 0, "n2");
	is_str(event_notes_kinds(w.events, id), "", "a task that is set up has not joined");
	world_started(&w, 2, id, 0, 2, 2);
	is_scaled(&w, id, 2, 3, "", "a task joins");
	world_started(&w, 2, id, 0, 2, 2);
	is_str(event_notes_kinds(w.events, id), "", "a start that is reported again is no event");
	world_decide(&w, extra(0, 1), 0, "n2");
	world_started(&w, 2, id, 0, 3, 3);
	is_scaled(&w, id, 3, 4, "", "another task joins");
	world_ended(&w, 2, id, 0, 3, 3, END(EXITED), 7);
	is_scaled(&w, id, 4, 3, "task 3 failed: exit code 7", "a task that had joined fails");
	world_decide(&w, extra(0, 1), 0, "n2");
	world_ended(&w, 2, id, 0, 3, 4, END(REFUSED), 0);
	is_str(event_notes_kinds(w.events, id), "", "a task that never started does not leave");
	world_preempt(&w, extra(0, 0), 0);
	is_scaled(&w, id, 3, 2, "urgency preemption: for a more urgent job",
		  "a task is taken back");
	world_ended(&w, 2, id, 0, 2, 2, END(PREEMPTED), 0);
	is_str(event_notes_kinds(w.events, id), "", "it leaves once");
	world_decide(&w, extra(0, 0), 0, "n2");
	world_started(&w, 2, id, 0, 2, 5);
	event_notes_clear(w.events);
	world_ended(&w, 2, id, 0, 2, 5, END(EXITED), 0);
	is_str(event_notes_kinds(w.events, id), "", "a task that has done its work has not left");
	world_done(&w);
}

/* What became of a task that was taken back says nothing about the job. */
static void test_end_after_leave(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 4, 1);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < 2; i++) {
		world_decide(&w, extra(0, i), 0, "n2");
		world_started(&w, 2, id, 0, 1 + i, 2 + i);
	}
	world_preempt(&w, extra(0, 0), 0);
	world_ended(&w, 2, id, 0, 1, 2, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "without a policy too the others run on");
	world_ended(&w, 2, id, 0, 2, 3, END(EXITED), 7);
	is_int(world_orders(&w, ORDER_KILL), 1, "a task fails, and the job with it");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED),
	       "the task that failed decides, not the one that was taken back");
	world_done(&w);
}

static void test_refused(void)
{
	struct test_world w;
	struct elastic p;

	world_two(&w);
	elastic_init(&p, 4, 0);
	is_int((int)world_submit(&w, &p.spec), 0, "without a minimum a job is not elastic");
	has_str(world_error(&w), "an elastic job needs a minimum, of at most its 4 tasks",
		"the error says so");
	elastic_init(&p, 4, 2);
	p.spec.gang_id = (char *)"g";
	p.spec.gang_cardinality = 2;
	is_int((int)world_submit(&w, &p.spec), 0, "a member of a gang of jobs is not elastic");
	elastic_init(&p, 4, 2);
	p.spec.nodes = 2;
	p.spec.tasks_per_node = 2;
	is_int((int)world_submit(&w, &p.spec), 0, "nor a job with a number of tasks on each node");
	elastic_init(&p, 4, 2);
	p.spec.elastic = 3;
	is_int((int)world_submit(&w, &p.spec), 0, "an unknown value is refused");
	elastic_init(&p, 4, 2);
	p.spec.elastic_signal = 65;
	is_int((int)world_submit(&w, &p.spec), 0, "and a number that is no signal");
	world_done(&w);
}

int main(void)
{
	test_join();
	test_told_together();
	test_taken_back();
	test_lost();
	test_lost_often();
	test_below_minimum();
	test_owed();
	test_scaled_events();
	test_end_after_leave();
	test_refused();
	return done();
}
