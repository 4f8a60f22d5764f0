/*
 * Queues: stored fields, refused ones, several at once, the defaults of their jobs, and limits on
 * pending elements and submissions.
 */
#include "core/admission/running_quota.h"
#include "core/state/queue.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB(name) ARMADA__QUEUE_REQUEST__VERB__QUEUE_##name
#define KIND(name) ARMADA__LIMIT_KIND__LIMIT_##name

/* A queue with every kind of field. */
struct full {
	Armada__QueueSpec spec;
	Armada__Fraction half, quarter;
	Armada__Fraction *limits[1], *parts[1];
	Armada__ClassLimit class_limit, *class_limits[1];
	Armada__Limit quota[2], user_quota[1], *quota_list[2], *user_quota_list[1];
	Armada__Resource memory, *resources[1];
	Armada__Label label, *labels[1];
	Armada__Permission permission, *permissions[1];
	Armada__QueueVerb verbs[2];
	char *owners[1], *groups[1];
};

static void full_init(struct full *f, const char *name)
{
	memset(f, 0, sizeof(*f));
	armada__queue_spec__init(&f->spec);
	armada__fraction__init(&f->half);
	armada__fraction__init(&f->quarter);
	armada__class_limit__init(&f->class_limit);
	armada__resource__init(&f->memory);
	armada__label__init(&f->label);
	armada__permission__init(&f->permission);
	for (size_t i = 0; i < 2; i++)
		armada__limit__init(&f->quota[i]);
	armada__limit__init(&f->user_quota[0]);
	f->half = (Armada__Fraction){f->half.base, (char *)"cpu", 0.5};
	f->quarter = (Armada__Fraction){f->quarter.base, (char *)"memory", 0.25};
	f->limits[0] = &f->half;
	f->parts[0] = &f->quarter;
	f->class_limit.priority_class = (char *)"armada-default";
	f->class_limit.limits = f->parts;
	f->class_limit.n_limits = 1;
	f->class_limits[0] = &f->class_limit;
	f->quota[0].kind = KIND(WAITING);
	f->quota[0].value = 100;
	f->quota[1].kind = KIND(RUNNING);
	f->quota[1].value = 7;
	f->user_quota[0].kind = KIND(CPU);
	f->user_quota[0].value = 2000;
	f->quota_list[0] = &f->quota[0];
	f->quota_list[1] = &f->quota[1];
	f->user_quota_list[0] = &f->user_quota[0];
	f->memory.name = (char *)"memory";
	f->memory.amount = INT64_C(4) << 30;
	f->resources[0] = &f->memory;
	f->label.key = (char *)"site";
	f->label.value = (char *)"a";
	f->labels[0] = &f->label;
	f->verbs[0] = ARMADA__QUEUE_VERB__QUEUE_MAY_WATCH;
	f->verbs[1] = ARMADA__QUEUE_VERB__QUEUE_MAY_SUBMIT;
	f->permission.kind = ARMADA__SUBJECT_KIND__SUBJECT_GROUP;
	f->permission.name = (char *)"people";
	f->permission.verbs = f->verbs;
	f->permission.n_verbs = 2;
	f->permissions[0] = &f->permission;
	f->owners[0] = (char *)"bob";
	f->groups[0] = (char *)"staff";
	f->spec.name = (char *)name;
	f->spec.priority_factor = 2;
#define LIST(field, list, n) (f->spec.field = list, f->spec.n_##field = n)
	LIST(limits, f->limits, 1);
	LIST(class_limits, f->class_limits, 1);
	LIST(quota, f->quota_list, 2);
	LIST(user_quota, f->user_quota_list, 1);
	LIST(default_resources, f->resources, 1);
	LIST(labels, f->labels, 1);
	LIST(permissions, f->permissions, 1);
	LIST(owners, f->owners, 1);
	LIST(group_owners, f->groups, 1);
#undef LIST
	f->spec.default_class = (char *)"armada-preemptible";
	f->spec.default_time_s = 3600;
	f->spec.max_time_s = 7200;
	f->spec.lease_s = 600;
}

static void send_as(struct test_world *w, uint32_t uid, int verb, Armada__QueueSpec *spec)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;

	m.verb = verb;
	m.spec = spec;
	world_send(w, uid, MSG_QUEUE, &m);
}

static void send(struct test_world *w, int verb, Armada__QueueSpec *spec)
{
	send_as(w, ADMIN_USER, verb, spec);
}

static const Armada__QueueSpec *shown(struct test_world *w, const char *name)
{
	Armada__ListQueuesRequest m = ARMADA__LIST_QUEUES_REQUEST__INIT;
	const Armada__ListQueuesReply *r;
	char *names[1] = {(char *)name};

	m.names = names;
	m.n_names = 1;
	world_send(w, TEST_USER, MSG_LIST_QUEUES, &m);
	r = world_reply(w, MSG_LIST_QUEUES_REPLY);
	return r && r->n_queues ? r->queues[0]->spec : NULL;
}

static void test_kept(void)
{
	const Armada__QueueSpec *is;
	struct test_world w;
	struct full f;

	world_init(&w);
	full_init(&f, "physics");
	send(&w, VERB(CREATE), &f.spec);
	is_str(world_error(&w), "", "a queue with every field is created");
	is_int(w.asked_names, 1, "its users and groups were looked up");
	is = shown(&w, "physics");
	ok(is && is->priority_factor == 2 && is->n_owners == 1 && is->n_group_owners == 1 &&
		   is->n_labels == 1 && !strcmp(is->labels[0]->value, "a") &&
		   is->n_permissions == 1 && is->permissions[0]->n_verbs == 2,
	   "the reply has its owners, labels and permissions");
	ok(is && is->n_quota == 2 && is->quota[0]->kind == KIND(RUNNING) &&
		   is->quota[1]->value == 100 && is->n_user_quota == 1 && is->n_class_limits == 1 &&
		   is->class_limits[0]->limits[0]->part == 0.25,
	   "the reply has its limits, sorted by kind");
	ok(is && !strcmp(is->default_class, "armada-preemptible") && is->n_default_resources == 1 &&
		   is->default_time_s == 3600 && is->lease_s == 600 && !is->declared,
	   "the reply has its defaults");
	world_restart(&w);
	is = shown(&w, "physics");
	ok(is && is->n_quota == 2 && is->n_labels == 1 && is->n_class_limits == 1,
	   "a restarted controller has all of it");
	armada__queue_spec__init(&f.spec);
	f.spec.name = (char *)"physics";
	f.spec.set_labels = true;
	f.spec.set_quota = true;
	f.spec.quota = f.quota_list;
	f.spec.n_quota = 1;
	f.quota[0].value = -1;
	f.spec.set_default_class = true;
	send(&w, VERB(UPDATE), &f.spec);
	is = shown(&w, "physics");
	ok(is && !is->n_labels && is->n_quota == 1 && is->quota[0]->kind == KIND(RUNNING) &&
		   !is->default_class[0] && is->n_user_quota == 1 && is->n_owners == 1 &&
		   is->priority_factor == 2,
	   "an update replaces the named fields and no other");
	f.spec.set_labels = f.spec.set_quota = f.spec.set_default_class = false;
	send(&w, VERB(UPDATE), &f.spec);
	is_str(world_error(&w), "queue 'physics': no fields given",
	       "an update without fields is refused");
	send(&w, VERB(DELETE), &f.spec);
	ok(!shown(&w, "physics"), "the queue is deleted");
	world_done(&w);
}

/* A single wrong field. */
struct wrong {
	const char *says;
	void (*make)(struct full *f);
};

#define WRONG(name, ...)                                                                           \
	static void wrong_##name(struct full *f)                                                   \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
WRONG(name, f->spec.name = (char *)"a b")
WRONG(factor, f->spec.priority_factor = -1)
WRONG(nan, f->spec.priority_factor = NAN)
WRONG(part, f->half.part = 1.5)
WRONG(resource, f->half.resource = (char *)"disk")
WRONG(class_name, f->class_limit.priority_class = (char *)"armada-defualt")
WRONG(class_far, f->class_limit.priority_class = (char *)"nice")
WRONG(class_part, f->quarter.part = -0.5)
WRONG(class_empty, f->class_limit.n_limits = 0)
WRONG(default_class, f->spec.default_class = (char *)"nice")
WRONG(amount, f->memory.amount = 0)
WRONG(amount_name, f->memory.name = (char *)"mem")
WRONG(kind, f->quota[0].kind = 99)
WRONG(above, f->quota[0].value = INT64_C(1) << 60)
WRONG(twice, f->quota[1].kind = KIND(WAITING))
WRONG(burst, f->user_quota[0].kind = KIND(SUBMIT_BURST))
WRONG(label, f->label.key = (char *)"a b")
WRONG(verb, f->verbs[0] = 9)
WRONG(verbs, f->permission.n_verbs = 0)
WRONG(subject, f->permission.kind = 9)
WRONG(owner_word, f->owners[0] = (char *)"a b")
WRONG(owner, f->owners[0] = (char *)"no-anne")
WRONG(group, f->groups[0] = (char *)"no-group")
WRONG(permitted, f->permission.name = (char *)"no-people")
WRONG(away, f->owners[0] = (char *)"ldap-ann")
WRONG(times, f->spec.default_time_s = 8000)
WRONG(lease, f->spec.lease_s = 10)

static const struct wrong wrongs[] = {
	{"a queue's name has 1 to 64 letters", wrong_name},
	{"-1 is not a priority factor: expected 0.000001 to 1000000", wrong_factor},
	{"not a priority factor", wrong_nan},
	{"cpu: 1.5 is not a fraction of the cluster: expected 0 to 1", wrong_part},
	{"'disk' is not a resource: expected cpu, memory or gpu", wrong_resource},
	{"'armada-defualt' does not exist; did you mean 'armada-default'?", wrong_class_name},
	{"'nice' does not exist: expected one of armada-default, armada-preemptible",
	 wrong_class_far},
	{"class armada-default: limit: memory: -0.5 is not a fraction", wrong_class_part},
	{"no limit is given for it", wrong_class_empty},
	{"default class: priority class 'nice' does not exist", wrong_default_class},
	{"default resources: 0 is not an amount", wrong_amount},
	{"default resources: 'mem' is not a resource", wrong_amount_name},
	{"limit 99 is not known", wrong_kind},
	{"max_waiting: 1152921504606846976 is out of range: expected 0 to", wrong_above},
	{"max_waiting is given twice", wrong_twice},
	{"for each user: submit_burst needs submit_rate", wrong_burst},
	{"is not a label: expected \"key=value\"", wrong_label},
	{"permissions: ", wrong_verb},
	{"permissions: ", wrong_verbs},
	{"permissions: ", wrong_subject},
	{"owners: 'a b' is not the name of a user", wrong_owner_word},
	{"there is no user \"no-anne\" on the controller's machine", wrong_owner},
	{"there is no group \"no-group\" on the controller's machine", wrong_group},
	{"there is no group \"no-people\" on the controller's machine", wrong_permitted},
	{"user \"ldap-ann\" could not be looked up", wrong_away},
	{"default time, 02:13:20, is longer than its max time", wrong_times},
	{"lease: must be longer than the 60 s", wrong_lease},
};

static void test_refused(void)
{
	struct test_world w;

	world_init(&w);
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		struct full f;

		full_init(&f, "physics");
		wrongs[i].make(&f);
		send(&w, VERB(CREATE), &f.spec);
		has_str(world_error(&w), wrongs[i].says, "refused: %s", wrongs[i].says);
		ok(!w.out.record && !shown(&w, f.spec.name), "... and no queue is created");
	}
	world_done(&w);
}

static void test_several(void)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec *more[2];
	struct full f[3];
	struct test_world w;

	world_init(&w);
	for (size_t i = 0; i < 3; i++)
		full_init(&f[i], i == 0 ? "a" : i == 1 ? "b" : "c");
	m.verb = VERB(CREATE);
	m.spec = &f[0].spec;
	m.more = more;
	m.n_more = 2;
	more[0] = &f[1].spec;
	more[1] = &f[2].spec;
	f[2].spec.priority_factor = -3;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_str(world_error(&w), "queue 'c': -3 is not a priority factor",
		"one queue of three is invalid");
	ok(!shown(&w, "a") && !shown(&w, "b"), "none is created");
	f[2].spec.priority_factor = 3;
	f[2].owners[0] = (char *)"no-bob";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_str(world_error(&w), "there is no user \"no-bob\"", "one queue names an unknown user");
	ok(!shown(&w, "a"), "none is created");
	f[2].owners[0] = (char *)"bob";
	f[2].spec.name = (char *)"a";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	is_str(world_error(&w), "queue 'a' is named twice", "a queue named twice is refused");
	f[2].spec.name = (char *)"c";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(shown(&w, "a") && shown(&w, "b") && shown(&w, "c"), "three queues are created at once");
	f[1].spec.name = (char *)"d";
	m.verb = VERB(DELETE);
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	is_str(world_error(&w), "queue 'd' does not exist", "one queue of three does not exist");
	ok(shown(&w, "a") && shown(&w, "c"), "none is deleted");
	f[1].spec.name = (char *)"b";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(!shown(&w, "a") && !shown(&w, "b") && !shown(&w, "c"), "all three are deleted");
	world_done(&w);
}

/* The permission is checked before anything in the request is looked at. */
static void test_strangers(void)
{
	enum { MANY = 1001 };
	static Armada__Label label[MANY], *labels[MANY];
	static char key[MANY][16];
	struct test_world w;
	struct full f;

	world_init(&w);
	full_init(&f, "physics");
	send(&w, VERB(CREATE), &f.spec);
	armada__queue_spec__init(&f.spec);
	f.spec.name = (char *)"physics";
	f.spec.set_labels = true;
	f.spec.labels = labels;
	f.spec.n_labels = MANY;
	for (size_t i = 0; i < MANY; i++) {
		armada__label__init(&label[i]);
		snprintf(key[i], sizeof(key[i]), "k%zu", i);
		label[i].key = key[i];
		label[i].value = (char *)"";
		labels[i] = &label[i];
	}
	send_as(&w, TEST_USER, VERB(UPDATE), &f.spec);
	has_str(world_error(&w), "may not change its labels",
		"a stranger may not change the labels");
	send(&w, VERB(UPDATE), &f.spec);
	has_str(world_error(&w), "1001 labels: expected at most 1000",
		"an administrator cannot set too many labels");
	f.spec.n_labels = MANY - 1;
	send(&w, VERB(UPDATE), &f.spec);
	is_str(world_error(&w), "", "the largest number of labels is accepted");
	world_done(&w);
}

/* A queue named several times costs no more than one named once. */
static void test_named_often(void)
{
	enum { OFTEN = 50 };
	Armada__ListQueuesRequest list = ARMADA__LIST_QUEUES_REQUEST__INIT;
	Armada__PermissionsRequest ask = ARMADA__PERMISSIONS_REQUEST__INIT;
	const Armada__ListQueuesReply *r;
	char *names[OFTEN];
	struct test_world w;
	struct full f;

	world_init(&w);
	full_init(&f, "physics");
	send(&w, VERB(CREATE), &f.spec);
	for (size_t i = 0; i < OFTEN; i++)
		names[i] = (char *)"physics";
	list.names = ask.queues = names;
	list.n_names = ask.n_queues = OFTEN;
	world_send(&w, TEST_USER, MSG_LIST_QUEUES, &list);
	r = world_reply(&w, MSG_LIST_QUEUES_REPLY);
	ok(r && r->n_queues == 1, "a queue named 50 times is listed once");
	world_send(&w, TEST_USER, MSG_PERMISSIONS, &ask);
	has_str(world_error(&w), "50 queues are named, more than there are",
		"a request for permissions with more names than queues is refused");
	world_done(&w);
}

/* A class that armada.conf drops does not make its queues unusable. */
static void test_dropped(void)
{
	struct test_world w;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct full f;
	uint64_t id;

	world_init(&w);
	full_init(&f, "physics");
	f.spec.n_owners = f.spec.n_group_owners = f.spec.n_permissions = 0;
	f.spec.max_time_s = f.spec.default_time_s = 0;
	f.spec.n_limits = f.spec.n_class_limits = 0;
	send(&w, VERB(CREATE), &f.spec);
	spec_init(&spec, &group);
	spec.queue = (char *)"physics";
	spec.priority_class = (char *)"";
	id = world_submit(&w, &spec);
	ok(id, "a job is accepted: %s", world_error(&w));
	is_str(world_row(&w, id)->priority_class, "armada-preemptible",
	       "it has the default class of the queue");
	w.policy.class_count = 1;
	world_restart(&w);
	spec_init(&spec, &group);
	spec.queue = (char *)"physics";
	spec.priority_class = (char *)"";
	id = world_submit(&w, &spec);
	ok(id, "without that class a job is still accepted: %s", world_error(&w));
	is_str(world_row(&w, id)->priority_class, "armada-default",
	       "it has the default class of the cluster");
	armada__queue_spec__init(&f.spec);
	f.spec.name = (char *)"physics";
	f.spec.cordoned = f.spec.set_cordoned = true;
	send(&w, VERB(UPDATE), &f.spec);
	is_str(world_error(&w), "", "the queue can be updated");
	world_done(&w);
}

static int64_t asked(struct test_world *w, uint64_t id, const char *resource)
{
	Armada__ShowJobRequest m = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *r;

	m.job = id;
	world_send(w, TEST_USER, MSG_SHOW_JOB, &m);
	r = world_reply(w, MSG_SHOW_JOB_REPLY);
	for (size_t i = 0; r && i < r->spec->groups[0]->n_resources; i++)
		if (strcmp(r->spec->groups[0]->resources[i]->name, resource) == 0)
			return r->spec->groups[0]->resources[i]->amount;
	return -1;
}

static void test_resources(void)
{
	static Armada__Resource cpus = ARMADA__RESOURCE__INIT, gpus = ARMADA__RESOURCE__INIT,
				memory = ARMADA__RESOURCE__INIT;
	static Armada__Resource *of_queue[] = {&cpus, &gpus}, *of_user[] = {&memory};
	static const Armada__QueueSpec declared = {QUEUE_SPEC_BEGIN, .name = (char *)"big",
						   .default_resources = of_queue,
						   .n_default_resources = 2};
	Armada__Resource cpu, *list[1];
	struct test_world w;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t id;

	world_init(&w);
	w.policy.queues = &declared;
	w.policy.queue_count = 1;
	cpus.name = (char *)"cpu";
	cpus.amount = 3000;
	gpus.name = (char *)"gpu";
	gpus.amount = 2;
	memory.name = (char *)"memory";
	memory.amount = 7 << 20;
	w.own_queue.default_resources = of_user;
	w.own_queue.n_default_resources = 1;
	world_restart(&w);
	spec_init(&spec, &group);
	group.n_resources = 0;
	spec.queue = (char *)"big";
	id = world_submit(&w, &spec);
	is_int(asked(&w, id, "cpu"), 3000, "the job has the default cpus of the queue");
	is_int(asked(&w, id, "gpu"), 2, "the job has the default gpus of the queue");
	is_int(asked(&w, id, "memory"), INT64_C(3) << 30,
	       "the memory comes from the default of the cluster, for each cpu");
	spec_init(&spec, &group);
	spec_cpus(&group, 1, &cpu, list);
	spec.queue = (char *)"big";
	id = world_submit(&w, &spec);
	is_int(asked(&w, id, "cpu"), 1000, "a request of the job overrides the default");
	spec_init(&spec, &group);
	group.n_resources = 0;
	id = world_submit(&w, &spec);
	is_int(asked(&w, id, "memory"), 7 << 20,
	       "the queue of a user has the defaults of the template");
	id = world_submit(&w, &spec);
	is_int(asked(&w, id, "memory"), 7 << 20, "it has them when it exists already too");
	world_done(&w);
}

/* A job of so many elements in a queue. */
static uint64_t submit(struct test_world *w, const char *queue, uint32_t elements)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *list[] = {&range};
	Armada__TaskGroup group;
	Armada__JobSpec spec;

	spec_init(&spec, &group);
	spec.queue = (char *)queue;
	range.last = elements - 1;
	if (elements > 1) {
		spec.array = list;
		spec.n_array = 1;
	}
	return world_submit(w, &spec);
}

/* Several jobs in one request; the code of the reply. */
static int submit_many(struct test_world *w, const char *queue, size_t jobs, bool test_only,
		       uint8_t key)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__TaskGroup group[8];
	Armada__JobSpec spec[8], *list[8];
	const Armada__ErrorReply *e;
	uint8_t bytes[16] = {key, 0xee};

	for (size_t i = 0; i < jobs; i++) {
		spec_init(&spec[i], &group[i]);
		spec[i].queue = (char *)queue;
		list[i] = &spec[i];
	}
	m.key.data = bytes;
	m.key.len = sizeof(bytes);
	m.jobs = list;
	m.n_jobs = jobs;
	m.test_only = test_only;
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	e = world_reply(w, MSG_ERROR);
	return e ? e->code : 0;
}

static Armada__QueueSpec limited[2];

/* An absolute limit for all jobs of the first queue, or for those of each user. */
static void limit(struct test_world *w, Armada__Limit ***list, size_t *n, enum quota_kind kind,
		  int64_t value)
{
	struct quota m;

	queue_quota_take(*list, *n, &m);
	quota_put(&m, kind, value);
	*list = queue_quota_give(&m, w->arena, n);
}

static void limit_all(struct test_world *w, enum quota_kind kind, int64_t value)
{
	limit(w, &limited[0].quota, &limited[0].n_quota, kind, value);
}

static void limit_each(struct test_world *w, enum quota_kind kind, int64_t value)
{
	limit(w, &limited[0].user_quota, &limited[0].n_user_quota, kind, value);
}

static void begin_limited(struct test_world *w)
{
	world_init(w);
	limited[0] = (Armada__QueueSpec){QUEUE_SPEC_BEGIN, .name = (char *)"short"};
	limited[1] = (Armada__QueueSpec){QUEUE_SPEC_BEGIN, .name = (char *)"long"};
	w->policy.queues = limited;
	w->policy.queue_count = 2;
}

static void test_waiting(void)
{
	struct test_world w;
	uint64_t id;

	begin_limited(&w);
	limit_all(&w, QUOTA_WAITING, 5);
	limit_each(&w, QUOTA_WAITING, 4);
	quota_put(&w.policy.user_quota, QUOTA_WAITING, 6);
	world_restart(&w);
	ok(submit(&w, "short", 3), "three elements of four are accepted");
	ok(!submit(&w, "short", 2), "two more are refused");
	is_str(world_error(&w),
	       "user ann in queue 'short': 3 elements wait; with 2 more the limit of 4 would be "
	       "exceeded "
	       "(user_max_waiting)",
	       "the error gives the numbers and the limit");
	id = submit(&w, "short", 1);
	ok(id, "one more is accepted");
	ok(!submit(&w, "long", 3), "the limit of all queues refuses more");
	is_str(world_error(&w),
	       "user ann: 4 elements wait; with 3 more the limit of 6 would be exceeded "
	       "(user_limits.max_waiting)",
	       "the error names that limit");
	world_cancel(&w, TEST_USER, id);
	ok(submit(&w, "short", 1), "an ended element makes room");
	limited[0].n_user_quota = 0;
	world_restart(&w);
	ok(!submit(&w, "short", 2), "the queue has a limit too");
	is_str(world_error(&w),
	       "queue 'short': 4 elements wait; with 2 more the limit of 5 would be exceeded "
	       "(max_waiting)",
	       "the error names it");
	limit_all(&w, QUOTA_WAITING, 0);
	world_restart(&w);
	ok(!submit(&w, "short", 1), "0 is a limit");
	ok(submit(&w, "long", 2), "another queue has no limit");
	world_done(&w);
}

static void test_exception(void)
{
	static const struct sched_user users[] = {
		{.name = "ann", .quota = {1u << QUOTA_WAITING, {[QUOTA_WAITING] = 2}}},
		{.name = "zoe", .quota = {1u << QUOTA_WAITING, {[QUOTA_WAITING] = 9}}},
	};
	struct test_world w;
	struct quota m;

	begin_limited(&w);
	quota_put(&w.policy.user_quota, QUOTA_WAITING, 1);
	quota_put(&w.policy.user_quota, QUOTA_GPU, 3);
	w.policy.users = users;
	w.policy.user_count = 2;
	running_quota_of_user(&w.policy, "zoe", &m);
	ok(quota_get(&m, QUOTA_WAITING) == 9 && quota_get(&m, QUOTA_GPU) == 3,
	   "the limits of a named user override the general ones, kind by kind");
	running_quota_of_user(&w.policy, "bob", &m);
	is_int(quota_get(&m, QUOTA_WAITING), 1, "another user has the general limit");
	world_restart(&w);
	ok(submit(&w, "long", 2), "ann may have two pending elements");
	ok(!submit(&w, "long", 1), "ann may not have a third");
	has_str(world_error(&w), "the limit of 2 ", "the error has her limit");
	world_done(&w);
}

static void test_rate(void)
{
	struct test_world w;

	begin_limited(&w);
	limit_each(&w, QUOTA_SUBMIT_RATE, 3600);
	limit_each(&w, QUOTA_SUBMIT_BURST, 3);
	world_restart(&w);
	ok(submit(&w, "short", 100), "an array counts as one job");
	is_int(submit_many(&w, "short", 2, true, 1), 0, "a test submission does not count");
	is_int(submit_many(&w, "short", 2, false, 2), 0, "a burst of two more is accepted");
	is_int(submit_many(&w, "short", 1, false, 3), 75, "then the reply is EX_TEMPFAIL");
	is_str(world_error(&w),
	       "user ann in queue 'short': 0 jobs may be submitted now, and the request has 1; at "
	       "most "
	       "1/s and 3 at once (user_submit_rate): try again in 1 s",
	       "the error gives the time");
	is_int(submit_many(&w, "short", 2, false, 2), 0, "a repeated request does not count");
	is_int(submit_many(&w, "long", 2, false, 4), 0, "another queue has no rate");
	is_int(submit_many(&w, "short", 4, false, 5), 1,
	       "a request larger than the burst is refused");
	has_str(world_error(&w), "the request has 4 jobs, and at most 3 may be submitted at once",
		"the error says so");
	world_tick(&w, 1000000);
	is_int(submit_many(&w, "short", 1, false, 6), 0, "a second later one job is accepted");
	is_int(submit_many(&w, "short", 1, false, 7), 75, "a further one is not");
	world_tick(&w, 3600000000);
	is_int(submit_many(&w, "short", 3, false, 8), 0,
	       "after an hour the burst is available again");
	is_int(submit_many(&w, "short", 1, false, 9), 75, "not more than the burst");
	limit_each(&w, QUOTA_SUBMIT_RATE, 0);
	world_restart(&w);
	is_int(submit_many(&w, "short", 1, false, 10), 1, "a rate of 0 refuses every job");
	has_str(world_error(&w), "no jobs may be submitted (user_submit_rate is 0)",
		"the error says so");
	world_done(&w);
}

static const char *move(struct test_world *w, uint64_t id, const char *queue)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};
	Armada__UpdateJobRequest__Field fields[] = {
		ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_QUEUE};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	const Armada__UpdateJobReply *r;

	range.first = range.last = id;
	filter.ids = ids;
	filter.n_ids = 1;
	spec.queue = (char *)queue;
	m.filter = &filter;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1;
	world_send(w, TEST_USER, MSG_UPDATE_JOB, &m);
	r = world_reply(w, MSG_UPDATE_JOB_REPLY);
	return !r ? world_error(w) : r->n_problems ? r->problems[0] : "";
}

static void test_move(void)
{
	struct test_world w;
	uint64_t id, other;

	begin_limited(&w);
	limit_all(&w, QUOTA_WAITING, 3);
	limit_all(&w, QUOTA_SUBMIT_RATE, 3600);
	limit_all(&w, QUOTA_SUBMIT_BURST, 2);
	world_restart(&w);
	id = submit(&w, "long", 4);
	has_str(move(&w, id, "short"),
		"queue 'short': 0 elements wait; with 4 more the limit of 3 would be exceeded",
		"a moved job must obey the limits of the new queue");
	is_str(move(&w, id, "long"), "", "a move to its own queue is accepted");
	id = submit(&w, "long", 2);
	other = submit(&w, "long", 1);
	is_str(move(&w, id, "short"), "", "a job within the limits is moved");
	ok(submit(&w, "short", 1), "a submission there is accepted");
	has_str(move(&w, other, "short"), "3 elements wait; with 1 more",
		"the moved job counts as pending there");
	world_cancel(&w, TEST_USER, id);
	has_str(move(&w, other, "short"), "try again in 1 s",
		"the moved job counts as submitted there");
	world_done(&w);
}

int main(void)
{
	test_kept();
	test_refused();
	test_several();
	test_strangers();
	test_named_often();
	test_dropped();
	test_resources();
	test_waiting();
	test_exception();
	test_rate();
	test_move();
	return done();
}
