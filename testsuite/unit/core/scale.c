/*
 * Changes of what the tasks of a waiting job are: their number, their groups, their resources and their
 * program. The scheduler that is fed with the records must know the same job as one that is filled anew.
 */
#include "fed_sched.h"
#include "fixture.h"
#include "job_change.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <inttypes.h>
#include <string.h>

#define JOB(name)   ARMADA__JOB_STATE__JOB_##name
#define END(name)   ARMADA__END_CAUSE__END_##name
#define EVENT(name) ARMADA__JOB_EVENT_KIND__JOB_EVENT_##name

static const Armada__ShowJobReply *show(struct test_world *w, uint64_t job)
{
	Armada__ShowJobRequest m = ARMADA__SHOW_JOB_REQUEST__INIT;

	m.job = job;
	m.with_script = true;
	world_send(w, TEST_USER, MSG_SHOW_JOB, &m);
	return world_reply(w, MSG_SHOW_JOB_REPLY);
}

static void two_nodes(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
}

static uint64_t submit(struct test_world *w, uint32_t tasks, uint32_t least, uint32_t nodes)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	group.replicas = tasks;
	spec.min_available = least;
	spec.nodes = nodes;
	return world_submit(w, &spec);
}

static void test_plain(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = submit(&w, 2, 0, 0);
	event_notes_clear(w.events);
	is_str(change(&w, change_tasks(&x, id, 5)), "", "a waiting job gets more tasks");
	is_int(world_row(&w, id)->tasks, 5, "a listing has the new number");
	is_str(event_notes_kinds(w.events, id), "scaled", "the job event is scaled, and no other");
	e = event_notes_last(w.events, EVENT(SCALED));
	ok(e && e->tasks == 5 && e->old_tasks == 2, "it has both numbers");
	world_decide(&w, id, 0, "n1 n1");
	is_int(world_state(&w, id, 0), JOB(PENDING), "a decision for the old number is refused");
	is_str(change(&w, change_tasks(&x, id, 3)), "", "it gets fewer again");
	world_decide(&w, id, 0, "n1 n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "it starts with all of them");
	has_str(change(&w, change_tasks(&x, id, 2)), "ntasks: the job has started",
		"a job that runs keeps its number");
	world_done(&w);
}

static void test_refused(void)
{
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = submit(&w, 4, 3, 0);
	has_str(change(&w, change_tasks(&x, id, 2)),
		"the minimum of 3 tasks is more than the 2 tasks", "fewer than the minimum");
	has_str(change(&w, change_least(change_init(&x, id), 9)),
		"the minimum of 9 tasks is more than the 4 tasks", "a minimum above the number");
	has_str(change(&w, change_least(change_init(&x, id), 0)), "at least one task",
		"no minimum at all");
	has_str(change(&w, change_tasks(&x, id, 0)), "at least one task", "no task");
	has_str(change(&w, change_least(change_tasks(&x, id, 64), 64)), "8",
		"more than the cluster could hold at once");
	has_str(change(&w, change_tasks(&x, id, 1000000000)), "limits.tasks_per_job",
		"more than any job may have");
	has_str(change(&w, change_group(change_init(&x, id), "worker", 2)), "are in no groups",
		"a group of a job without groups");
	is_int(world_row(&w, id)->tasks, 4, "nothing has changed");
	is_int(show(&w, id)->spec->min_available, 3, "nor has the minimum");
	has_str(change(&w, change_least(change_tasks(&x, id, 64), 2)), "64 tasks requested",
		"more than the cluster could hold, also if they need not start together");
	is_str(change(&w, change_least(change_tasks(&x, id, 2), 2)), "", "both numbers at once");
	is_int(show(&w, id)->spec->min_available, 0, "a minimum of all tasks is that of all");
	world_done(&w);
}

static void test_nodes(void)
{
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = submit(&w, 4, 0, 2);
	has_str(change(&w, change_tasks(&x, id, 3)), "2 tasks on each of its nodes",
		"the number of tasks on a node stays");
	is_str(change(&w, change_tasks(&x, id, 2)), "", "the number of nodes follows");
	is_int(show(&w, id)->spec->nodes, 1, "it is 1 now");
	has_str(change(&w, change_tasks(&x, id, 6)), "2 nodes",
		"as many nodes as there are at most");
	world_decide(&w, id, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "two tasks start on one node");
	id = submit(&w, 3, 0, 2);
	is_str(change(&w, change_tasks(&x, id, 5)), "", "uneven tasks are divided again");
	is_int(show(&w, id)->spec->nodes, 2, "among as many nodes");
	is_str(change(&w, change_tasks(&x, id, 4)), "", "also evenly");
	is_int(show(&w, id)->spec->tasks_per_node, 2, "with the same number on each");
	world_done(&w);
}

static uint64_t submit_groups(struct test_world *w)
{
	Armada__TaskGroup groups[2], *list[] = {&groups[0], &groups[1]};
	Armada__JobSpec spec;

	spec_init(&spec, &groups[0]);
	groups[1] = groups[0];
	groups[0].name = (char *)"ps";
	groups[1].name = (char *)"worker";
	groups[1].replicas = 2;
	spec.groups = list;
	spec.n_groups = 2;
	return world_submit(w, &spec);
}

static void test_groups(void)
{
	const Armada__ShowJobReply *r;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = submit_groups(&w);
	has_str(change(&w, change_tasks(&x, id, 4)), "2 groups of tasks; give --group",
		"the number of all tasks cannot change");
	has_str(change(&w, change_group(change_init(&x, id), "wroker", 4)),
		"no such group; it has ps, worker", "an unknown group");
	has_str(change(&w, change_group(change_group(change_init(&x, id), "ps", 2), "ps", 3)),
		"named twice", "a group twice");
	has_str(change(&w, change_group(change_init(&x, id), "worker", 8)), "8",
		"more than the cluster could hold");
	event_notes_clear(w.events);
	is_str(change(&w, change_group(change_init(&x, id), "worker", 5)), "",
	       "a group gets more tasks");
	is_str(event_notes_kinds(w.events, id), "scaled", "the job event is scaled");
	world_decide(&w, id, 0, "n1 n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a decision for the old number is refused");
	change_init(&x, id);
	spec_cpus(&x.group, 2, &x.cpu, x.resources);
	change_field(&x, FIELD(RESOURCES));
	has_str(change(&w, &x), "name one with --group (ps, worker)",
		"resources are those of one group");
	x.m.group = (char *)"ps";
	is_str(change(&w, &x), "", "the named group gets them");
	change_script(change_init(&x, id), "#!/bin/sh\necho new\n");
	x.m.group = (char *)"worker";
	is_str(change(&w, &x), "", "so it is with a program");
	r = show(&w, id);
	is_int(r->spec->groups[0]->resources[0]->amount + r->spec->groups[0]->resources[1]->amount,
	       2000 + (INT64_C(1) << 30), "the first group has the resources");
	ok(!r->spec->groups[0]->script_hash.len && r->spec->groups[1]->script_hash.len == 32,
	   "the second has the script");
	world_decide(&w, id, 0, "n1 n1 n1 n2 n2 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 6, "it starts as it is now");
	world_done(&w);
}

static void test_program(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = submit(&w, 1, 0, 0);
	event_notes_clear(w.events);
	is_str(change(&w, change_script(change_init(&x, id), "#!/bin/sh\necho new\n")), "",
	       "a waiting job gets another script");
	e = event_notes_last(w.events, EVENT(UPDATED));
	ok(e && e->n_fields == 1 && strcmp(e->fields[0], "command") == 0,
	   "the job event names the command alone");
	is_int((long long)show(&w, id)->script.len, 19, "the new script is shown");
	is_str(show(&w, id)->spec->script_name, "new", "with its name");
	change_init(&x, id);
	change_field(&x, FIELD(PROGRAM));
	has_str(change(&w, &x), "command: none given", "a program must be there");
	x.argv[0] = (char *)"/bin/true";
	x.group.argv = x.argv;
	x.group.n_argv = 1;
	is_str(change(&w, &x), "", "a command takes the place of a script");
	ok(!show(&w, id)->script.len && show(&w, id)->spec->groups[0]->n_argv == 1,
	   "the script is gone");
	is_str(change(&w, change_tasks(&x, id, 2)), "", "the command gets a second task");
	is_int(show(&w, id)->spec->launch, ARMADA__LAUNCH__LAUNCH_ALL, "both run it");
	change_tasks(&x, id, 1);
	is_str(change(&w, change_script(&x, "#!/bin/sh\necho new\n")), "",
	       "one task with a script");
	is_str(change(&w, change_tasks(&x, id, 2)), "", "and a second one");
	is_int(show(&w, id)->spec->launch, ARMADA__LAUNCH__LAUNCH_FIRST,
	       "the first runs it, as after a submission with two");
	world_done(&w);
}

static void test_scheduler(void)
{
	struct fed_sched live, fresh;
	struct test_world w;
	struct change x;
	uint64_t plain, groups;

	two_nodes(&w);
	fed_sched_init(&live, &w, (struct rig_policy){0});
	plain = submit(&w, 2, 0, 0);
	fed_sched_apply(&live, &w);
	groups = submit_groups(&w);
	fed_sched_apply(&live, &w);
	change(&w, change_tasks(&x, plain, 3));
	fed_sched_apply(&live, &w);
	change(&w, change_group(change_init(&x, groups), "worker", 4));
	fed_sched_apply(&live, &w);
	fed_sched_init(&fresh, &w, (struct rig_policy){0});
	is_str(fed_sched_starts(&w, &live), "1:3 2:5", "a round starts the jobs as they are now");
	is_str(fed_sched_starts(&w, &fresh), "1:3 2:5", "so does a scheduler that is filled anew");
	world_decide(&w, plain, 0, "n1 n1 n1");
	fed_sched_apply(&live, &w);
	world_decide(&w, groups, 0, "n1 n2 n2 n2 n2");
	fed_sched_apply(&live, &w);
	submit(&w, 1, 0, 0);
	fed_sched_apply(&live, &w);
	is_str(fed_sched_starts(&w, &live), "", "all their tasks count as running");
	fed_sched_done(&live);
	fed_sched_done(&fresh);
	world_done(&w);
}

/* A change must pass the limits of a submission. */
static void test_limits(void)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	quota_put(&w.policy.user_quota, QUOTA_CPU, 3000);
	id = submit(&w, 2, 0, 0);
	has_str(change(&w, change_tasks(&x, id, 4)), "(user_limits.max_cpus)",
		"more cpus than a user may use");
	is_str(change(&w, change_tasks(&x, id, 3)), "", "as many as a user may use");
	w.policy.user_quota = (struct quota){0};
	w.policy.max_stored_of_user = 4096;
	change_script(change_init(&x, id), arena_printf(w.arena, "#!/bin/sh\n%05000d\n", 0));
	has_str(change(&w, &x), "limits.stored_per_user",
		"a script larger than what is kept of a user");
	w.policy.max_stored_of_user = 0;
	w.policy.max_script_bytes = 4096;
	has_str(change(&w, &x), "limits.script", "a script larger than any may be");
	spec_init(&spec, &group);
	spec.nodes = 2;
	group.replicas = 2;
	spec.exclusive = true;
	id = world_submit(&w, &spec);
	has_str(change(&w, change_tasks(&x, id, 3)), "2 nodes",
		"more nodes for itself than there are");
	spec_init(&spec, &group);
	spec.gang_id = (char *)"g";
	spec.gang_cardinality = 2;
	id = world_submit(&w, &spec);
	has_str(change(&w, change_tasks(&x, id, 2)), "member of gang g", "a member of a gang");
	world_done(&w);
}

/* The minimum of a job that runs: what it must keep, and what it starts with later. */
static void test_minimum(void)
{
	struct fed_sched live;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	fed_sched_init(&live, &w, (struct rig_policy){0});
	spec_init(&spec, &group);
	group.replicas = 6;
	spec.min_available = 5;
	spec.on_task_failure = ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB;
	id = world_submit(&w, &spec);
	fed_sched_apply(&live, &w);
	world_decide(&w, id, 0, "n1 n1 n1 n2 n2 n2");
	fed_sched_apply(&live, &w);
	for (uint32_t i = 0; i < 6; i++)
		world_started(&w, i < 3 ? 1 : 2, id, 0, i, 1);
	is_str(change(&w, change_least(change_init(&x, id), 2)), "",
	       "a running job may need fewer");
	fed_sched_apply(&live, &w);
	world_ended(&w, 2, id, 0, 5, 1, END(EXITED), 3);
	fed_sched_apply(&live, &w);
	world_ended(&w, 2, id, 0, 4, 1, END(EXITED), 3);
	fed_sched_apply(&live, &w);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "it goes on with fewer than before");
	has_str(change(&w, change_least(change_init(&x, id), 5)), "runs with 4 tasks that count",
		"a minimum that it does not have is refused");
	is_str(change(&w, change_least(change_init(&x, id), 4)), "", "one that it has is not");
	fed_sched_apply(&live, &w);
	world_drain(&w, "n2", "broken");
	fed_sched_apply(&live, &w);
	world_ended(&w, 2, id, 0, 3, 1, END(LOST), 0);
	fed_sched_apply(&live, &w);
	for (uint32_t i = 0; i < 3; i++) {
		world_ended(&w, 1, id, 0, i, 1, END(GANG), 0);
		fed_sched_apply(&live, &w);
	}
	is_int(world_state(&w, id, 0), JOB(PENDING), "below it the job is restarted");
	is_str(fed_sched_starts(&w, &live), "1:4", "and starts with the new minimum");
	fed_sched_done(&live);
	world_done(&w);
}

int main(void)
{
	test_plain();
	test_refused();
	test_nodes();
	test_groups();
	test_program();
	test_scheduler();
	test_limits();
	test_minimum();
	return done();
}
