/* Several groups of tasks, and what follows when a task fails, input by input. */
#include "core/state/task_replacement.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

/* A job with a group "ps" of one task and "worker" of some, to be changed before it is sent. */
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

/* Admission completes what it is given, in memory of its own. */
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

/* "ps 0/1/0/0 worker 0/2/0/0": pending, running, succeeded, failed. */
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
	is_str(counts(&w, id), "ps 1/0/0/0 worker 3/0/0/0", "all of it waits");
	is_int(world_row(&w, id)->resources[0]->amount, 7000, "and asks for the sum");
	world_decide(&w, id, 0, "n1 n1 n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "I6: each is counted as its group says");
	world_decide(&w, id, 0, "n1 n2 n2 n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 4, "with room for each they start");
	is_int(body_of(&w, 0)->resources[0]->amount, 1000, "the first has what its group asks");
	is_int(body_of(&w, 3)->resources[0]->amount, 2000, "the others what theirs does");
	is_str(variable(&w, 2, "ARMADA_GROUP_NAME"), "worker", "a task is told its group");
	is_str(variable(&w, 2, "ARMADA_GROUP_RANK"), "1", "its rank in it");
	is_str(variable(&w, 2, "ARMADA_GROUP_SIZE"), "3", "how many are in it");
	is_str(variable(&w, 2, "ARMADA_GROUP_PS_NODES"), "n1", "and where the others are");
	is_str(variable(&w, 0, "ARMADA_GROUP_WORKER_NODES"), "n2,n2,n3", "by rank");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/3/0/0", "all of it runs");
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
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "as many as the minimum start");
	is_str(variable(&w, 0, "ARMADA_GROUP_NAME"), "ps", "ranks close the gaps");
	is_str(variable(&w, 1, "ARMADA_GROUP_NAME"), "worker", "group by group");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/1/0/0", "and are counted so");
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

static void test_replace(void)
{
	struct test_world w;
	struct pair p;
	uint64_t id, first = VACANCY_IDS;

	world_three(&w);
	pair_init(&p, 2);
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 3);
	is_int(world_orders(&w, ORDER_KILL), 0, "a task that fails ends nobody");
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the others run");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 1/1/0/0", "it waits for a node");
	world_decide(&w, id, 0, "n2 n2 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the job itself does not");
	world_decide(&w, first, 0, "n9");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "a node that is not there");
	world_decide(&w, first, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "a decision on it orders it alone");
	is_int(body_of(&w, 1)->key->attempt, 2, "under an attempt number of its own");
	ok(!world_orders(&w, ORDER_KILL), "and nothing else");
	world_decide(&w, first, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "once");
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/2/0/0",
	       "F7: the end of its first attempt is over");
	world_started(&w, 3, id, 0, 1, 2);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "it has started");
	world_ended(&w, 3, id, 0, 2, 1, END(LOST), 0);
	is_str(counts(&w, id), "ps 0/1/0/0 worker 1/1/0/0", "what is lost is replaced too");
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	is_str(counts(&w, id), "ps 0/0/1/0 worker 1/1/0/0", "who ended well still counts");
	world_decide(&w, first + 1, 0, "n1");
	is_int(body_of(&w, 2)->key->attempt, 3, "no attempt number is used twice");
	world_ended(&w, 1, id, 0, 2, 3, END(EXITED), 0);
	world_ended(&w, 3, id, 0, 1, 2, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "and it ends well when all have");
	world_done(&w);
}

/* The end of the last that runs does not end what still waits for a node. */
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
	is_str(counts(&w, id), "ps 0/0/1/0 worker 1/0/1/0", "it goes on for the one that waits");
	world_cancel(&w, TEST_USER, id);
	is_int(world_ended_as(&w, id, 0), JOB(CANCELLED), "which alone can be cancelled, at once");

	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 1);
	world_preempt(&w, id, 0);
	is_int(world_orders(&w, ORDER_KILL), 2, "who is preempted is so whole");
	world_decide(&w, VACANCY_IDS + 1, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "and starts nothing meanwhile");
	world_ended(&w, 1, id, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "it waits again");
	is_str(counts(&w, id), "ps 1/0/0/0 worker 2/0/0/0", "all of it");
	world_done(&w);
}

/* What is promised to others is no room for it. */
static void test_promised(void)
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
	world_decide(&w, VACANCY_IDS, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "nothing is promised to a single task");
	world_decide(&w, taker, 0, "n3");
	is_int(world_state(&w, taker, 0), JOB(CONFIGURING), "to a job it is");
	world_decide(&w, VACANCY_IDS, 0, "n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "what is promised to others it does not get");
	world_ended(&w, 3, victim, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "the job has it");
	world_decide(&w, VACANCY_IDS, 0, "n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "and the task what nobody has");
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
	is_int(world_orders(&w, ORDER_KILL), 0, "with enough of them the others go on");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 0/2/0/1", "without it");
	world_ended(&w, 3, id, 0, 2, 1, END(SIGNALED), 9);
	is_int(world_orders(&w, ORDER_KILL), 2, "with too few all are ended");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 3, 1, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "and wait again, whole");
	has_str(world_reason(&w, id), "task 2 failed, and 2 of at least 3 are left",
		"and says why");
	world_decide(&w, id, 0, "n1 n2 n3 n3");
	is_int(world_orders(&w, ORDER_LAUNCH), 4, "then all of it starts");
	for (uint32_t i = 0; i < 3; i++)
		world_ended(&w, i + 1, id, 0, i, 2, END(EXITED), 0);
	world_ended(&w, 3, id, 0, 3, 2, END(EXITED), 1);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "enough of them are enough in the end");
	world_done(&w);
}

/* Over and over, up to a limit. */
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
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "a whole that fails each time fails");
	is_int(tries, 5, "after so many tries");

	p.groups[1].replicas = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	p.spec.min_available = 2;
	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 7);
	for (tries = 1; tries < 100 && world_state(&w, id, 0) == JOB(RUNNING); tries++) {
		world_decide(&w, VACANCY_IDS + tries - 1, 0, "n2");
		world_ended(&w, 2, id, 0, 1, tries + 1, END(EXITED), 7);
	}
	is_int(world_state(&w, id, 0), JOB(COMPLETING), "so does a task alone");
	is_int(tries, 5, "after as many");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "and the job with it");
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
	is_int(world_orders(&w, ORDER_KILL), 0, "a service serves on");
	world_ended(&w, 3, id, 0, 2, 1, END(EXITED), 0);
	is_int(world_orders(&w, ORDER_KILL), 1, "until all others have ended");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "and the job has ended well");

	id = run_pair(&w, &p, "n1 n2 n3", 3);
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 2, "one that fails ends the job as any other");
	world_ended(&w, 2, id, 0, 1, 1, END(GANG), 0);
	world_ended(&w, 3, id, 0, 2, 1, END(GANG), 0);
	is_int(world_ended_as(&w, id, 0), JOB(FAILED), "which has failed");
	world_done(&w);
}

/* A task that is lost while its node was silent: the others can be asked, and are not unknown. */
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
	is_int(world_state(&w, id, 0), JOB(UNKNOWN), "a node is silent");
	world_node(&w, 2, "n2", 4, "another boot", 2);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "its machine was restarted: the others run");
	is_str(counts(&w, id), "ps 0/1/0/0 worker 1/1/0/0", "and its task waits for a node");
	world_done(&w);
}

static void refused(struct test_world *w, struct pair *p, const char *says)
{
	is_int((int)submit(w, p), 0, "refused");
	has_str(world_error(w), says, "in words: %s", says);
}

static void test_refused(void)
{
	struct test_world w;
	struct pair p;
	char *env[] = {(char *)"ARMADA_JOB_ID=1"};

	world_three(&w);
	pair_init(&p, 2);
	p.groups[1].name = (char *)"ps";
	refused(&w, &p, "group ps: there is another of that name");
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
	refused(&w, &p, "says nothing of nodes");
	pair_init(&p, 2);
	p.spec.gang_id = (char *)"g";
	p.spec.gang_cardinality = 2;
	refused(&w, &p, "a member of a gang of jobs has one group");
	pair_init(&p, 2);
	p.spec.min_available = 4;
	refused(&w, &p, "at least 4 of 3 tasks cannot be");
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
	refused(&w, &p, "--on-task-failure=restart_job runs tasks again, --no-requeue does not");
	p.spec.on_task_failure = (Armada__TaskFailure)9;
	refused(&w, &p, "does not know what to do when a task fails (9)");
	pair_init(&p, 5);
	p.groups[0].replicas = 3;
	p.spec.min_available = 3;
	ok(submit(&w, &p) != 0, "with a minimum it need not all fit");
	world_done(&w);
}

/* Variables are for the owner's eyes. */
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
	is_int((int)r->spec->groups[1]->n_env, 1, "S11: the owner sees them");
	world_send(&w, OTHER_USER, MSG_SHOW_JOB, &m);
	r = world_reply(&w, MSG_SHOW_JOB_REPLY);
	ok(r && !r->spec->groups[1]->n_env, "S11: nobody else does");
	world_done(&w);
}

int main(void)
{
	test_start();
	test_partial();
	test_replace();
	test_last();
	test_promised();
	test_restart();
	test_limit();
	test_service();
	test_silent();
	test_refused();
	test_secret();
	return done();
}
