/*
 * Reconfiguration: a dry run reports the changes and applies none; a reconfiguration applies them
 * and ends no running job.
 */
#include "fixture.h"
#include "node_rig.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

#define QUEUE(n, factor) QUEUE_SPEC_BEGIN, .name = (char *)n, .priority_factor = factor

static const Armada__QueueSpec before[] = {
	{QUEUE("long", 2), .default_time_s = 3600},
	{QUEUE("gone", 1)},
};
static char *const ann[] = {(char *)"ann"};
static const Armada__QueueSpec after[] = {
	{QUEUE("long", 3), .owners = (char **)ann, .n_owners = 1, .cordoned = true,
	 .set_cordoned = true},
	{QUEUE("hand", 1)}, /* cordoned is not set */
	{QUEUE("new", 5), .lease_s = 86400},
};

static void feed(struct test_world *w, const struct core_policy *policy,
		 const struct conf_changes *changes, bool dry_run)
{
	struct input in = {.kind = INPUT_POLICY,
			   .policy = policy,
			   .changes = changes,
			   .dry_run = dry_run,
			   .conn = 9,
			   .request = 1};

	world_feed(w, &in);
}

/* "before > after: note" of one row of the last reply; "" if there is none. */
static const char *row(struct test_world *w, const char *what, const char *key)
{
	const Armada__ReconfigureReply *r = world_reply(w, MSG_RECONFIGURE_REPLY);

	for (size_t i = 0; r && i < r->n_changes; i++) {
		const Armada__ConfChange *c = r->changes[i];

		if (!strcmp(c->what, what) && !strcmp(c->key, key))
			return arena_printf(w->arena, "%s > %s: %s", c->before, c->after, c->note);
	}
	return "";
}

static uint64_t submit(struct test_world *w, const char *queue, const char *class)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec.queue = (char *)queue;
	spec.priority_class = (char *)class;
	return world_submit(w, &spec);
}

static void make_queue(struct test_world *w, Armada__QueueRequest__Verb verb, const char *name,
		       double factor)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec q = ARMADA__QUEUE_SPEC__INIT;

	m.verb = verb;
	m.spec = &q;
	q.name = (char *)name;
	q.priority_factor = factor;
	world_send(w, ADMIN_USER, MSG_QUEUE, &m);
}

static void test_dry_run(struct test_world *w, const struct core_policy *next)
{
	uint8_t is[32], was[32];

	core_hash(w->core, was);
	feed(w, next, NULL, true);
	ok(!w->out.record, "a dry run writes no record");
	core_hash(w->core, is);
	ok(!memcmp(is, was, sizeof(is)), "a dry run changes nothing");
	is_str(row(w, "queue long", "priority_factor"),
	       "7 > 3: 1 job runs in it: running jobs continue", "before is the current value");
	is_str(row(w, "queue long", "owners"),
	       " > [\"ann\"]: 1 job runs in it: running jobs continue",
	       "a new value has no value before");
	is_str(row(w, "queue long", "default_time"),
	       "\"1h\" > : 1 job runs in it: running jobs continue",
	       "a removed value has no value after");
	is_str(row(w, "queue gone", "declared"),
	       "true > false: the queue is kept, 1 job runs and 1 waits; actl queue delete removes "
	       "it once it is empty",
	       "a queue that the new armada.conf does not declare has its note");
	has_str(row(w, "queue hand", "declared"), "false > true: it was created by a request",
		"a queue that the new armada.conf declares has its note");
	is_str(row(w, "queue new", ""),
	       " > { priority_factor = 5; lease = \"1d\"; }: ", "the reply has a new queue");
}

static void test_in_file(struct test_world *w, const struct core_policy *next)
{
	static const char *const class[] = {"armada-preemptible"}, *const rate[] = {"rate"},
				 *const nodes[] = {"n1", "n2"}, *const dir[] = {"state_dir"};
	struct conf_change list[] = {
		{NULL, "", dir, 1, "", "\"a\"", "\"b\"", true},
		{NULL, "scheduler", rate, 1, "", "0", "5", false},
		{"priority_classes", NULL, class, 1, "", "{ }", "", false},
		{"priority_classes", NULL, class, 1, "users", "[\"ann\"]", "", false},
		{"nodes", NULL, nodes, 2, "gpus", "0", "1", false},
		{"queues", NULL, rate, 1, "", "", "{ }", false},
	};
	const struct conf_changes changes = {list, ARRAY_SIZE(list)};
	const Armada__ReconfigureReply *r;

	feed(w, next, &changes, true);
	r = world_reply(w, MSG_RECONFIGURE_REPLY);
	ok(r && r->n_changes && r->changes[0]->refused,
	   "a change that needs a restart is marked as refused");
	is_str(row(w, "state_dir", ""), "\"a\" > \"b\": needs a restart of armctld",
	       "its note says so");
	is_str(row(w, "scheduler.rate", ""), "0 > 5: running jobs continue",
	       "the reply has a changed option");
	has_str(row(w, "priority class armada-preemptible", ""),
		"{ } > : 1 job runs in it: they keep the class",
		"a removed class has the number of its running jobs");
	is_str(row(w, "priority class armada-preemptible", "users"),
	       "[\"ann\"] > : applies to submissions and updates from now on; jobs in it keep the class",
	       "users of a class that are removed do not remove the class");
	is_str(row(w, "node n[1-2]", "gpus"), "0 > 1: 3 tasks there: they continue",
	       "changed nodes have the number of their tasks");
	is_str(row(w, "queues rate", ""), "",
	       "queues are compared with the state, not with the former file");
}

static void test_taken(struct test_world *w, const struct core_policy *next, const uint64_t *jobs)
{
	const Armada__OkReply *r;

	feed(w, next, NULL, false);
	r = world_reply(w, MSG_OK);
	has_str(r ? r->text : "", "queue long priority_factor", "the reply lists the changes");
	has_str(r ? r->text : "", "queue new", "it lists all of them");
	for (int i = 0; i < 3; i++)
		is_int(world_state(w, jobs[i], 0), JOB(RUNNING), "job %d runs", i);
	is_int(world_orders(w, ORDER_KILL), 0, "no task is killed");
	is_int(world_state(w, jobs[3], 0), JOB(PENDING), "a pending job stays pending");
	feed(w, next, NULL, true);
	is_int((int)((const Armada__ReconfigureReply *)world_reply(w, MSG_RECONFIGURE_REPLY))
		       ->n_changes,
	       0, "a second reconfigure changes nothing");
	make_queue(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_DELETE, "new", 0);
	has_str(world_error(w), "is declared in armada.conf", "a declared queue cannot be deleted");
	make_queue(w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_DELETE, "gone", 0);
	has_str(world_error(w), "queue 'gone' holds 2 jobs: 1 running, 1 waiting",
		"a queue with jobs cannot be deleted");
	ok(submit(w, "gone", "armada-preemptible") == 0, "a removed class accepts no new jobs");
}

/*
 * A node that is not declared any more may register while it has tasks; otherwise their leases
 * would end, and the tasks with them.
 */
static void test_node_not_named(struct test_world *w, struct core_policy *next,
				const uint64_t *jobs)
{
	next->closed = true;
	feed(w, next, NULL, false);
	has_str(node_row(w, "n1")->reason, "no longer among the nodes of armada.conf",
		"a node that is not declared is drained");
	is_int(world_state(w, jobs[0], 0), JOB(RUNNING), "its running job continues");
	world_closed(w, 1);
	world_node(w, 1, "n1", 4, "boot1", 1);
	is_str(world_error(w), "", "it may register while it has tasks");
	for (int i = 0; i < 3; i++)
		world_ended(w, i < 2 ? 1 : 2, jobs[i], 0, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	world_closed(w, 2);
	world_node(w, 2, "n2", 4, "boot2", 2);
	has_str(world_error(w), "agents.auto_register", "it may not register without tasks");
	next->closed = false;
	feed(w, next, NULL, false);
	is_int(node_row(w, "n1")->state, ARMADA__NODE_STATE__NODE_UP,
	       "it is up when it is allowed again");
}

static void run(struct test_world *w, uint64_t job, uint64_t conn, const char *node)
{
	world_decide(w, job, 0, node);
	world_started(w, conn, job, 0, 0, 1);
}

int main(void)
{
	struct test_world w;
	struct core_policy first, next;
	uint64_t jobs[4];

	world_init(&w);
	first = w.policy;
	first.queues = before;
	first.queue_count = ARRAY_SIZE(before);
	feed(&w, &first, NULL, false);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	make_queue(&w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, "hand", 1);
	make_queue(&w, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, "long", 7);
	has_str(((const Armada__OkReply *)world_reply(&w, MSG_OK))->text,
		"the next reconfiguration sets the values of armada.conf again",
		"the reply says how long an update by actl lasts");
	jobs[0] = submit(&w, "long", "");
	jobs[1] = submit(&w, "gone", "armada-preemptible");
	jobs[2] = submit(&w, "hand", "");
	jobs[3] = submit(&w, "gone", "");
	run(&w, jobs[0], 1, "n1");
	run(&w, jobs[1], 1, "n1");
	run(&w, jobs[2], 2, "n2");
	next = w.policy;
	next.queues = after;
	next.queue_count = ARRAY_SIZE(after);
	next.class_count = 1;
	test_dry_run(&w, &next);
	test_in_file(&w, &next);
	test_taken(&w, &next, jobs);
	test_node_not_named(&w, &next, jobs);
	w.policy = next;
	world_done(&w);
	return done();
}
