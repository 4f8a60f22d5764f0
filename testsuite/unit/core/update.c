/*
 * Updates of pending jobs, and the fields that can be updated while a job runs; requeue of running
 * jobs.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name)   ARMADA__JOB_STATE__JOB_##name
#define END(name)   ARMADA__END_CAUSE__END_##name
#define DEP(name)   ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name
#define FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

static char *const bobs[] = {(char *)"bob"};
static const Armada__QueueSpec queues[] = {
	{QUEUE_SPEC_BEGIN, .name = (char *)"open"},
	{QUEUE_SPEC_BEGIN, .name = (char *)"bobs", .owners = (char **)bobs, .n_owners = 1},
};

static void begin(struct test_world *w)
{
	struct input in = {.kind = INPUT_POLICY};

	world_init(w);
	w->policy.node_timeout_us = INT64_C(1) << 60;
	w->policy.max_time_limit_us = INT64_C(86400000000);
	w->policy.queues = queues;
	w->policy.queue_count = 2;
	in.policy = &w->policy;
	world_feed(w, &in);
	world_node(w, 1, "n1", 8, "boot", 1);
}

/* An update of one job. */
struct change {
	Armada__UpdateJobRequest m;
	Armada__JobFilter filter;
	Armada__JobRange range, *ids[1];
	Armada__JobSpec spec;
	Armada__UpdateJobRequest__Field fields[8];
	Armada__Dependency dep, *deps[1];
	Armada__TaskGroup group, *groups[1];
	Armada__Resource cpu, *resources[1];
};

static void change_init(struct change *x, uint64_t job)
{
	armada__update_job_request__init(&x->m);
	armada__job_filter__init(&x->filter);
	armada__job_range__init(&x->range);
	armada__job_spec__init(&x->spec);
	x->range.first = x->range.last = job;
	x->ids[0] = &x->range;
	x->filter.ids = x->ids;
	x->filter.n_ids = 1;
	x->m.filter = &x->filter;
	x->m.spec = &x->spec;
	x->m.fields = x->fields;
}

static void change_field(struct change *x, Armada__UpdateJobRequest__Field field)
{
	x->fields[x->m.n_fields++] = field;
}

static void change_wait(struct change *x, Armada__DependencyType type, uint64_t job)
{
	armada__dependency__init(&x->dep);
	x->dep.type = type;
	x->dep.job = job;
	x->deps[0] = &x->dep;
	x->spec.dependencies = x->deps;
	x->spec.n_dependencies = 1;
	change_field(x, FIELD(DEPENDENCIES));
}

static void change_cpus(struct change *x, int cpus)
{
	armada__task_group__init(&x->group);
	spec_cpus(&x->group, cpus, &x->cpu, x->resources);
	x->groups[0] = &x->group;
	x->spec.groups = x->groups;
	x->spec.n_groups = 1;
	change_field(x, FIELD(RESOURCES));
}

/* "" if the job was changed, otherwise the problem. */
static const char *change(struct test_world *w, struct change *x, uint32_t uid)
{
	const Armada__UpdateJobReply *r;

	world_send(w, uid, MSG_UPDATE_JOB, &x->m);
	r = world_reply(w, MSG_UPDATE_JOB_REPLY);
	if (!r)
		return world_error(w);
	return r->changed == 1 ? "" : r->n_problems ? r->problems[0] : "nothing";
}

static const Armada__JobSpec *spec_of(struct test_world *w, uint64_t job)
{
	Armada__ShowJobRequest m = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *r;

	m.job = job;
	world_send(w, TEST_USER, MSG_SHOW_JOB, &m);
	r = world_reply(w, MSG_SHOW_JOB_REPLY);
	return r ? r->spec : NULL;
}

static void run(struct test_world *w, uint64_t job, uint32_t element, uint32_t attempt)
{
	world_decide(w, job, element, "n1");
	world_started(w, 1, job, element, 0, attempt);
}

static uint64_t submit_array(struct test_world *w, uint32_t last, uint32_t throttle)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	Armada__TaskGroup group;
	Armada__JobSpec spec;

	spec_init(&spec, &group);
	range.last = last;
	spec.array = ranges;
	spec.n_array = 1;
	spec.array_throttle = throttle;
	return world_submit(w, &spec);
}

static void test_fields(void)
{
	const Armada__JobSpec *s;
	struct test_world w;
	struct change x;
	uint64_t a;

	begin(&w);
	a = world_submit_plain(&w);
	change_init(&x, a);
	x.spec.name = (char *)"another";
	x.spec.priority = -3;
	x.spec.time_limit_s = 7200;
	x.spec.comment = (char *)"later";
	x.spec.queue = (char *)"open";
	x.spec.priority_class = (char *)"armada-preemptible";
	change_field(&x, FIELD(NAME));
	change_field(&x, FIELD(PRIORITY));
	change_field(&x, FIELD(TIME_LIMIT));
	change_field(&x, FIELD(COMMENT));
	change_field(&x, FIELD(QUEUE));
	change_field(&x, FIELD(PRIORITY_CLASS));
	change_cpus(&x, 4);
	is_str(change(&w, &x, TEST_USER), "", "all fields are updated at once");
	s = spec_of(&w, a);
	is_str(s->name, "another", "the name is updated");
	is_int(s->priority, -3, "the priority is updated");
	is_int(s->time_limit_s, 7200, "the time limit is updated");
	is_str(s->queue, "open", "the queue is updated");
	is_str(s->priority_class, "armada-preemptible", "the class is updated");
	is_str(s->comment, "later", "the comment is updated");
	is_int(s->groups[0]->resources[0]->amount + s->groups[0]->resources[1]->amount,
	       4000 + (INT64_C(1) << 30), "the cpus are updated, the memory is kept");
	world_decide(&w, a, 0, "n1");
	is_int(world_state(&w, a, 0), JOB(CONFIGURING), "the job starts with the new values");
	world_done(&w);
}

static void test_refused(void)
{
	struct test_world w;
	struct change x;
	uint64_t a, b;

	begin(&w);
	a = world_submit_plain(&w);
	change_init(&x, a);
	x.spec.priority = 9;
	x.spec.time_limit_s = 2 * 86400;
	change_field(&x, FIELD(PRIORITY));
	change_field(&x, FIELD(TIME_LIMIT));
	has_str(change(&w, &x, TEST_USER), "time", "a time limit above the maximum is refused");
	is_int(spec_of(&w, a)->priority, 0, "the other field of the request is not updated either");
	change_init(&x, a);
	x.spec.queue = (char *)"bobs";
	change_field(&x, FIELD(QUEUE));
	has_str(change(&w, &x, TEST_USER), "may not submit",
		"a queue without permission is refused");
	x.spec.queue = (char *)"";
	has_str(change(&w, &x, TEST_USER), "a job needs a queue", "an empty queue is refused");
	change_init(&x, a);
	change_cpus(&x, 64);
	has_str(change(&w, &x, TEST_USER), "cpu", "a request that no node can hold is refused");
	change_init(&x, a);
	x.spec.priority = 1;
	change_field(&x, FIELD(PRIORITY));
	has_str(change(&w, &x, OTHER_USER), "belongs to ann", "a job of another user is refused");
	change_init(&x, a);
	x.spec.array_throttle = 2;
	change_field(&x, FIELD(THROTTLE));
	has_str(change(&w, &x, TEST_USER), "only for arrays",
		"a throttle of a single job is refused");
	change_init(&x, a);
	has_str(change(&w, &x, TEST_USER), "no fields given",
		"a request without fields is refused");
	run(&w, a, 0, 1);
	change_init(&x, a);
	change_cpus(&x, 2);
	has_str(change(&w, &x, TEST_USER), "the job has started",
		"the cpus of a running job cannot be updated");
	change_init(&x, a);
	change_field(&x, FIELD(COMMENT));
	x.fields[0] = FIELD(COMMENT);
	is_str(change(&w, &x, TEST_USER), "", "its comment can be updated");
	b = submit_array(&w, 3, 0);
	run(&w, b, 0, 1);
	change_init(&x, b);
	change_cpus(&x, 2);
	has_str(change(&w, &x, TEST_USER), "elements of the job run",
		"the cpus of an array with running elements cannot be updated");
	change_init(&x, b);
	x.spec.priority = 4;
	change_field(&x, FIELD(PRIORITY));
	is_str(change(&w, &x, TEST_USER), "", "the priority of such an array can be updated");
	world_done(&w);
}

/* An update of many jobs is split into records of bounded size. */
static void test_many(void)
{
	char *users[] = {(char *)"ann"};
	const Armada__UpdateJobReply *r;
	struct test_world w;
	struct change x;
	uint64_t changed = 0;

	begin(&w);
	for (int i = 0; i < 3000; i++)
		world_submit_plain(&w);
	change_init(&x, 1);
	x.filter.n_ids = 0;
	x.filter.users = users;
	x.filter.n_users = 1;
	x.spec.priority = 2;
	change_field(&x, FIELD(PRIORITY));
	do {
		world_send(&w, TEST_USER, MSG_UPDATE_JOB, &x.m);
		r = world_reply(&w, MSG_UPDATE_JOB_REPLY);
		ok(w.out.decoded->n_events <= 2000, "one record holds a bounded part");
		changed += r->changed;
		x.m.after_id = r->next_after_id;
	} while (r->next_after_id);
	is_int(changed, 3000, "all jobs are updated");
	x.fields[0] = (Armada__UpdateJobRequest__Field)77;
	x.m.after_id = 0;
	has_str(change(&w, &x, TEST_USER), "field 77 is not known", "an unknown field is refused");
	world_done(&w);
}

static void test_gang(void)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct test_world w;
	struct change x;
	uint64_t a, b;

	begin(&w);
	spec_init(&spec, &group);
	spec.gang_id = (char *)"g";
	spec.gang_cardinality = 2;
	a = world_submit(&w, &spec);
	change_init(&x, a);
	change_cpus(&x, 2);
	has_str(change(&w, &x, TEST_USER), "member of gang g",
		"the resources of a gang member cannot be updated");
	change_init(&x, a);
	x.spec.begin_us = w.wall_us + 60000000;
	change_field(&x, FIELD(BEGIN));
	is_str(change(&w, &x, TEST_USER), "", "its begin time can be updated");
	spec_init(&spec, &group);
	spec.gang_id = (char *)"g";
	spec.gang_cardinality = 2;
	b = world_submit(&w, &spec);
	change_init(&x, b);
	change_wait(&x, DEP(AFTEROK), a);
	has_str(change(&w, &x, TEST_USER), "start together",
		"a dependency on another member of the gang is refused");
	world_decide(&w, a, 0, "n1 n1");
	is_int(world_state(&w, a, 0), JOB(PENDING), "the whole gang waits for the begin time");
	world_tick(&w, 61000000);
	world_decide(&w, a, 0, "n1 n1");
	is_int(world_state(&w, a, 0), JOB(CONFIGURING), "the gang starts after it");
	world_done(&w);
}

static void test_waits(void)
{
	struct test_world w;
	struct change x;
	uint64_t a, b, c;

	begin(&w);
	a = world_submit_plain(&w);
	b = world_submit_plain(&w);
	c = world_submit_plain(&w);
	change_init(&x, a);
	change_wait(&x, DEP(AFTEROK), b);
	is_str(change(&w, &x, TEST_USER), "", "the first job gets a dependency on the second");
	world_decide(&w, a, 0, "n1");
	is_int(world_state(&w, a, 0), JOB(PENDING), "it does not start");
	change_init(&x, b);
	change_wait(&x, DEP(AFTERANY), c);
	is_str(change(&w, &x, TEST_USER), "", "the second job gets a dependency on the third");
	change_init(&x, c);
	change_wait(&x, DEP(AFTERANY), a);
	has_str(change(&w, &x, TEST_USER), "wait for itself",
		"a dependency of the third on the first is refused");
	change_init(&x, c);
	change_wait(&x, DEP(AFTERANY), c);
	has_str(change(&w, &x, TEST_USER), "wait for itself", "a dependency on itself is refused");
	change_init(&x, a);
	change_field(&x, FIELD(DEPENDENCIES));
	is_str(change(&w, &x, TEST_USER), "", "the dependency is removed");
	run(&w, a, 0, 1);
	is_int(world_state(&w, a, 0), JOB(RUNNING), "the job runs");
	world_ended(&w, 1, a, 0, 0, 1, END(EXITED), 1);
	change_init(&x, b);
	change_wait(&x, DEP(AFTERNOTOK), a);
	is_str(change(&w, &x, TEST_USER), "", "a dependency on an ended job is accepted");
	world_decide(&w, b, 0, "n1");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the job had failed, so afternotok holds");
	change_init(&x, c);
	change_wait(&x, DEP(AFTEROK), a);
	x.spec.keep_invalid_dependency = true;
	change_field(&x, FIELD(KEEP_INVALID));
	is_str(change(&w, &x, TEST_USER), "", "a dependency that can never hold is accepted");
	is_int(world_state(&w, c, 0), JOB(PENDING), "the job is kept, as requested");
	change_init(&x, c);
	x.spec.begin_us = w.wall_us + 5000000;
	change_field(&x, FIELD(DEPENDENCIES));
	change_field(&x, FIELD(BEGIN));
	is_str(change(&w, &x, TEST_USER), "", "it gets a begin time instead");
	world_tick(&w, 6000000);
	world_decide(&w, c, 0, "n1");
	is_int(world_state(&w, c, 0), JOB(CONFIGURING), "it starts at that time");
	world_done(&w);
}

static void test_throttle(void)
{
	struct test_world w;
	struct change x;
	uint64_t a;

	begin(&w);
	a = submit_array(&w, 5, 3);
	for (uint32_t e = 0; e < 4; e++)
		world_decide(&w, a, e, "n1");
	is_int(world_state(&w, a, 2), JOB(CONFIGURING), "three elements run");
	is_int(world_state(&w, a, 3), JOB(PENDING), "a fourth element does not start");
	change_init(&x, a);
	x.spec.array_throttle = 1;
	change_field(&x, FIELD(THROTTLE));
	is_str(change(&w, &x, TEST_USER), "", "the throttle is lowered while they run");
	world_ended(&w, 1, a, 0, 0, 1, END(EXITED), 0);
	world_decide(&w, a, 3, "n1");
	is_int(world_state(&w, a, 3), JOB(PENDING), "two running elements are still too many");
	world_ended(&w, 1, a, 1, 0, 1, END(EXITED), 0);
	world_ended(&w, 1, a, 2, 0, 1, END(EXITED), 0);
	world_decide(&w, a, 3, "n1");
	is_int(world_state(&w, a, 3), JOB(CONFIGURING), "when no element runs, one may start");
	world_done(&w);
}

static const Armada__RequeueReply *requeue(struct test_world *w, uint64_t job, bool hold)
{
	Armada__RequeueRequest m = ARMADA__REQUEUE_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};

	r.first = r.last = job;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	m.hold = hold;
	world_send(w, TEST_USER, MSG_REQUEUE, &m);
	return world_reply(w, MSG_REQUEUE_REPLY);
}

static void test_requeue(void)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct test_world w;
	uint64_t a, b;

	begin(&w);
	a = world_submit_plain(&w);
	is_int(requeue(&w, a, false)->waiting, 1, "a pending job is counted as pending");
	for (uint32_t i = 1; i <= 20; i++) {
		run(&w, a, 0, i);
		is_int(requeue(&w, a, false)->requeued, 1, "requeue %u", i);
		is_int(world_state(&w, a, 0), JOB(COMPLETING), "the job is being ended");
		world_ended(&w, 1, a, 0, 0, i, END(CANCELLED), 0);
		is_int(world_state(&w, a, 0), JOB(PENDING), "it is pending again");
	}
	run(&w, a, 0, 21);
	is_int(requeue(&w, a, true)->requeued, 1, "after twenty requeues requeuehold is accepted");
	world_ended(&w, 1, a, 0, 0, 21, END(CANCELLED), 0);
	world_decide(&w, a, 0, "n1");
	is_int(world_state(&w, a, 0), JOB(PENDING), "the job is held");
	spec_init(&spec, &group);
	spec.no_requeue = true;
	b = world_submit(&w, &spec);
	run(&w, b, 0, 1);
	is_int(requeue(&w, b, false)->refused, 1, "a job without requeue is refused");
	is_int(world_state(&w, b, 0), JOB(RUNNING), "it continues");
	is_int(requeue(&w, 4711, false)->n_missing, 1, "an unknown job is counted as missing");
	world_done(&w);
}

/*
 * Each renamed job is searched among 2000 jobs of one name, so one input does not rename all jobs.
 */
static void test_renames(void)
{
	static char one[] = "one", other[] = "other";
	Armada__TaskGroup group;
	char *names[] = {one};
	uint32_t changed = 0;
	struct test_world w;
	struct change x;
	int pages = 0;

	begin(&w);
	for (int i = 0; i < 2800; i++) {
		Armada__JobSpec spec;

		spec_init(&spec, &group);
		spec.name = i < 800 ? one : other;
		world_submit(&w, &spec);
	}
	change_init(&x, 1);
	x.filter.n_ids = 0;
	x.filter.names = names;
	x.filter.n_names = 1;
	change_field(&x, FIELD(NAME));
	x.spec.name = other;
	do {
		const Armada__UpdateJobReply *r;

		world_send(&w, TEST_USER, MSG_UPDATE_JOB, &x.m);
		r = world_reply(&w, MSG_UPDATE_JOB_REPLY);
		if (!r)
			break;
		changed += r->changed;
		x.m.after_id = r->next_after_id;
	} while (++pages < 100 && x.m.after_id);
	is_int(changed, 800, "all jobs are renamed");
	ok(pages > 1, "in %d inputs", pages);
	world_done(&w);
}

int main(void)
{
	test_fields();
	test_refused();
	test_many();
	test_gang();
	test_waits();
	test_throttle();
	test_requeue();
	test_renames();
	return done();
}
