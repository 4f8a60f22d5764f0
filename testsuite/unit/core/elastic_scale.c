/*
 * The scaling of elastic jobs that run: more tasks join when there is room, fewer leave gracefully, and what
 * is refused changes nothing. A scheduler that is filled anew decides as the one that saw the changes.
 */
#include "core/check.h"
#include "core/lifecycle/elastic_scale.h"
#include "elastic_job.h"
#include "event_notes.h"
#include "job_change.h"
#include "tap/tap.h"

#include <inttypes.h>

#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define EVENT(name)  ARMADA__JOB_EVENT_KIND__JOB_EVENT_##name
#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

static void is_sound(struct test_world *w)
{
	struct err err = {{0}};

	is_int(core_check(w->core, &err), 0, "the state holds together%s%s", *err.text ? ": " : "",
	       err.text);
}

/* A restart of the controller, after which the nodes register again. */
static void restart(struct test_world *w)
{
	world_restart(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
	is_sound(w);
}

static void join(struct test_world *w, uint64_t id, uint32_t number, uint32_t rank,
		 uint32_t attempt)
{
	world_decide(w, extra(0, number), 0, "n2");
	is_int(world_orders(w, ORDER_LAUNCH), 1, "extra task %u is launched", number);
	world_started(w, 2, id, 0, rank, attempt);
}

static void test_grow(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 3, 2);
	id = run_elastic(&w, &p);
	join(&w, id, 0, 2, 2);
	event_notes_clear(w.events);
	is_str(change(&w, change_tasks(&x, id, 6)), "", "a running elastic job gets more tasks");
	ok(w.out.wants_round, "a round is wanted for them");
	is_sound(&w);
	is_str(counts(&w, id), "3/3/0/0", "they wait for room");
	is_str(event_notes_kinds(w.events, id), "scaled", "the job event is scaled, and no other");
	e = event_notes_last(w.events, EVENT(SCALED));
	ok(e && e->tasks == 6 && e->old_tasks == 3, "it has both numbers");
	is_int(world_row(&w, id)->tasks, 3, "a listing has those that have a node");
	restart(&w);
	is_str(counts(&w, id), "3/3/0/0", "a restarted controller knows them");
	join(&w, id, 3, 3, 3);
	is_str(hosts_told(&w, 0), "n1 ,n1 ,n2 ,n2 ,", "the others learn of one that joins");
	world_decide(&w, extra(0, 4), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "there are four extra tasks");
	world_preempt(&w, id, 0);
	for (uint32_t i = 0; i < 4; i++)
		world_ended(&w, i < 2 ? 1 : 2, id, 0, i, i < 2 ? 1 : i, END(PREEMPTED), 0);
	is_str(counts(&w, id), "6/0/0/0", "when it starts again, it has the new number");
	world_done(&w);
}

static void test_shrink(void)
{
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 7, 2);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < 3; i++)
		join(&w, id, i + 1, 2 + i, 2 + i);
	is_str(counts(&w, id), "2/5/0/0", "three of five tasks have joined");
	is_str(change(&w, change_tasks(&x, id, 5)), "", "it gets fewer tasks");
	is_int(world_orders(&w, ORDER_KILL), 0, "those that wait are dropped first");
	is_str(counts(&w, id), "0/5/0/0", "none waits any more");
	is_sound(&w);
	w.steady_us += 10000000;
	event_notes_clear(w.events);
	is_str(change(&w, change_tasks(&x, id, 4)), "", "fewer than run");
	is_int(world_orders(&w, ORDER_KILL), 1, "one is ended");
	ok(order_to(&w, ORDER_KILL, 4) && order_to(&w, ORDER_KILL, 4)->order.grace_ms,
	   "it is the one with the highest rank, and it has its grace period");
	is_str(hosts_told(&w, 0), "n1 ,n1 ,n2 ,n2 ,-,", "the others learn that it leaves");
	is_str(event_notes_last(w.events, EVENT(SCALED))->reason, "the job was scaled down",
	       "the job event says why");
	restart(&w);
	w.steady_us += 60000000;
	world_beat(&w, 2);
	ok(order_to(&w, ORDER_KILL, 4) != NULL, "a restarted controller repeats the order");
	world_ended(&w, 2, id, 0, 4, 4, END(PREEMPTED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job goes on");
	is_str(counts(&w, id), "0/4/0/0", "with four tasks");
	world_decide(&w, extra(0, 3), 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the dropped one does not come again");
	is_str(change(&w, change_tasks(&x, id, 2)), "", "it may shrink to its minimum");
	is_int(world_orders(&w, ORDER_KILL), 2, "all others leave");
	is_str(change(&w, change_tasks(&x, id, 3)), "", "and grow at once");
	is_str(counts(&w, id), "0/4/0/0", "a task that is leaving is taken up again");
	for (uint32_t i = 2; i < 4; i++)
		world_ended(&w, 2, id, 0, i, i, END(PREEMPTED), 0);
	is_str(counts(&w, id), "1/2/0/0", "it waits after its end");
	is_sound(&w);
	restart(&w);
	world_decide(&w, extra(0, 1), 0, "n2");
	ok(order_to(&w, ORDER_LAUNCH, 2) != NULL, "and joins again under its rank");
	world_done(&w);
}

static void test_minimum(void)
{
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 4, 3);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = run_elastic(&w, &p);
	has_str(change(&w, change_least(change_init(&x, id), 4)), "min-tasks",
		"a minimum above the tasks that run");
	join(&w, id, 0, 3, 2);
	has_str(change(&w, change_least(change_init(&x, id), 4)),
		"min-tasks: the job started with 3 tasks; --restart",
		"a minimum above the tasks that started together");
	is_str(change(&w, change_least(change_init(&x, id), 2)), "", "it may need fewer");
	is_sound(&w);
	restart(&w);
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 1);
	world_ended(&w, 1, id, 0, 2, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 0, "with two good tasks it goes on");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 1, "with one it is restarted");
	world_ended(&w, 2, id, 0, 3, 2, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "it waits again");
	world_decide(&w, id, 0, "n1 n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the old minimum does not start");
	world_decide(&w, id, 0, "n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "the new one does");
	world_done(&w);
}

static void test_refused(void)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 5, 2);
	id = run_elastic(&w, &p);
	join(&w, id, 0, 2, 2);
	has_str(change(&w, change_tasks(&x, id, 1)),
		"the minimum of 2 tasks is more than the 1 task", "fewer than the minimum");
	has_str(change(&w, change_least(change_tasks(&x, id, 1), 1)),
		"ntasks: 2 tasks started together and stay while the job runs; --restart",
		"fewer than started together");
	has_str(change(&w, change_tasks(&x, id, 9)),
		"9 tasks requested; 2 of the 2 nodes of this cluster could hold tasks, at most 8 in all",
		"more than the cluster could hold");
	has_str(change(&w, change_tasks(&x, id, 1000000000)), "limits.tasks_per_job",
		"more than any job may have");
	has_str(change(&w, change_tasks(&x, id, 0)), "at least one task", "none");
	has_str(change(&w, change_group(change_init(&x, id), "worker", 2)), "are in no groups",
		"a group that it has not");
	has_str(change_as(&w, TEST_USER + 1, change_tasks(&x, id, 4)), "it belongs to",
		"a job of somebody else");
	is_str(counts(&w, id), "2/3/0/0", "nothing has changed");
	is_sound(&w);
	spec_init(&spec, &group);
	group.replicas = 4;
	spec.min_available = 2;
	id = world_submit(&w, &spec);
	world_decide(&w, id, 0, "n2 n2 n2");
	has_str(change(&w, change_tasks(&x, id, 5)), "--restart would restart it whole",
		"a running job that is not elastic");
	world_done(&w);
}

/* The element waited only for a task that is dropped now. */
static void test_over(void)
{
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 2, 1);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = run_elastic(&w, &p);
	join(&w, id, 0, 1, 2);
	world_ended(&w, 2, id, 0, 1, 2, END(EXITED), 7);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "it waits for its failed task");
	is_str(change(&w, change_tasks(&x, id, 1)), "", "the task is dropped");
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "and the job is over");
	world_done(&w);
}

/* A task ends; only its node knows it. */
static void end_rank(struct cluster *c, uint64_t job, uint32_t rank, uint32_t attempt,
		     Armada__EndCause cause)
{
	for (uint64_t conn = 1; conn <= 2; conn++) {
		world_ended(&c->w, conn, job, 0, rank, attempt, cause, 0);
		fed_sched_apply(&c->live, &c->w);
	}
}

/* Tasks that have ended for good are not taken up again: others join instead. */
static void test_ended(void)
{
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 4, 2);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < 2; i++)
		join(&w, id, i, 2 + i, 2 + i);
	for (uint32_t i = 0; i < 2; i++)
		world_ended(&w, 2, id, 0, 2 + i, 2 + i, END(EXITED), 0);
	is_str(change(&w, change_tasks(&x, id, 2)), "", "two tasks that have ended are too many");
	is_str(change(&w, change_tasks(&x, id, 4)), "", "it grows again");
	is_str(counts(&w, id), "2/2/2/0", "two new tasks wait");
	is_sound(&w);
	join(&w, id, 2, 4, 4);
	world_done(&w);
}

/* A job does without a task that it no longer asks for, also if the task could not be ended in order. */
static void test_dropped_lost(void)
{
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 3, 2);
	id = run_elastic(&w, &p);
	join(&w, id, 0, 2, 2);
	world_closed(&w, 2);
	for (int i = 0; i < 20 && world_state(&w, id, 0) == JOB(RUNNING); i++) {
		world_tick(&w, 10000000);
		world_beat(&w, 1);
	}
	is_int(world_state(&w, id, 0), JOB(UNKNOWN), "a node is silent");
	is_str(change(&w, change_tasks(&x, id, 2)), "", "the user does without its task");
	is_int(world_orders(&w, ORDER_KILL), 0, "it cannot be ended now");
	is_sound(&w);
	world_node(&w, 2, "n2", 4, "boot3", 2);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the node has lost it, and the job goes on");
	is_str(counts(&w, id), "0/2/0/0", "with what it asks for");
	is_sound(&w);
	world_done(&w);
}

/* What a row has of the tasks, and of their cpus. */
static void test_row(void)
{
	const Armada__JobRow *r;
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 4, 2);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < 2; i++)
		join(&w, id, i, 2 + i, 2 + i);
	change(&w, change_tasks(&x, id, 3));
	is_int(world_row(&w, id)->tasks, 4, "a task that is leaving counts");
	world_ended(&w, 2, id, 0, 3, 3, END(PREEMPTED), 0);
	r = world_row(&w, id);
	is_int(r->tasks, 3, "one that has left does not");
	is_int(r->resources[0]->amount, 3000, "nor do its cpus");
	world_done(&w);
}

/* One update of a large array must not stop the controller. */
static void test_array(void)
{
	Armada__IndexRange range, *ranges[] = {&range};
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_two(&w);
	w.policy.max_tasks = 1000000;
	w.policy.hold_impossible = true; /* more tasks than fit are accepted */
	armada__index_range__init(&range);
	range.last = 3;
	range.step = 1;
	elastic_init(&p, 3, 2);
	p.spec.array = ranges;
	p.spec.n_array = 1;
	id = world_submit(&w, &p.spec);
	for (uint32_t i = 0; i < 4; i++)
		world_decide(&w, id, i, i < 2 ? "n1 n1" : "n2 n2");
	has_str(change(&w, change_tasks(&x, id, ARRAY_AT_ONCE / 4)),
		"4 elements of the array run; an update changes at most 200000 tasks",
		"too many tasks at once");
	has_str(change(&w, change_least(change_init(&x, id), 1)), "elements of the array run",
		"another minimum");
	is_str(change(&w, change_tasks(&x, id, 4)), "", "one more for each element");
	for (uint32_t i = 0; i < 4; i++)
		is_int(world_state(&w, id, i), JOB(CONFIGURING), "element %u goes on", i);
	is_sound(&w);
	world_done(&w);
}

static void test_groups(void)
{
	const Armada__JobRow *r;
	Armada__TaskGroup ps, *groups[2];
	struct cluster c;
	struct fed_sched fresh;
	struct elastic p;
	struct change x;
	uint64_t id;

	cluster_init(&c, "progressive");
	elastic_init(&p, 2, 3);
	ps = p.group;
	ps.name = (char *)"ps";
	p.group.name = (char *)"worker";
	p.group.replicas = 3;
	groups[0] = &ps;
	groups[1] = &p.group;
	p.spec.groups = groups;
	p.spec.n_groups = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = submit(&c, &p);
	settle(&c);
	r = world_row(&c.w, id);
	is_int(r->groups[0]->running + r->groups[1]->running, 5, "all its tasks run");
	is_str(change(&c.w, change_group(change_group(change_init(&x, id), "ps", 4), "worker", 1)),
	       "", "one group gets more tasks, and the other fewer");
	fed_sched_apply(&c.live, &c.w);
	is_int(world_orders(&c.w, ORDER_KILL), 2, "two workers leave");
	is_sound(&c.w);
	for (uint32_t i = 3; i < 5; i++)
		end_rank(&c, id, i, i - 1, END(PREEMPTED));
	fed_sched_init(&fresh, &c.w, (struct rig_policy){.preempt = "urgency"});
	is_str(fed_sched_starts(&c.w, &fresh), fed_sched_starts(&c.w, &c.live),
	       "a scheduler that is filled anew decides the same");
	settle(&c);
	r = world_row(&c.w, id);
	is_int(r->groups[0]->running, 4, "the first group has its new tasks");
	is_int(r->groups[1]->running, 1, "and the second its last one");
	is_int(r->groups[1]->failed + r->groups[1]->pending, 0, "those that left count no more");
	world_preempt(&c.w, id, 0);
	fed_sched_apply(&c.live, &c.w);
	has_str(change(&c.w, change_least(change_group(change_init(&x, id), "ps", 1), 2)),
		"group ps: 2 tasks started", "tasks of a group that started together stay");
	fed_sched_done(&fresh);
	cluster_done(&c);
}

/* Each group keeps its minimum. */
static void test_group_minima(void)
{
	Armada__TaskGroup ps, *groups[2];
	struct cluster c;
	struct fed_sched fresh;
	struct elastic p;
	struct change x;
	uint64_t id;

	cluster_init(&c, "progressive");
	elastic_init(&p, 2, 0);
	ps = p.group;
	ps.name = (char *)"ps";
	ps.min_available = 1;
	p.group.name = (char *)"worker";
	p.group.replicas = 3;
	p.group.min_available = 2;
	groups[0] = &ps;
	groups[1] = &p.group;
	p.spec.groups = groups;
	p.spec.n_groups = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = submit(&c, &p);
	settle(&c);
	has_str(change(&c.w, change_group(change_init(&x, id), "worker", 1)),
		"group worker: its minimum is 2 tasks, so it cannot have 1",
		"no group gets fewer tasks than its minimum");
	has_str(change(&c.w, change_least(change_init(&x, id), 2)),
		"min-tasks: ", "the minimum of the job is that of its groups");
	end_rank(&c, id, 1, 1, END(SIGNALED));
	has_str(change(&c.w, change_group(change_init(&x, id), "worker", 2)),
		"group worker: the job would run on with 1 task of it, and its minimum is 2",
		"nor while one of them is started again");
	settle(&c);
	is_str(change(&c.w, change_group(change_group(change_init(&x, id), "ps", 3), "worker", 2)),
	       "", "one group gets more tasks, and the other its minimum");
	fed_sched_apply(&c.live, &c.w);
	is_int(world_orders(&c.w, ORDER_KILL), 1, "one worker leaves");
	is_sound(&c.w);
	fed_sched_init(&fresh, &c.w, (struct rig_policy){.preempt = "urgency"});
	is_str(fed_sched_starts(&c.w, &fresh), fed_sched_starts(&c.w, &c.live),
	       "a scheduler that is filled anew decides the same");
	fed_sched_done(&fresh);
	cluster_done(&c);
}

/* Two elastic groups: the first with small tasks, the second with large ones; the minimum is of the first. */
static uint64_t submit_two(struct cluster *c)
{
	static const int cpus[] = {1, 3};
	Armada__TaskGroup groups[2], *list[] = {&groups[0], &groups[1]};
	Armada__Resource cpu[2], *resources[2][1];
	struct elastic p;

	elastic_init(&p, 2, 2);
	for (int i = 0; i < 2; i++) {
		groups[i] = p.group;
		groups[i].name = (char *)(i ? "b" : "a");
		spec_cpus(&groups[i], cpus[i], &cpu[i], resources[i]);
	}
	p.spec.groups = list;
	p.spec.n_groups = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	return submit(c, &p);
}

/* The extra tasks keep their groups, also for a scheduler that learns of the job when it has been scaled. */
static void test_groups_kept(void)
{
	struct cluster c;
	struct fed_sched fresh;
	struct change x;
	const char *live;
	uint64_t id;

	cluster_init(&c, "progressive");
	c.w.policy.hold_impossible = true; /* not all tasks fit at once */
	id = submit_two(&c);
	round_of(&c);
	start_launched(&c);
	is_str(change(&c.w, change_group(change_init(&x, id), "a", 4)), "",
	       "the first group grows");
	fed_sched_apply(&c.live, &c.w);
	fed_sched_init(&fresh, &c.w, (struct rig_policy){.preempt = "urgency"});
	live = fed_sched_starts(&c.w, &c.live);
	ok(*live, "tasks of both groups may start");
	is_str(fed_sched_starts(&c.w, &fresh), live,
	       "the same for a scheduler that is filled anew");
	fed_sched_done(&fresh);
	settle(&c);
	is_int(world_row(&c.w, id)->groups[0]->running, 4, "the first group gets its tasks");
	cluster_done(&c);
}

/* Another job uses what is left over, and the scheduler starts the changed job again as it is now. */
static void test_scheduler(void)
{
	struct cluster c;
	struct fed_sched fresh;
	struct elastic p;
	struct change x;
	uint64_t id;

	cluster_init(&c, "progressive");
	elastic_init(&p, 8, 4);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, id), "0/8/0/0", "it fills the cluster");
	is_str(change(&c.w, change_least(change_tasks(&x, id, 5), 2)), "", "it shrinks");
	fed_sched_apply(&c.live, &c.w);
	for (uint32_t i = 5; i < 8; i++)
		end_rank(&c, id, i, i - 2, END(PREEMPTED));
	is_str(counts(&c.w, id), "0/5/0/0", "five tasks are left");
	elastic_init(&p, 4, 0);
	p.spec.elastic = 0;
	submit(&c, &p);
	fed_sched_init(&fresh, &c.w, (struct rig_policy){.preempt = "urgency"});
	is_str(fed_sched_starts(&c.w, &c.live), "", "four others do not fit beside them");
	is_str(fed_sched_starts(&c.w, &fresh), "", "nor for a scheduler that is filled anew");
	fed_sched_done(&fresh);
	is_str(change(&c.w, change_tasks(&x, id, 4)), "", "it shrinks again");
	fed_sched_apply(&c.live, &c.w);
	fed_sched_init(&fresh, &c.w, (struct rig_policy){.preempt = "urgency"});
	is_str(fed_sched_starts(&c.w, &fresh), "2:4", "now they fit");
	is_str(fed_sched_starts(&c.w, &c.live), "2:4", "for both");
	fed_sched_done(&fresh);
	world_preempt(&c.w, id, 0);
	fed_sched_apply(&c.live, &c.w);
	for (uint32_t i = 0; i < 5; i++)
		end_rank(&c, id, i, i < 4 ? 1 : i - 2, END(PREEMPTED));
	is_int(world_state(&c.w, id, 0), JOB(PENDING), "it waits again");
	has_str(fed_sched_starts(&c.w, &c.live), "1:2", "it starts with its new minimum");
	cluster_done(&c);
}

/* A suspended job gets no task, and does not keep others from the room. */
static void test_suspended(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t frozen, other;

	cluster_init(&c, "progressive");
	elastic_init(&p, 8, 4);
	frozen = submit(&c, &p);
	round_of(&c);
	start_launched(&c);
	world_suspend(&c.w, frozen, false);
	fed_sched_apply(&c.live, &c.w);
	elastic_init(&p, 8, 3);
	other = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, frozen), "4/4/0/0", "no task joins a suspended job");
	is_str(counts(&c.w, other), "4/4/0/0", "another elastic job gets the room");
	world_suspend(&c.w, frozen, true);
	fed_sched_apply(&c.live, &c.w);
	end_rank(&c, other, 3, 2, END(EXITED));
	settle(&c);
	is_str(counts(&c.w, frozen), "3/5/0/0", "after it was resumed, its tasks join");
	cluster_done(&c);
}

enum { EACH = 50 }; /* tasks on a node */

static const char *node_name(struct test_world *w, uint32_t i)
{
	return arena_printf(w->arena, "n%u", i + 1);
}

/* More tasks leave than one input may order: the rest follows with a heartbeat. */
static void test_many(void)
{
	const uint32_t most = LEAVING_AT_ONCE + 3;
	struct test_world w;
	struct elastic p;
	struct change x;
	uint64_t id;

	world_init(&w);
	for (uint32_t i = 0; i <= most / EACH; i++)
		world_node(&w, i + 1, node_name(&w, i), EACH, arena_printf(w.arena, "boot%u", i),
			   i + 1);
	elastic_init(&p, most + 1, 1);
	id = run_elastic(&w, &p);
	for (uint32_t i = 0; i < most; i++)
		world_decide(&w, extra(0, i), 0, node_name(&w, (i + 1) / EACH));
	is_int((int)world_row(&w, id)->groups[0]->running, (int)most + 1, "many tasks have joined");
	is_str(change(&w, change_tasks(&x, id, 1)), "", "all of them leave");
	is_int(world_orders(&w, ORDER_KILL), LEAVING_AT_ONCE, "not with one input");
	is_sound(&w);
	world_beat(&w, most / EACH + 1);
	is_int(world_orders(&w, ORDER_KILL), 3, "the others with a heartbeat of their node");
	world_done(&w);
}

int main(void)
{
	test_grow();
	test_shrink();
	test_minimum();
	test_refused();
	test_over();
	test_ended();
	test_dropped_lost();
	test_row();
	test_array();
	test_groups();
	test_group_minima();
	test_groups_kept();
	test_scheduler();
	test_suspended();
	test_many();
	return done();
}
