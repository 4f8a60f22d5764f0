/*
 * Task groups of a job, and the policies for a failed task: replace_task, restart_job, fail_job.
 * Each test gives single inputs to the core and checks orders and states.
 */
#include "core/state/task_replacement.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

/*
 * A job with a group "ps" of one task and a group "worker" of several. A test changes it before the
 * submission.
 */
struct pair {
	Armada__JobSpec spec;
	Armada__TaskGroup groups[2], *list[2];
	Armada__Resource cpus[2], *resources[2];
};

static void pair_init(struct pair *p, uint32_t workers)
{
	memset(p, 0, sizeof(*p));
	spec_init(&p->spec, &p->groups[0]);
	p->groups[1] = p->groups[0];
	for (int i = 0; i < 2; i++) {
		armada__resource__init(&p->cpus[i]);
		p->cpus[i].name = (char *)"cpu";
		p->cpus[i].amount = 1000 * (i + 1);
		p->resources[i] = &p->cpus[i];
		p->groups[i].name = (char *)(i ? "worker" : "ps");
		p->groups[i].replicas = i ? workers : 1;
		p->groups[i].resources = &p->resources[i];
		p->groups[i].n_resources = 1;
		p->list[i] = &p->groups[i];
	}
	p->spec.groups = p->list;
	p->spec.n_groups = 2;
}

/*
 * Admission changes the spec that it gets, and sets pointers to memory of its own, so it gets a
 * copy.
 */
static uint64_t submit(struct test_world *w, struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		p->groups[i].resources = &p->resources[i];
		p->groups[i].n_resources = 1;
	}
	p->spec.queue = p->spec.priority_class = (char *)"";
	return world_submit(w, &p->spec);
}

static void world_three(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
	world_node(w, 3, "n3", 4, "boot3", 3);
}

/*
 * The tasks of each group as text, such as "ps 0/1/0/0 worker 0/2/0/0": pending, running,
 * succeeded, failed.
 */
static const char *counts(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *r = world_row(w, job);
	char *text = arena_strdup(w->arena, "");

	for (size_t i = 0; r && i < r->n_groups; i++)
		text = arena_printf(w->arena, "%s%s%s %u/%u/%u/%u", text, i ? " " : "",
				    r->groups[i]->name, r->groups[i]->pending,
				    r->groups[i]->running, r->groups[i]->succeeded,
				    r->groups[i]->failed);
	return text;
}

static const Armada__TaskBody *body_of(struct test_world *w, uint32_t rank)
{
	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind == EFFECT_ORDER && e->order.kind == ORDER_LAUNCH &&
		    e->order.key.rank == rank)
			return msg_unpack_as(&armada__task_body__descriptor, e->body, e->len,
					     w->arena, &(struct err){0});
	}
	return NULL;
}

static const char *variable(struct test_world *w, uint32_t rank, const char *name)
{
	const Armada__TaskBody *b = body_of(w, rank);
	size_t len = strlen(name);

	for (size_t i = 0; b && i < b->n_task_env; i++)
		if (strncmp(b->task_env[i], name, len) == 0 && b->task_env[i][len] == '=')
			return b->task_env[i] + len + 1;
	return "";
}

static void test_start(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 3);
	id = submit(&w, &p);
	is_str(counts(&w, id), "ps 1/0/0/0 worker 3/0/0/0", "all tasks are pending");
	is_int(world_row(&w, id)->resources[0]->amount, 7000,
	       "the job requests the sum of its groups");
	world_decide(&w, id, 0, "n1 n1 n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0,
	       "I6: a node counts each task with the request of its group");
	world_decide(&w, id, 0, "n1 n2 n2 n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 4, "the tasks start when there is room for each");
	is_int(body_of(&w, 0)->resources[0]->amount, 1000,
	       "the first task has the resources of its group");
	is_int(body_of(&w, 3)->resources[0]->amount, 2000,
	       "the other tasks have the resources of their group");
	is_str(variable(&w, 2, "ARMADA_GROUP_NAME"), "worker", "a task has the name of its group");
	is_str(variable(&w, 2, "ARMADA_GROUP_RANK"), "1", "a task has its rank in the group");
	is_str(variable(&w, 2, "ARMADA_GROUP_SIZE"), "3", "a task has the size of the group");
	is_str(variable(&w, 2, "ARMADA_GROUP_PS_NODES"), "n1",
	       "a task has the nodes of the other group");
	is_str(variable(&w, 0, "ARMADA_GROUP_WORKER_NODES"), "n2,n2,n3",
	       "the nodes are in the order of the ranks");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/3/0/0", "all tasks run");
	world_done(&w);
}

static void test_partial(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 3);
	p.groups[0].replicas = 2;
	p.spec.min_available = 2;
	id = submit(&w, &p);
	world_decide(&w, id, 0, "- n1 - n2 -");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "as many tasks as the minimum start");
	is_str(variable(&w, 0, "ARMADA_GROUP_NAME"), "ps", "the ranks have no gap");
	is_str(variable(&w, 1, "ARMADA_GROUP_NAME"), "worker",
	       "the ranks are in the order of the groups");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/1/0/0", "the groups count the started tasks");
	world_done(&w);
}

static uint64_t run_pair(struct test_world *w, struct pair *p, const char *nodes, uint32_t tasks)
{
	uint64_t id = submit(w, p);

	world_decide(w, id, 0, nodes);
	for (uint32_t i = 0; i < tasks; i++)
		world_started(w, (uint64_t)(nodes[3 * i + 1] - '0'), id, 0, i, 1);
	return id;
}

/* Each group has a minimum, of which that of the job is the sum. */
static void test_minima(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 3);
	p.groups[0].replicas = 2;
	p.groups[0].min_available = 1;
	p.groups[1].min_available = 2;
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	id = submit(&w, &p);
	is_int(world_row(&w, id)->min_available, 3, "the minimum of the job is the sum");
	is_int(world_row(&w, id)->groups[0]->min_available, 1, "the row has that of each group");
	is_int(world_row(&w, id)->groups[1]->min_available, 2, "of the second, too");
	world_decide(&w, id, 0, "n1 n1 n2 - -");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "three tasks do not start with one worker");
	world_decide(&w, id, 0, "- - n1 n2 n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "nor without a server");
	world_decide(&w, id, 0, "n1 - n2 n3 -");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "the minimum of each group starts");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/2/0/0", "it is of both groups");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, i + 1, id, 0, i, 1);
	world_ended(&w, 3, id, 0, 2, 1, END(EXITED), 3);
	is_int(world_orders(&w, ORDER_KILL), 2, "with one worker left all are killed");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 2, id, 0, 1, 1, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the whole job is pending");
	has_str(world_reason(&w, id),
		"task 2 failed: 1 good task is left in group worker, at least 2 are needed",
		"the reason names the group");
	world_cancel(&w, TEST_USER, id);

	id = run_pair(&w, &p, "n1 n1 n2 n2 n3", 5);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 3);
	world_ended(&w, 3, id, 0, 4, 1, END(EXITED), 3);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "each group may lose a task");
	is_str(counts(&w, id), "ps 0/1/0/1 worker 0/2/0/1", "both lost one");
	world_ended(&w, 2, id, 0, 2, 1, END(EXITED), 0);
	world_ended(&w, 2, id, 0, 3, 1, END(EXITED), 0);
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED),
	       "the job completes if the minimum of each group has succeeded");
	world_done(&w);
}

static void test_replace(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id, first = REPLACEMENT_ID_BIT;

	world_three(&w);
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 3);
	is_int(world_orders(&w, ORDER_KILL), 0, "a failed task does not end the others");
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job is RUNNING");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 1/1/0/0", "the failed task is pending");
	world_decide(&w, id, 0, "n2 n2 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a decision for the job itself is refused");
	world_decide(&w, first, 0, "n9");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a decision with an unknown node is refused");
	world_decide(&w, first, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "a decision for the task launches it");
	is_int(body_of(&w, 1)->key->attempt, 2, "the task has the next attempt number");
	ok(!world_orders(&w, ORDER_KILL), "no other order is sent");
	world_decide(&w, first, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a second decision is refused");
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/2/0/0",
	       "an end of the first attempt is ignored");
	world_started(&w, 3, id, 0, 1, 2);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the task has started");
	world_ended(&w, 3, id, 0, 2, 1, END(LOST), 0);
	is_str(counts(&w, id), "ps 0/1/0/0 worker 1/1/0/0", "a lost task is replaced too");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_str(counts(&w, id), "ps 0/0/1/0 worker 1/1/0/0", "a task that succeeded still counts");
	world_decide(&w, first + 1, 0, "n1");
	is_int(body_of(&w, 2)->key->attempt, 3, "each attempt has a new number");
	world_ended(&w, 1, id, 0, 2, 3, END(EXITED), 0);
	world_ended(&w, 3, id, 0, 1, 2, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED),
	       "the job completes when all tasks have succeeded");
	world_done(&w);
}

static const Armada__ExplainReply *explain_taken(struct test_world *w, struct explain_ask *ask)
{
	struct sched_explanation x = {.why = WHY_RESOURCES, .text = "no room"};
	struct input in = {
		.kind = INPUT_EXPLAINED, .conn = 9, .request = 3, .ask = *ask, .explanation = &x};

	x.taken = (struct sched_named){.nodes = {"n3", "n1"}, .count = 2, .of = 9};
	world_feed(w, &in);
	return world_reply(w, MSG_EXPLAIN_REPLY);
}

/* aexplain names the jobs on the nodes: one whose task was replaced counts once on a node. */
static void test_holders(void)
{
	struct test_world w;
	struct pair p;
	struct explain_ask ask = {.uid = TEST_USER};
	const Armada__ExplainReply *r;
	uint64_t id, other;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	world_node(&w, 2, "n2", 8, "boot2", 2);
	world_node(&w, 3, "n3", 8, "boot3", 3);
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	other = world_submit_plain(&w);
	world_decide(&w, other, 0, "n3");
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 3);
	world_decide(&w, REPLACEMENT_ID_BIT, 0, "n3");
	ask.job = world_submit_plain(&w);
	r = explain_taken(&w, &ask);
	is_int(r->n_holders, 3, "three jobs have the room of both nodes");
	is_int(r->holder_count, 3, "an element with two tasks on a node counts once there");
	for (size_t i = 0; i < r->n_holders; i++)
		if (r->holders[i]->job == id && strcmp(r->holders[i]->node, "n3") == 0)
			is_int(r->holders[i]->tasks, 2, "its tasks on the node are counted");
	is_int(r->taken_named, 2, "the number of nodes that are named is sent");
	is_int(r->taken_count, 9, "and the number of all such nodes");
	ask.hides = true;
	ask.uid = OTHER_USER;
	r = explain_taken(&w, &ask);
	is_int(r->n_holders, 3, "in a private cluster others see as many");
	ok(!r->holders[0]->job && !*r->holders[0]->user, "but neither the id nor the user");
	for (int i = 0; i < 3; i++) {
		other = world_submit_plain(&w);
		world_decide(&w, other, 0, i ? "n1" : "n3");
	}
	r = explain_taken(&w, &ask);
	is_int(r->n_holders, 4, "at most four jobs are named");
	is_int(r->holder_count, 6, "all are counted");
	world_done(&w);
}

/* A job with a pending task replacement continues when its last running task has ended. */
static void test_last(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 1;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 1);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(EXITED), 0);
	is_str(counts(&w, id), "ps 0/0/1/0 worker 1/0/1/0",
	       "the job continues for the pending task");
	world_cancel(&w, TEST_USER, id);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED),
	       "a job with only a pending task is cancelled at once");

	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 1);
	world_preempt(&w, id, 0);
	is_int(world_orders(&w, ORDER_KILL), 2, "a preemption ends all tasks");
	world_decide(&w, REPLACEMENT_ID_BIT + 1, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the pending task does not start meanwhile");
	world_ended(&w, 1, id, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the job is pending");
	is_str(counts(&w, id), "ps 1/0/0/0 worker 2/0/0/0", "all its tasks are pending");
	world_done(&w);
}

/* A task replacement cannot use room on which another job has a pending lease. */
static void test_pending_room(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id, victim, taker;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Resource cpu, *list[1];

	world_three(&w);
	spec_init(&spec, &group);
	spec_cpus(&group, 4, &cpu, list);
	victim = world_submit(&w, &spec);
	world_decide(&w, victim, 0, "n3");
	world_started(&w, 3, victim, 0, 0, 1);
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n2", 3);
	spec_init(&spec, &group);
	spec_cpus(&group, 4, &cpu, list);
	taker = world_submit(&w, &spec);
	world_preempt(&w, victim, 0);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 1);
	world_decide(&w, REPLACEMENT_ID_BIT, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a single task gets no pending lease");
	world_decide(&w, taker, 0, "n3");
	is_int(world_state(&w, taker, 0), JOB(CONFIGURING), "a job gets a pending lease");
	world_decide(&w, REPLACEMENT_ID_BIT, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 0,
	       "a task does not get the room of the pending lease");
	world_ended(&w, 3, victim, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "the job gets the room");
	world_decide(&w, REPLACEMENT_ID_BIT, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "the task gets free room");
	world_done(&w);
}

static void test_restart(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 3);
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	p.spec.min_available = 3;
	id = run_pair(&w, &p, "n1 n2 n3 n3", 4);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 3);
	is_int(world_orders(&w, ORDER_KILL), 0, "with enough tasks left the others continue");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/2/0/1", "the failed task is not replaced");
	world_ended(&w, 3, id, 0, 2, 1, END(SIGNALED), 9);
	is_int(world_orders(&w, ORDER_KILL), 2, "with too few tasks left all are killed");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 3, 1, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the whole job is pending");
	has_str(world_reason(&w, id), "task 2 failed: 2 good tasks are left, at least 3 are needed",
		"the reason counts the tasks");
	world_decide(&w, id, 0, "n1 n2 n3 n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 4, "all tasks start again");
	for (uint32_t i = 0; i < 3; i++)
		world_ended(&w, i + 1, id, 0, i, 2, END(EXITED), 0);
	world_ended(&w, 3, id, 0, 3, 2, END(EXITED), 1);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED),
	       "the job completes when enough tasks have succeeded");
	world_done(&w);
}

/* The number of restarts is limited. */
static void test_limit(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;
	uint32_t tries = 0;

	world_three(&w);
	w.policy.max_requeues = 4;
	pair_init(&p, 1);
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	id = submit(&w, &p);
	while (!world_ended_as(&w, id, 0) && ++tries < 100) {
		world_decide(&w, id, 0, "n1 n2");
		world_ended(&w, 1, id, 0, 0, tries, END(EXITED), 7);
		world_ended(&w, 2, id, 0, 1, tries, END(GANG), 0);
	}
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "a job that fails in every attempt fails");
	is_int(tries, 5, "it has had max_requeues + 1 attempts");

	p.groups[1].replicas = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 7);
	for (tries = 1; tries < 100 && world_state(&w, id, 0) == JOB(RUNNING); tries++) {
		world_decide(&w, REPLACEMENT_ID_BIT + tries - 1, 0, "n2");
		world_ended(&w, 2, id, 0, 1, tries + 1, END(EXITED), 7);
	}
	is_int(world_state(&w, id, 0), JOB(COMPLETING),
	       "a task that fails in every attempt ends the job");
	is_int(tries, 5, "it has had as many attempts");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the job fails");
	world_done(&w);
}

static void test_service(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 2);
	p.groups[0].service = true;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "a service continues while other tasks run");
	world_ended(&w, 3, id, 0, 2, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 1, "a service is killed when all others have ended");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "the job completes");

	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 2, "a service that fails ends the job");
	world_ended(&w, 2, id, 0, 1, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the job fails");
	world_done(&w);
}

/*
 * A task is lost with its node and proved dead: the job is RUNNING again, because the other tasks
 * are on known nodes.
 */
static void test_silent(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_closed(&w, 2);
	for (int i = 0; i < 20 && world_state(&w, id, 0) == JOB(RUNNING); i++) {
		Armada__Heartbeat beat = ARMADA__HEARTBEAT__INIT;

		world_tick(&w, 10000000);
		world_agent(&w, 1, MSG_HEARTBEAT, &beat);
		world_agent(&w, 3, MSG_HEARTBEAT, &beat);
	}
	is_int(world_state(&w, id, 0), JOB(UNKNOWN), "the job on the lost node is UNKNOWN");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/1/0/0",
	       "its task there does not count as running");
	is_int(world_row(&w, id)->groups[1]->unknown, 1, "it counts as unknown");
	world_node(&w, 2, "n2", 4, "another boot", 2);
	is_int(world_state(&w, id, 0), JOB(RUNNING),
	       "the machine was restarted: the other tasks run");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 1/1/0/0", "the lost task is pending");
	world_done(&w);
}

static void refused(struct test_world *w, struct pair *p, const char *says)
{
	is_int((int)submit(w, p), 0, "the submission is refused");
	has_str(world_error(w), says, "the error says: %s", says);
}

/* With launch = first in a group, the other tasks of the group are ended with the last program. */
static void test_standby(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 2);
	p.groups[1].launch = ARMADA__LAUNCH__LAUNCH_FIRST;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "a standby task continues while a program runs");
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 1,
	       "a standby task is ended when all programs have ended");
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "the job completes");
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	refused(&w, &p, "add --launch=all");
	p.spec.on_task_failure = POLICY(FAIL_JOB);
	p.groups[0].launch = (Armada__Launch)7;
	refused(&w, &p, "launch: mode 7 is not known");
	world_done(&w);
}

/* The exit code of the last element that ended with this input. */
static int ended_code(const struct test_world *w)
{
	const Armada__Record *r =
		w->out.record ? msg_unpack_own(&armada__record__descriptor, w->out.record,
					       w->out.record_len, w->arena)
			      : NULL;
	int code = -1;

	for (size_t i = 0; r && i < r->n_events; i++)
		if (r->events[i]->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDED)
			code = r->events[i]->element_ended->exit_code;
	return code;
}

/* Each group has its own rule: a failed worker is replaced, a failed server ends the job. */
static void test_own_rule(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id;

	world_three(&w);
	pair_init(&p, 2);
	p.spec.min_available = 2;
	p.groups[1].own_task_failure = true;
	p.groups[1].on_task_failure = POLICY(REPLACE_TASK);
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	is_int(world_row(&w, id)->groups[0]->on_task_failure, POLICY(FAIL_JOB),
	       "the first group has the rule of the job");
	is_int(world_row(&w, id)->groups[1]->on_task_failure, POLICY(REPLACE_TASK),
	       "the second group has a rule of its own");
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 3);
	is_int(world_orders(&w, ORDER_KILL), 0, "a failed worker does not end the others");
	world_decide(&w, REPLACEMENT_ID_BIT, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "it is replaced");
	world_started(&w, 3, id, 0, 1, 2);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 4);
	is_int(world_orders(&w, ORDER_KILL), 2, "a failed server ends the others");
	world_ended(&w, 3, id, 0, 1, 2, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "the job has failed");

	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(EXITED), 0);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 4);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED),
	       "a server that fails last fails the job, although its minimum succeeded");

	p.groups[1].on_task_failure = POLICY(RESTART_JOB);
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(LOST), 0);
	is_int(world_orders(&w, ORDER_KILL), 0, "with restart_job a lost worker is left out");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 4);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED),
	       "the failed server decides, not the worker that was lost with its node");

	p.spec.on_task_failure = POLICY(RESTART_JOB);
	p.groups[1].on_task_failure = POLICY(FAIL_JOB);
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 4);
	is_int(world_orders(&w, ORDER_KILL), 0, "the job continues without its server");
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 5);
	is_int(world_orders(&w, ORDER_KILL), 1, "a worker with fail_job ends it");
	world_ended(&w, 3, id, 0, 2, 1, END(EXITED), 6);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "it is not run again");
	is_int(ended_code(&w), 6, "the greatest exit code of the workers counts");
	world_done(&w);
}

/* Minima that contradict the group, the job, or the cluster. */
static void test_minima_refused(void)
{
	struct test_world w;
	struct pair p;

	world_three(&w);
	pair_init(&p, 2);
	p.groups[1].min_available = 3;
	refused(&w, &p, "group worker: the minimum of 3 tasks is more than its 2 tasks");
	p.groups[1].min_available = 1;
	p.spec.min_available = 3;
	refused(&w, &p, "the minimum of the job is 3, and the minima of its groups are 2 together");
	pair_init(&p, 10);
	p.groups[1].min_available = 7;
	refused(&w, &p, "group worker: 7 tasks must start together");
	p.groups[1].min_available = 6;
	p.spec.min_available = 0;
	refused(&w, &p, "cpu: 13 at once is more than the 3 nodes it may use have: 12");
	world_done(&w);
}

static void test_refused(void)
{
	struct test_world w;
	struct pair p;
	char *env[] = {(char *)"ARMADA_JOB_ID=1"};

	world_three(&w);
	pair_init(&p, 2);
	p.groups[1].name = (char *)"ps";
	refused(&w, &p, "group ps: another group has this name");
	p.groups[1].name = (char *)"a b";
	refused(&w, &p, "group a b: 'a b' is not a name");
	p.list[0] = &p.groups[1];
	p.spec.n_groups = 1;
	refused(&w, &p, "group a b: 'a b' is not a name");
	pair_init(&p, 2);
	p.groups[0].n_argv = 0;
	refused(&w, &p, "group ps: there is nothing to run");
	pair_init(&p, 2);
	p.groups[0].service = p.groups[1].service = true;
	refused(&w, &p, "all groups are services");
	pair_init(&p, 2);
	p.spec.nodes = 3;
	refused(&w, &p, "cannot be used with several groups of tasks: their tasks");
	pair_init(&p, 2);
	p.spec.gang_id = (char *)"g";
	p.spec.gang_cardinality = 2;
	refused(&w, &p, "a member of a gang of jobs has one group");
	pair_init(&p, 2);
	p.spec.min_available = 4;
	refused(&w, &p, "the minimum of 4 tasks is more than the 3 tasks");
	pair_init(&p, 2);
	p.cpus[1].amount = 9000;
	refused(&w, &p, "group worker: cpu: 9 is more than any node has");
	pair_init(&p, 5);
	p.groups[0].replicas = 3;
	refused(&w, &p, "cpu: 13 at once is more than the 3 nodes it may use have: 12");
	pair_init(&p, 2);
	p.groups[0].env = env;
	p.groups[0].n_env = 1;
	refused(&w, &p, "variables that begin with ARMADA_ are set by Armada");
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	p.spec.no_requeue = true;
	refused(&w, &p,
		"--on-task-failure=restart_job runs tasks again, which --no-requeue forbids");
	p.spec.on_task_failure = (Armada__TaskFailure)9;
	refused(&w, &p, "policy 9 is not known to this controller");
	pair_init(&p, 2);
	p.groups[1].own_task_failure = true;
	p.groups[1].on_task_failure = (Armada__TaskFailure)9;
	refused(&w, &p, "group worker: on_task_failure: policy 9 is not known");
	p.groups[1].on_task_failure = POLICY(REPLACE_TASK);
	p.spec.no_requeue = true;
	refused(&w, &p,
		"--on-task-failure=replace_task runs tasks again, which --no-requeue forbids");
	pair_init(&p, 5);
	p.groups[0].replicas = 3;
	p.spec.min_available = 3;
	ok(submit(&w, &p) != 0, "a job with a minimum may be larger than the cluster");
	world_done(&w);
}

/* The variables of a job are visible to its owner only. */
static void test_secret(void)
{
	struct test_world w;
	struct pair p;
	char *env[] = {(char *)"TOKEN=x"};
	Armada__ShowJobRequest m = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *r;

	world_three(&w);
	pair_init(&p, 2);
	p.groups[1].env = env;
	p.groups[1].n_env = 1;
	m.job = submit(&w, &p);
	world_send(&w, TEST_USER, MSG_SHOW_JOB, &m);
	r = world_reply(&w, MSG_SHOW_JOB_REPLY);
	is_int((int)r->spec->groups[1]->n_env, 1, "the owner sees the variables");
	world_send(&w, OTHER_USER, MSG_SHOW_JOB, &m);
	r = world_reply(&w, MSG_SHOW_JOB_REPLY);
	ok(r && !r->spec->groups[1]->n_env, "another user does not see the variables");
	world_done(&w);
}

int main(void)
{
	test_start();
	test_partial();
	test_minima();
	test_replace();
	test_holders();
	test_last();
	test_pending_room();
	test_restart();
	test_limit();
	test_service();
	test_standby();
	test_silent();
	test_own_rule();
	test_minima_refused();
	test_refused();
	test_secret();
	return done();
}
