/*
 * Requests that create, update, delete and list queues: fields that are stored, fields that are
 * refused, several queues in one request, and requests that name very many labels or queues.
 */
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

/* The settings of the queue in the reply of LIST_QUEUES; NULL if there is no such queue. */
static const Armada__QueueSpec *listed(struct test_world *w, const char *name)
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

static void test_fields(void)
{
	const Armada__QueueSpec *is;
	struct test_world w;
	struct full f;

	world_init(&w);
	full_init(&f, "physics");
	send(&w, VERB(CREATE), &f.spec);
	is_str(world_error(&w), "", "a queue with every field is created");
	is_int(w.name_lookups, 1,
	       "the users and groups that it names are looked up in one request");
	is = listed(&w, "physics");
	ok(is && is->priority_factor == 2 && is->n_owners == 1 && is->n_group_owners == 1 &&
		   is->n_labels == 1 && !strcmp(is->labels[0]->value, "a") &&
		   is->n_permissions == 1 && is->permissions[0]->n_verbs == 2,
	   "a listing has the owners, labels and permissions of the queue");
	ok(is && is->n_quota == 2 && is->quota[0]->kind == KIND(RUNNING) &&
		   is->quota[1]->value == 100 && is->n_user_quota == 1 && is->n_class_limits == 1 &&
		   is->class_limits[0]->limits[0]->part == 0.25,
	   "a listing has the limits of the queue, sorted by kind");
	ok(is && !strcmp(is->default_class, "armada-preemptible") && is->n_default_resources == 1 &&
		   is->default_time_s == 3600 && is->lease_s == 600 && !is->declared,
	   "a listing has the defaults for jobs of the queue");
	world_restart(&w);
	is = listed(&w, "physics");
	ok(is && is->n_quota == 2 && is->n_labels == 1 && is->n_class_limits == 1,
	   "a restarted controller lists the same fields");
	armada__queue_spec__init(&f.spec);
	f.spec.name = (char *)"physics";
	f.spec.set_labels = true;
	f.spec.set_quota = true;
	f.spec.quota = f.quota_list;
	f.spec.n_quota = 1;
	f.quota[0].value = -1;
	f.spec.set_default_class = true;
	send(&w, VERB(UPDATE), &f.spec);
	is = listed(&w, "physics");
	ok(is && !is->n_labels && is->n_quota == 1 && is->quota[0]->kind == KIND(RUNNING) &&
		   !is->default_class[0] && is->n_user_quota == 1 && is->n_owners == 1 &&
		   is->priority_factor == 2,
	   "an update replaces the fields that it names, and no others");
	f.spec.set_labels = f.spec.set_quota = f.spec.set_default_class = false;
	send(&w, VERB(UPDATE), &f.spec);
	is_str(world_error(&w), "queue 'physics': no fields given",
	       "an update without fields is refused");
	send(&w, VERB(DELETE), &f.spec);
	ok(!listed(&w, "physics"), "a deleted queue is not listed");
	world_done(&w);
}

/* A queue with one invalid field, and a part of the error. */
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
	{"there is no user 'no-anne' on the controller's machine", wrong_owner},
	{"there is no group 'no-group' on the controller's machine", wrong_group},
	{"there is no group 'no-people' on the controller's machine", wrong_permitted},
	{"user 'ldap-ann' could not be looked up", wrong_away},
	{"default time, 2 h 13 min 20 s, is longer than its max time", wrong_times},
	{"lease: must be longer than the 1 min", wrong_lease},
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
		has_str(world_error(&w), wrongs[i].says,
			"a queue with an invalid field is refused: %s", wrongs[i].says);
		ok(!w.out.record && !listed(&w, f.spec.name),
		   "the refused queue does not exist, and no record is written");
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
		"three queues, one of them invalid, are refused");
	ok(!listed(&w, "a") && !listed(&w, "b"), "no queue is created");
	f[2].spec.priority_factor = 3;
	f[2].owners[0] = (char *)"no-bob";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_str(world_error(&w), "there is no user 'no-bob'",
		"three queues, one of which names an unknown user, are refused");
	ok(!listed(&w, "a"), "no queue is created");
	f[2].owners[0] = (char *)"bob";
	f[2].spec.name = (char *)"a";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	is_str(world_error(&w), "queue 'a' is named twice",
	       "a request that creates a queue twice is refused");
	f[2].spec.name = (char *)"c";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(listed(&w, "a") && listed(&w, "b") && listed(&w, "c"),
	   "three queues are created by one request");
	f[1].spec.name = (char *)"d";
	m.verb = VERB(DELETE);
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_str(world_error(&w), "queue 'd' does not exist",
		"a request to delete three queues, one of them unknown, is refused");
	ok(listed(&w, "a") && listed(&w, "c"), "no queue is deleted");
	f[1].spec.name = (char *)"b";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(!listed(&w, "a") && !listed(&w, "b") && !listed(&w, "c"),
	   "three queues are deleted by one request");
	world_done(&w);
}

/* The permission is checked before the fields of the request. */
static void test_labels(void)
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
		"a user without permission cannot change the labels");
	send(&w, VERB(UPDATE), &f.spec);
	has_str(world_error(&w), "1001 labels: expected at most 1000",
		"an administrator cannot set more labels than the maximum");
	f.spec.n_labels = MANY - 1;
	send(&w, VERB(UPDATE), &f.spec);
	is_str(world_error(&w), "", "an administrator can set the maximum number of labels");
	world_done(&w);
}

/* A request cannot multiply its cost by naming one queue many times. */
static void test_repeated_names(void)
{
	enum { MANY = 50 };
	Armada__ListQueuesRequest list = ARMADA__LIST_QUEUES_REQUEST__INIT;
	Armada__PermissionsRequest ask = ARMADA__PERMISSIONS_REQUEST__INIT;
	const Armada__ListQueuesReply *r;
	char *names[MANY];
	struct test_world w;
	struct full f;

	world_init(&w);
	full_init(&f, "physics");
	send(&w, VERB(CREATE), &f.spec);
	for (size_t i = 0; i < MANY; i++)
		names[i] = (char *)"physics";
	list.names = ask.queues = names;
	list.n_names = ask.n_queues = MANY;
	world_send(&w, TEST_USER, MSG_LIST_QUEUES, &list);
	r = world_reply(&w, MSG_LIST_QUEUES_REPLY);
	ok(r && r->n_queues == 1, "a queue named 50 times is listed once");
	world_send(&w, TEST_USER, MSG_PERMISSIONS, &ask);
	has_str(world_error(&w), "50 queues are named, more than there are",
		"a request for permissions with more names than queues is refused");
	world_done(&w);
}

int main(void)
{
	test_fields();
	test_refused();
	test_several();
	test_labels();
	test_repeated_names();
	return done();
}
