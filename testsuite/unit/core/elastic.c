/*
 * Elastic jobs: extra tasks join the running element, are taken back first, and come again. The decisions are
 * those of the scheduler, whose model follows the records, or single ones of a test.
 */
#include "core/check.h"
#include "core/state/extra.h"
#include "core/state/task_replacement.h"
#include "elastic_job.h"
#include "event_notes.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

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

/* Minima first, then one task for each job in turn. */
static void test_turns(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t a, b, plain;

	cluster_init(&c, "progressive");
	elastic_init(&p, 8, 2);
	a = submit(&c, &p);
	elastic_init(&p, 8, 2);
	b = submit(&c, &p);
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	plain = submit(&c, &p);
	settle(&c);
	is_int(world_state(&c.w, plain, 0), JOB(RUNNING), "minima come first: a later job starts");
	is_str(counts(&c.w, a), "4/4/0/0", "then each job gets a task in turn: 2 + 2");
	is_str(counts(&c.w, b), "5/3/0/0", "and 2 + 1");
	has_str(world_reason(&c.w, b),
		"5 of 8 tasks wait for room: ", "the job says why the rest waits");
	end_single(&c, plain);
	settle(&c);
	is_str(counts(&c.w, b), "4/4/0/0",
	       "room that others leave goes to the job with fewer tasks");
	fed_sched_done(&c.live);
	fed_sched_init(&c.live, &c.w, (struct rig_policy){.preempt = "urgency"});
	round_of(&c);
	is_int(world_orders(&c.w, ORDER_LAUNCH), 0,
	       "a scheduler that is filled from the state agrees");
	cluster_done(&c);
}

static void test_groups(void)
{
	struct cluster c;
	struct elastic p;
	Armada__TaskGroup second, *groups[2] = {&p.group, &second};
	Armada__Resource cpu, *list[1];
	const Armada__JobRow *r;
	uint64_t id;

	cluster_init(&c, "progressive");
	elastic_init(&p, 2, 3);
	second = p.group;
	p.group.name = (char *)"ps";
	second.name = (char *)"worker";
	second.replicas = 4;
	spec_cpus(&second, 2, &cpu, list);
	p.spec.groups = groups;
	p.spec.n_groups = 2;
	id = submit(&c, &p);
	round_of(&c);
	is_int(world_orders(&c.w, ORDER_LAUNCH), 3,
	       "the first tasks of the groups are the minimum");
	start_launched(&c);
	settle(&c);
	r = world_row(&c.w, id);
	is_int(r->groups[0]->running, 2, "both tasks of the first group run");
	is_int(r->groups[1]->running, 3, "tasks of the second group join while there is room");
	is_int(r->groups[1]->pending, 1, "the last one waits");
	cluster_done(&c);
}

/* An elastic job whose groups have minima of their own: a has 1 of 3 tasks, b 2 of 3. */
static uint64_t submit_minima(struct test_world *w)
{
	struct elastic p;
	Armada__TaskGroup second, *groups[2] = {&p.group, &second};

	elastic_init(&p, 3, 0);
	p.group.name = (char *)"a";
	p.group.min_available = 1;
	second = p.group;
	second.name = (char *)"b";
	second.min_available = 2;
	p.spec.groups = groups;
	p.spec.n_groups = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	return world_submit(w, &p.spec);
}

static void are_groups(struct test_world *w, uint64_t id, const char *want, const char *what)
{
	const Armada__JobRow *r = world_row(w, id);

	is_str(arena_printf(w->arena, "%u/%u %u/%u", r->groups[0]->pending, r->groups[0]->running,
			    r->groups[1]->pending, r->groups[1]->running),
	       want, "%s", what);
}

/* The first tasks of each group start together; the others join by group. */
static void test_group_minima(void)
{
	struct test_world w;
	uint64_t id;

	world_two(&w);
	id = submit_minima(&w);
	is_int(world_row(&w, id)->min_available, 3, "the minimum of the job is the sum");
	world_decide(&w, id, 0, "n1 n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "the minimum of each group starts");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1, id, 0, i, 1);
	are_groups(&w, id, "2/1 1/2", "one task is of the first group, and two of the second");
	world_decide(&w, extra(0, 2), 0, "n2");
	world_started(&w, 2, id, 0, 3, 2);
	are_groups(&w, id, "2/1 0/3", "the third extra task is of the second group");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	are_groups(&w, id, "2/1 0/3", "a restarted controller knows the groups");
	world_preempt(&w, extra(0, 2), 0);
	world_ended(&w, 2, id, 0, 3, 2, END(PREEMPTED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job goes on without it");
	are_groups(&w, id, "2/1 1/2", "it waits again");
	world_decide(&w, extra(0, 0), 0, "n2");
	world_started(&w, 2, id, 0, 4, 3);
	are_groups(&w, id, "1/2 1/2", "the first extra task is of the first group");
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 3,
	       "three tasks are left, but one of the second group: all are killed");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 1, id, 0, 2, 1, END(GANG), 0);
	world_ended(&w, 2, id, 0, 4, 3, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the whole job is pending");
	has_str(world_reason(&w, id), "1 good task is left in group b, at least 2 are needed",
		"the reason names the group");
	world_done(&w);
}

static void change_priority(struct cluster *c, uint64_t id)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__UpdateJobRequest__Field field = ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_PRIORITY;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;

	range.first = range.last = id;
	filter.ids = ranges;
	filter.n_ids = 1;
	m.filter = &filter;
	m.fields = &field;
	m.n_fields = 1;
	m.spec = &spec;
	spec.priority = 1;
	world_send(&c->w, TEST_USER, MSG_UPDATE_JOB, &m);
	fed_sched_apply(&c->live, &c->w);
}

/* A change of a job does not say whose job it is. */
static void test_changed(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id, other = 0;

	cluster_init(&c, "progressive");
	for (int i = 0; i < 7; i++) {
		elastic_init(&p, 1, 0);
		p.spec.elastic = 0;
		other = submit(&c, &p);
	}
	elastic_init(&p, 2, 1);
	p.spec.exclusive_user = true;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, id), "1/1/0/0", "one task runs beside jobs of its user");
	change_priority(&c, id);
	end_single(&c, other);
	settle(&c);
	is_str(counts(&c.w, id), "0/2/0/0", "after a change the next one joins, for the same user");
	cluster_done(&c);
}

/* An order plugin may pass over tasks at first: they are tried once more. */
static void test_passed(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id;

	cluster_init(&c, "slices");
	elastic_init(&p, 4, 1);
	p.spec.scavenge = true;
	id = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, id), "0/4/0/0", "tasks that exceed the slice of their queue join, too");
	cluster_done(&c);
}

/* Both jobs give way. The extra task goes first, although the other job is younger. */
static void test_taken_first(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id, young, plain;

	cluster_init(&c, "progressive");
	elastic_init(&p, 4, 2);
	p.spec.scavenge = true;
	id = submit(&c, &p);
	settle(&c);
	elastic_init(&p, 4, 0);
	p.spec.elastic = 0;
	p.spec.scavenge = true;
	young = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, young), "0/4/0/0", "a younger job that gives way, too, runs");
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	plain = submit(&c, &p);
	round_of(&c);
	is_int(world_orders(&c.w, ORDER_KILL), 1, "one task is taken back");
	ok(order_to(&c.w, ORDER_KILL, 3) != NULL, "it is the last one that joined");
	is_int(world_state(&c.w, id, 0), JOB(RUNNING), "its job goes on");
	is_int(world_state(&c.w, young, 0), JOB(RUNNING), "and so does the younger one");
	is_int(world_state(&c.w, plain, 0), JOB(CONFIGURING), "its room is for the new job");
	cluster_done(&c);
}

static void tick(struct cluster *c, int64_t seconds)
{
	world_tick(&c->w, seconds * 1000000);
	fed_sched_apply(&c->live, &c->w);
}

/* Starts the job of one task, and lets it end so. Its node is not known, so both report it. */
static void fail(struct cluster *c, uint64_t id, uint32_t attempt, Armada__EndCause cause)
{
	round_of(c);
	is_int(world_orders(&c->w, ORDER_LAUNCH), 1, "attempt %u starts", attempt);
	start_launched(c);
	event_notes_clear(c->w.events);
	for (uint64_t conn = 1; conn <= 2; conn++) {
		world_ended(&c->w, conn, id, 0, 0, attempt, cause, cause == END(EXITED));
		fed_sched_apply(&c->live, &c->w);
	}
	is_int(world_state(&c->w, id, 0), JOB(PENDING), "attempt %u is over", attempt);
}

/* The job pauses for so long, and starts after it. */
static void pauses(struct cluster *c, uint64_t id, int64_t seconds)
{
	const Armada__JobEvent *e =
		event_notes_last(c->w.events, ARMADA__JOB_EVENT_KIND__JOB_EVENT_REQUEUED);

	int64_t left_us = e ? e->not_before_us - c->w.wall_us : 0;

	ok(left_us > (seconds - 1) * 1000000 && left_us <= seconds * 1000000,
	   "the event requeued has the end of a pause of %d s", (int)seconds);
	is_int(world_row(&c->w, id)->begin_us, e ? e->not_before_us : 0, "so has the listing");
	tick(c, seconds - 1);
	round_of(c);
	is_int(world_orders(&c->w, ORDER_LAUNCH), 0, "it does not start before");
	event_notes_clear(c->w.events);
	tick(c, 1);
	is_str(event_notes_kinds(c->w.events, id), "queued", "then it waits for room only");
}

/* An element that fails by itself waits longer before each restart. */
static void test_pauses(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id;

	cluster_init(&c, "progressive");
	c.w.policy.restart_pause_us = 10000000;
	c.w.policy.restart_pause_max_us = 30000000;
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	id = submit(&c, &p);
	fail(&c, id, 1, END(EXITED));
	fail(&c, id, 2, END(LOST));
	fail(&c, id, 3, END(EXITED));
	has_str(world_reason(&c.w, id), "restarts in 10 s after 2 failures; attempt 3: exit code 1",
		"the third attempt pauses: the loss of a node does not count");
	world_decide(&c.w, id, 0, "n1");
	is_int(world_orders(&c.w, ORDER_LAUNCH), 0, "a decision of an older round is refused");
	pauses(&c, id, 10);
	fail(&c, id, 4, END(EXITED));
	world_restart(&c.w);
	world_node(&c.w, 1, "n1", 4, "boot1", 1);
	world_node(&c.w, 2, "n2", 4, "boot2", 2);
	fed_sched_done(&c.live);
	fed_sched_init(&c.live, &c.w, (struct rig_policy){.preempt = "urgency"});
	has_str(world_reason(&c.w, id), "restarts in 20 s after 3 failures",
		"each pause is twice as long, also after a restart of the controller");
	pauses(&c, id, 20);
	fail(&c, id, 5, END(EXITED));
	pauses(&c, id, 30);
	fail(&c, id, 6, END(EXITED));
	world_cancel(&c.w, TEST_USER, id);
	fed_sched_apply(&c.live, &c.w);
	is_int(world_ended_as(&c.w, id, 0), JOB(CANCELLED), "it is cancelled while it pauses");
	cluster_done(&c);
}

/* A step in the tasks that run, sent from a task of this attempt; in this rank, or in all of them. */
static void step(struct test_world *w, uint64_t job, uint32_t attempt, int64_t rank)
{
	static uint8_t payload[] = "run this";
	Armada__StepRequest m = ARMADA__STEP_REQUEST__INIT;
	Armada__IndexRange r = ARMADA__INDEX_RANGE__INIT, *ranks[] = {&r};

	m.job = job;
	m.attempt = attempt;
	m.payload.data = payload;
	m.payload.len = sizeof(payload);
	r.first = r.last = (uint32_t)rank;
	m.ranks = ranks;
	m.n_ranks = rank >= 0;
	world_send(w, TEST_USER, MSG_STEP, &m);
}

/* The ranks that run, as the row of the job has them. */
static const char *ranks_shown(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *r = world_row(w, job);
	char *text = arena_strdup(w->arena, "");

	for (size_t i = 0; r && r->n_groups && i < r->groups[0]->n_ranks; i++)
		text = arena_printf(w->arena, "%s%u-%u ", text, r->groups[0]->ranks[i]->first,
				    r->groups[0]->ranks[i]->last);
	return text;
}

/* A step runs in the tasks that run now, from a task of any attempt. */
static void test_steps(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 5, 2);
	id = run_elastic(&w, &p);
	is_str(ranks_shown(&w, id), "0-1 ", "the row has the ranks that run");
	for (uint32_t i = 0; i < 3; i++) {
		world_decide(&w, extra(0, i), 0, "n2");
		if (i < 2)
			world_started(&w, 2, id, 0, 2 + i, 2 + i);
	}
	is_str(ranks_shown(&w, id), "0-3 ", "also those that joined, but none that is set up");
	step(&w, id, 1, -1);
	is_int(world_orders(&w, ORDER_STEP), 4, "a step of the first task runs in all of them");
	step(&w, id, 3, -1);
	is_int(world_orders(&w, ORDER_STEP), 4, "so does one of a task that joined");
	step(&w, id, 9, -1);
	has_str(world_error(&w), "attempt 9 of job", "an attempt that no task has is refused");
	world_preempt(&w, extra(0, 0), 0);
	is_str(ranks_shown(&w, id), "0-1 3-3 ", "a task that is taken back is left out");
	step(&w, id, 1, -1);
	is_int(world_orders(&w, ORDER_STEP), 3, "the next step does without it");
	step(&w, id, 1, 2);
	has_str(world_error(&w), "task 2 of job", "a step in it is refused");
	has_str(world_error(&w), "has left the job: it was on node n2", "the error says why");
	world_ended(&w, 2, id, 0, 2, 2, END(PREEMPTED), 0);
	step(&w, id, 1, 2);
	has_str(world_error(&w), "has left the job: it was on node n2", "also after its end");
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
	test_turns();
	test_groups();
	test_group_minima();
	test_changed();
	test_passed();
	test_taken_first();
	test_pauses();
	test_steps();
	return done();
}
