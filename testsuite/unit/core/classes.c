/*
 * Priority classes that only some may ask for: at a submission, by default and in an update; their
 * listing; and which default classes a state keeps.
 */
#include "fixture.h"
#include "tap/tap.h"

#include <stdlib.h>
#include <string.h>

static const char *const bob[] = {"bob"}, *const people[] = {"people"};

/* The second class is for these; restricted: with an empty list for administrators only. */
static void begin(struct test_world *w, struct core_class *rules, bool restricted, size_t users,
		  size_t groups)
{
	struct input in = {.kind = INPUT_POLICY};

	world_init(w);
	memset(rules, 0, 2 * sizeof(*rules));
	rules[1] = (struct core_class){.people = {.restricted = restricted,
						  .users = bob,
						  .user_count = users,
						  .groups = people,
						  .group_count = groups}};
	w->policy.class_rules = rules;
	w->policy.allow_root_jobs = true;
	in.policy = &w->policy;
	world_feed(w, &in);
}

/* Submits a job of this class as this user; "": the default. Returns its id; 0: refused. */
static uint64_t submit(struct test_world *w, uint32_t uid, const char *queue, const char *class)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	const Armada__SubmitReply *r;
	Armada__TaskGroup group;
	Armada__JobSpec spec, *specs[] = {&spec};

	spec_init(&spec, &group);
	spec.queue = (char *)queue;
	spec.priority_class = (char *)class;
	m.jobs = specs;
	m.n_jobs = 1;
	world_send(w, uid, MSG_SUBMIT, &m);
	r = world_reply(w, MSG_SUBMIT_REPLY);
	return r ? r->ids[0] : 0;
}

static void update(struct test_world *w, uint32_t uid, uint64_t job, const char *class)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	Armada__UpdateJobRequest__Field fields[] = {
		ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_PRIORITY_CLASS};

	range.first = range.last = job;
	filter.ids = ids;
	filter.n_ids = 1;
	spec.priority_class = (char *)class;
	m.filter = &filter;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1;
	world_send(w, uid, MSG_UPDATE_JOB, &m);
}

static int refusal_code(struct test_world *w)
{
	const Armada__ErrorReply *e = world_reply(w, MSG_ERROR);

	return e ? e->code : 0;
}

static void test_submit(void)
{
	struct core_class rules[2];
	struct test_world w;

	begin(&w, rules, true, 0, 0);
	ok(!submit(&w, TEST_USER, "", "armada-preemptible"), "a user is refused");
	is_int(refusal_code(&w), 4, "the exit code is that of a missing right");
	is_str(world_error(&w),
	       "priority class 'armada-preemptible' is only for administrators: you may use "
	       "armada-default",
	       "the message has the classes that the user may use");
	ok(submit(&w, ADMIN_USER, "", "armada-preemptible"), "an administrator is accepted: %s",
	   world_error(&w));
	ok(submit(&w, TEST_USER, "", "armada-default"), "other classes stay open");
	ok(!submit(&w, TEST_USER, "", "armada-preempt"), "a class that does not exist is refused");
	is_str(world_error(&w),
	       "priority class 'armada-preempt' does not exist: expected one of armada-default",
	       "a class that the user may not use is not suggested");
	world_done(&w);
	begin(&w, rules, true, 1, 0);
	ok(submit(&w, OTHER_USER, "", "armada-preemptible"), "a named user is accepted: %s",
	   world_error(&w));
	ok(!submit(&w, TEST_USER, "", "armada-preemptible"), "another user is refused");
	is_str(world_error(&w),
	       "priority class 'armada-preemptible' is only for administrators and those whom "
	       "armada.conf names for it: you may use armada-default",
	       "the message says who may");
	world_done(&w);
	begin(&w, rules, true, 0, 1);
	ok(submit(&w, TEST_USER, "", "armada-preemptible"), "a member of a group is accepted: %s",
	   world_error(&w));
	world_done(&w);
	begin(&w, rules, false, 0, 0);
	ok(submit(&w, TEST_USER, "", "armada-preemptible"),
	   "a class that is not restricted is open: %s", world_error(&w));
	world_done(&w);
}

static void test_default(void)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec queue = ARMADA__QUEUE_SPEC__INIT;
	struct core_class rules[2];
	struct test_world w;

	begin(&w, rules, true, 0, 0);
	queue.name = (char *)"physics";
	queue.priority_factor = 1;
	queue.default_class = (char *)"armada-preemptible";
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &queue;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(!submit(&w, TEST_USER, "physics", ""), "a default that the user may not use is refused");
	is_str(world_error(&w),
	       "priority class 'armada-preemptible', the default here, is only for "
	       "administrators: you may use armada-default",
	       "the message says that it is the default");
	ok(submit(&w, TEST_USER, "physics", "armada-default"),
	   "with another class the job is accepted: %s", world_error(&w));
	world_done(&w);
}

static void test_update(void)
{
	const Armada__UpdateJobReply *r;
	struct core_class rules[2];
	struct test_world w;
	uint64_t id;

	begin(&w, rules, true, 0, 0);
	id = submit(&w, TEST_USER, "", "armada-default");
	update(&w, TEST_USER, id, "armada-preemptible");
	r = world_reply(&w, MSG_UPDATE_JOB_REPLY);
	ok(r && r->refused == 1 && r->n_problems == 1, "an update to the class is refused");
	ok(r && strstr(r->problems[0], "only for administrators: you may use armada-default"),
	   "the message has the classes that the user may use");
	update(&w, ADMIN_USER, id, "armada-preemptible");
	is_str(world_row(&w, id)->priority_class, "armada-preemptible",
	       "an administrator changes the class of another user's job");
	world_done(&w);
}

static void test_list(void)
{
	const Armada__ClassesRequest m = ARMADA__CLASSES_REQUEST__INIT;
	const Armada__ClassesReply *r;
	struct core_class rules[2];
	struct test_world w;

	begin(&w, rules, true, 1, 0);
	world_send(&w, TEST_USER, MSG_CLASSES, &m);
	r = world_reply(&w, MSG_CLASSES_REPLY);
	ok(r && r->n_rows == 2, "the classes are listed");
	if (r && r->n_rows == 2) {
		ok(r->rows[0]->is_default && r->rows[0]->usable && !r->rows[0]->restricted,
		   "the default class is open");
		ok(!r->rows[1]->is_default && !r->rows[1]->usable && r->rows[1]->restricted &&
			   r->rows[1]->n_users == 1,
		   "the other is restricted to one user");
	}
	world_send(&w, OTHER_USER, MSG_CLASSES, &m);
	r = world_reply(&w, MSG_CLASSES_REPLY);
	ok(r && r->rows[1]->usable, "that user may use it");
	world_done(&w);
}

/* Makes the first record that of a release that did not write which classes are the default. */
static void age(struct test_world *w)
{
	struct stored_record *first = &w->records[0];
	Armada__Record *r =
		msg_unpack_own(&armada__record__descriptor, first->data, first->len, w->arena);
	CLEANUP_BUF struct buf packed = {0};

	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i]->kind_case == ARMADA__EVENT__KIND_EPOCH_BEGAN)
			r->events[i]->epoch_began->class_defaults = 0;
	msg_pack(&r->base, &packed);
	free(first->data);
	first->data = packed.data;
	first->len = packed.len;
	packed = (struct buf){0};
}

static bool keeps_old(const struct test_world *w)
{
	struct core *core = core_new(&w->policy);
	struct output out;
	struct err err = {""};
	bool keeps;

	for (size_t i = 0; i < w->record_count; i++)
		if (core_replay(core, w->records[i].data, w->records[i].len, &out, &err) < 0)
			bail("%s", err.text);
	keeps = core_keeps_old_classes(core);
	core_free(core);
	return keeps;
}

static void test_old_state(void)
{
	struct core *empty;
	struct test_world w;

	world_init(&w);
	empty = core_new(&w.policy);
	ok(!core_keeps_old_classes(empty), "a new cluster has the shipped classes");
	core_free(empty);
	ok(!keeps_old(&w), "and keeps them");
	age(&w);
	ok(keeps_old(&w), "a state of an earlier release keeps its classes");
	world_restart(&w);
	ok(keeps_old(&w), "also after another start");
	w.policy.classes_listed = true;
	world_restart(&w);
	ok(!keeps_old(&w), "until a configuration has classes");
	w.policy.classes_listed = false;
	world_restart(&w);
	ok(!keeps_old(&w), "and not again after that");
	world_done(&w);
}

int main(void)
{
	test_submit();
	test_default();
	test_update();
	test_list();
	test_old_state();
	return done();
}
