/*
 * The policy of the core from armada.conf: limits, queues, and names of users and groups, which
 * become ids or are refused with their key.
 */
#include "armctld/policy.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <string.h>
#include <unistd.h>

static const char *const known[] = {"root", "54321"};
static const char *const unknown[] = {"root", "no-such-user"};
static const char *const no_group[] = {"no-such-group"};

static const struct armada_option_pair parts[] = {{"gpu", 0.25}, {"cpu", 0.5}};

/* Users, classes and the scheduler; the rest as in an empty file. */
static struct conf base_conf(void)
{
	static struct conf_class classes[] = {
		{.name = "urgent",
		 .priority = 1000,
		 .urgency_preemptible = true,
		 .max_fraction_per_queue = parts,
		 .max_fraction_count = 2},
		{.name = "spare", .priority = 1, .fair_share_preemptible = true},
	};
	struct conf c = {
		.file = (char *)"test.conf",
		.cluster = "test",
		.controller_user = "root",
		.agent_user = "54321",
		.admins = known,
		.admin_count = 2,
		.classes = classes,
		.class_count = 2,
	};

	c.nodes.lease_us = 12;
	c.nodes.fence_program = "";
	c.mail_program = "/bin/true";
	c.security.min_uid = 500;
	c.scheduler.default_class = "spare";
	c.scheduler.max_jobs_per_round = 7;
	c.scheduler.max_fraction_per_round = parts;
	c.scheduler.max_fraction_count = 1;
	c.scheduler.rate = 0.5;
	c.scheduler.burst = 3;
	c.scheduler.queue_lookback = 9;
	return c;
}

static bool has_uid(const struct core_policy *p, uint32_t uid)
{
	for (size_t i = 0; i < p->admin_count; i++)
		if (p->admin_uids[i] == uid)
			return true;
	return false;
}

static bool halves(const struct sched_fraction *f)
{
	return f->limited == 5 && f->of[0] == 0.5 && f->of[2] == 0.25;
}

static void test_limits(const struct core_policy *p)
{
	ok(halves(&p->classes[1].limit) && !p->classes[0].limit.limited,
	   "a limit of a class is by resource");
	ok(p->limits.jobs_per_round == 7 && p->limits.queue_lookback == 9,
	   "the number of jobs of a round is limited");
	ok(p->limits.per_round.limited == 4 && p->limits.per_round.of[2] == 0.25,
	   "the resources of a round are limited");
	ok(p->limits.rate.rate == 0.5 && p->limits.rate.burst == 3 && !p->limits.queue_rate.burst,
	   "rates are copied");
}

static void test_taken(void)
{
	struct conf c = base_conf();
	struct policy *p = NULL;
	struct err err = {""};

	is_int(policy_new(&p, &c, &err), 0, "a policy is created: %s", err.text);
	if (!p)
		return;
	is_int(p->controller_uid, 0, "a user's name becomes its uid");
	is_int(p->agent_uid, 54321, "a number is used as the uid");
	ok(p->core.mails, "with a program for mail, jobs may ask for it");
	ok(has_uid(&p->core, 0) && has_uid(&p->core, 54321), "admins are uids");
	ok(has_uid(&p->core, geteuid()), "the controller's user is an admin");
	is_int(p->core.lease_us, 12, "durations are copied");
	is_int(p->core.min_uid, 500, "the least uid is copied");
	is_int(p->core.class_count, 2, "both classes are copied");
	is_str(p->core.classes[0].name, "spare", "the default class comes first");
	ok(p->core.classes[1].urgency_preemptible && p->core.classes[0].fair_share_preemptible &&
		   !p->core.classes[1].fair_share_preemptible,
	   "the classes have their kinds of preemption");
	test_limits(&p->core);
	policy_free(p);
}

static void refused(struct conf *c, const char *key, const char *name)
{
	struct policy *p = NULL;
	struct err err = {""};

	ok(policy_new(&p, c, &err) < 0, "an unknown name in %s is refused", key);
	has_str(err.text, key, "the message names the key");
	has_str(err.text, name, "the message has the name");
	has_str(err.text, "test.conf", "the message names the file");
	ok(!p, "no policy is created");
}

static const char users[] = "controller_user = \"root\"; agent_user = \"root\";\n";

/* Makes the policy of a file with these lines, from line 2; NULL if it is refused. */
static struct policy *policy_of(const char *lines, struct conf **ret_conf, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};
	struct policy *p = NULL;

	buf_addf(&text, "%s%s", users, lines);
	if (conf_parse(ret_conf, "test.conf", (char *)text.data, err) < 0)
		bail("%s", err->text);
	return policy_new(&p, *ret_conf, err) < 0 ? NULL : p;
}

static void test_queue(void)
{
	struct err err = {""};
	struct conf *c;
	struct policy *p = policy_of(
		"queues = ({ name = \"q\"; owners = [\"root\"]; group_owners = [\"root\"];\n"
		" permissions = [\"user:root=cancel\", \"all=watch\"]; labels = [\"a=1\"];\n"
		" default_resources = [\"memory=4G\"]; default_class = \"armada-preemptible\";\n"
		" class_limits = [\"armada-default:gpu=0.5\"]; max_running = 3; user_max_cpus = 2; });\n"
		"user_queues = { max_waiting = 9; }; user_limits = { max_gpus = 0; };\n"
		"users = ({ name = \"root\"; max_gpus = 2; });\n",
		&c, &err);
	const Armada__QueueSpec *q;

	ok(p, "a queue with every key is accepted %s", err.text);
	if (!p)
		return;
	q = p->core.queues;
	is_str(q->name, "q", "the queue has its name");
	ok(q->n_owners == 1 && !strcmp(q->owners[0], "root") && q->n_group_owners == 1, "owners");
	ok(q->n_permissions == 2 && q->permissions[1]->kind == ARMADA__SUBJECT_KIND__SUBJECT_ALL &&
		   q->n_labels == 1,
	   "the queue has its permissions and labels");
	ok(q->n_default_resources == 1 && q->default_resources[0]->amount == INT64_C(4) << 30,
	   "defaults");
	is_str(q->default_class, "armada-preemptible", "the queue has its default class");
	ok(q->n_class_limits == 1 && q->class_limits[0]->n_limits == 1 &&
		   q->class_limits[0]->limits[0]->part == 0.5,
	   "the queue has its limits of a class");
	ok(q->n_quota == 1 && q->quota[0]->value == 3 && q->n_user_quota == 1 &&
		   q->user_quota[0]->value == 2000,
	   "the queue has its absolute limits");
	ok(!q->set_cordoned && !q->set_limits, "an absent key is not set");
	q = p->core.user_queue;
	ok(q && q->n_quota == 1 && (int)q->quota[0]->kind == QUOTA_WAITING &&
		   q->quota[0]->value == 9 && !q->n_user_quota,
	   "the user_queues template has its limits");
	ok(quota_get(&p->core.user_quota, QUOTA_GPU) == 0 && p->core.user_count == 1 &&
		   quota_get(&p->core.users[0].quota, QUOTA_GPU) == 2,
	   "users have their limits");
	policy_free(p);
	conf_free(c);
}

static void test_nobody(void)
{
	static const struct {
		const char *lines, *says;
	} cases[] = {
		{"queues = ({ name = \"q\";\n owners = [\"root\", \"no-such-user\"]; });",
		 "test.conf: line 3: queues: q: owners: there is no user 'no-such-user' on this "
		 "machine: expected a name that getent passwd shows"},
		{"queues = ({ name = \"q\"; group_owners = [\"no-such-group\"]; });",
		 "test.conf: line 2: queues: q: group_owners: there is no group 'no-such-group'"},
		{"queues = ({ name = \"q\"; owners = [\"54321\"]; });", "there is no user '54321'"},
		{"queues = ({ name = \"q\"; permissions = [\"group:no-such-group=watch\"]; });",
		 "queues: q: permissions: there is no group 'no-such-group'"},
		{"permissions = [\"user:no-such-user=watch\"];",
		 "test.conf: permissions: there is no user 'no-such-user'"},
		{"user_queues = { permissions = [\"user:no-such-user=watch\"]; };",
		 "test.conf: user_queues: permissions: there is no user 'no-such-user'"},
		{"priority_classes = ({ name = \"armada-default\"; },\n { name = \"a\";\n users = [\"root\", "
		 "\"no-such-user\"]; });",
		 "test.conf: line 4: priority_classes: a: users: there is no user 'no-such-user'"},
		{"priority_classes = ({ name = \"armada-default\"; groups = [\"no-such-group\"]; });",
		 "line 2: priority_classes: armada-default: groups: there is no group "
		 "'no-such-group' on this machine: expected a name that getent group shows"},
		{"users = ({ name = \"no-such-user\"; });",
		 "test.conf: line 2: users: no-such-user: name: there is no user"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {""};
		struct policy *p = NULL;
		struct conf *c;

		ok(!policy_of(cases[i].lines, &c, &err), "refused: %s", cases[i].says);
		has_str(err.text, cases[i].says, "the message has the reason");
		is_int(policy_start(&p, c, &err), 0, "a controller starts with it");
		policy_free(p);
		p = NULL;
		conf_free(c);
	}
}

static void test_admin_gone(const struct conf *c)
{
	struct policy *p = NULL;
	struct err err = {""};

	is_int(policy_start(&p, c, &err), 0,
	       "a controller starts though an administrator has left");
	if (!p)
		return;
	is_int(p->core.admin_count, c->admin_count + 1, "the known admins are kept");
	policy_free(p);
}

int main(void)
{
	struct conf c;

	test_taken();
	test_queue();
	test_nobody();
	c = base_conf();
	c.admins = unknown;
	refused(&c, "admins", "no-such-user");
	test_admin_gone(&c);
	c = base_conf();
	c.agent_user = "no-such-user";
	refused(&c, "agent_user", "no-such-user");
	c = base_conf();
	c.controller_user = "no-such-user";
	refused(&c, "controller_user", "no-such-user");
	c = base_conf();
	c.admin_groups = no_group;
	c.admin_group_count = 1;
	refused(&c, "admin_groups", "no-such-group");
	return done();
}
