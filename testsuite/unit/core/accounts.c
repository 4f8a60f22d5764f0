/*
 * The accounts of armada.conf: who may name one, the default of a user, limits at submission and at each
 * start, jobs whose account changes, and the listing.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static const char *const ann[] = {"ann"}, *const bob[] = {"bob"}, *const people[] = {"people"};

/* The accounts of a test, by name. */
enum { BIO, CHEM, PHYS, COUNT };

struct site {
	struct test_world w;
	struct sched_account limits[COUNT];
	struct core_account rules[COUNT];
};

static void apply(struct site *s)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &s->w.policy};

	world_feed(&s->w, &in);
}

/* bio: for bob; chem: for administrators; phys: for all of the group people. */
static void begin(struct site *s)
{
	static const char *const names[COUNT] = {"bio", "chem", "phys"};

	memset(s->limits, 0, sizeof(s->limits));
	memset(s->rules, 0, sizeof(s->rules));
	world_init(&s->w);
	world_node(&s->w, 1, "n1", 64, "boot", 1);
	for (int i = 0; i < COUNT; i++) {
		s->limits[i].name = names[i];
		s->rules[i].people.restricted = true;
	}
	s->rules[BIO].people.users = bob;
	s->rules[BIO].people.user_count = 1;
	s->rules[PHYS].people.groups = people;
	s->rules[PHYS].people.group_count = 1;
	s->w.policy.accounts = s->limits;
	s->w.policy.account_rules = s->rules;
	s->w.policy.account_count = COUNT;
	s->w.policy.allow_root_jobs = true;
	apply(s);
}

/* Submits jobs of these accounts in one request, as this user. Returns the first id; 0: refused. */
static uint64_t submit_all(struct site *s, uint32_t uid, const char *const *accounts, size_t count,
			   uint32_t elements)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	Armada__TaskGroup group[4];
	Armada__JobSpec spec[4], *list[4];
	const Armada__SubmitReply *r;

	range.last = elements - 1;
	for (size_t i = 0; i < count; i++) {
		spec_init(&spec[i], &group[i]);
		spec[i].account = (char *)accounts[i];
		spec[i].array = ranges;
		spec[i].n_array = elements > 1;
		list[i] = &spec[i];
	}
	m.jobs = list;
	m.n_jobs = count;
	world_send(&s->w, uid, MSG_SUBMIT, &m);
	r = world_reply(&s->w, MSG_SUBMIT_REPLY);
	return r ? r->ids[0] : 0;
}

static uint64_t submit(struct site *s, uint32_t uid, const char *account)
{
	return submit_all(s, uid, &account, 1, 1);
}

static const char *account_of(struct site *s, uint64_t job)
{
	const Armada__JobRow *row = world_row(&s->w, job);

	return row ? row->account : "no job";
}

static int refusal_code(struct site *s)
{
	const Armada__ErrorReply *e = world_reply(&s->w, MSG_ERROR);

	return e ? e->code : 0;
}

/* Changes the account of a job. Returns the problem, or "". */
static const char *update(struct site *s, uint32_t uid, uint64_t job, const char *account)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	Armada__UpdateJobRequest__Field fields[] = {
		ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_ACCOUNT};
	const Armada__UpdateJobReply *r;

	range.first = range.last = job;
	filter.ids = ids;
	filter.n_ids = 1;
	spec.account = (char *)account;
	m.filter = &filter;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1;
	world_send(&s->w, uid, MSG_UPDATE_JOB, &m);
	r = world_reply(&s->w, MSG_UPDATE_JOB_REPLY);
	return !r ? world_error(&s->w) : r->n_problems ? r->problems[0] : "";
}

static bool starts(struct site *s, uint64_t job)
{
	world_decide(&s->w, job, 0, "n1");
	return world_state(&s->w, job, 0) == JOB(CONFIGURING);
}

static void test_rights(void)
{
	struct site s;

	begin(&s);
	ok(submit(&s, OTHER_USER, "bio"), "a named user may: %s", world_error(&s.w));
	ok(submit(&s, TEST_USER, "phys"), "a member of a group may: %s", world_error(&s.w));
	ok(submit(&s, ADMIN_USER, "chem"), "an administrator may: %s", world_error(&s.w));
	ok(!submit(&s, TEST_USER, "bio"), "another user may not");
	is_int(refusal_code(&s), 4, "the exit code is that of a missing right");
	is_str(world_error(&s.w), "account 'bio' is not one of yours: you may name phys",
	       "the message has the accounts of the user");
	ok(!submit(&s, OTHER_USER, "phsy"), "an unknown account is refused");
	is_int(refusal_code(&s), 3, "with another exit code");
	is_str(world_error(&s.w),
	       "account 'phsy' does not exist; did you mean 'phys'? (you may name bio, phys)",
	       "the message has the nearest name");
	s.w.policy.private = true;
	ok(!submit(&s, TEST_USER, "bio"), "in a private cluster, too");
	is_str(world_error(&s.w), "account 'bio' does not exist: you may name phys",
	       "an account of others does not exist there");
	s.w.policy.private = false;
	s.rules[BIO].people.restricted = false;
	ok(submit(&s, TEST_USER, "bio"), "an account without lists is for all");
	s.w.policy.account_count = 0;
	ok(submit(&s, TEST_USER, "any"), "without accounts any name is accepted");
	world_done(&s.w);
}

static void test_default(void)
{
	struct site s;
	uint64_t job;

	begin(&s);
	is_str(account_of(&s, submit(&s, TEST_USER, "")), "phys",
	       "the only account of the user is its default");
	is_str(account_of(&s, submit(&s, ADMIN_USER, "")), "phys",
	       "accounts that only administrators may name do not count");
	job = submit(&s, OTHER_USER, "");
	is_str(account_of(&s, job), "", "a user of several has no default");
	is_str(update(&s, ADMIN_USER, job, "chem"), "", "an administrator may give any account");
	is_str(account_of(&s, job), "chem", "the job has it");
	is_str(update(&s, OTHER_USER, job, ""), "", "its owner may remove it");
	is_str(account_of(&s, job), "", "and has no default");
	has_str(update(&s, OTHER_USER, job, "chem"),
		"account 'chem' is not one of yours: you may name bio, phys",
		"but may not name it");
	s.w.policy.require_account = true;
	ok(!submit(&s, OTHER_USER, ""), "a job without an account is refused if one is required");
	is_str(world_error(&s.w),
	       "the job names no account, and bob has no default; give one with --account: you may "
	       "name bio, phys",
	       "the message has the accounts of the user");
	s.rules[BIO].default_for = ann;
	s.rules[BIO].default_count = 1;
	job = submit(&s, TEST_USER, "");
	is_str(account_of(&s, job), "bio", "default_for is the default, and the user may name it");
	is_str(update(&s, ADMIN_USER, job, "chem"), "", "another account");
	is_str(update(&s, ADMIN_USER, job, ""), "", "none, by an administrator");
	is_str(account_of(&s, job), "bio", "is the default of the user, not of the administrator");
	world_done(&s.w);
}

static void test_running(void)
{
	struct site s;
	uint64_t a, b, c;

	begin(&s);
	quota_put(&s.limits[PHYS].quota, QUOTA_RUNNING, 2);
	a = submit(&s, TEST_USER, "phys");
	b = submit(&s, OTHER_USER, "phys");
	c = submit(&s, TEST_USER, "phys");
	ok(starts(&s, a) && starts(&s, b), "as many jobs start as the account may have running");
	ok(!starts(&s, c), "in all queues and for all users no further job starts");
	is_str(world_reason(&s.w, c),
	       "account phys has 2 of at most 2 jobs running (limit of account phys: "
	       "accounts.max_running)",
	       "each job behind the limit shows it, whether a round tried it or not");
	quota_put(&s.limits[PHYS].quota, QUOTA_RUNNING, 3);
	quota_put(&s.limits[PHYS].user_quota, QUOTA_CPU, 1000);
	ok(!starts(&s, c), "a job beyond the limit of each user in the account does not start");
	world_restart(&s.w);
	world_node(&s.w, 1, "n1", 64, "boot", 1);
	ok(!starts(&s, c), "a restarted controller has the same counts");
	quota_put(&s.limits[PHYS].user_quota, QUOTA_CPU, 2000);
	ok(starts(&s, c), "within the limits it starts");
	c = submit(&s, TEST_USER, "phys");
	ok(!starts(&s, c), "a limit of the account is reached");
	quota_put(&s.limits[PHYS].quota, QUOTA_RUNNING, 9);
	quota_put(&s.limits[PHYS].user_quota, QUOTA_RUNNING, 2);
	is_str(world_reason(&s.w, c),
	       "user ann has 2 of at most 2 jobs running (limit of account phys for each user: "
	       "accounts.user_max_running)",
	       "the limit of each user in the account");
	is_str(update(&s, ADMIN_USER, c, "chem"), "", "the job gets another account");
	ok(starts(&s, c), "and starts");
	has_str(update(&s, ADMIN_USER, c, "phys"), "account: the job has started",
		"then its account does not change");
	world_done(&s.w);
}

static void test_too_large(void)
{
	struct site s;
	uint64_t job;

	begin(&s);
	quota_put(&s.limits[PHYS].quota, QUOTA_CPU, 500);
	ok(!submit(&s, TEST_USER, "phys"), "a job larger than a limit of its account is refused");
	is_str(world_error(&s.w),
	       "cpu: 1 at once is more than the 0.5 that account 'phys' may use "
	       "(accounts.max_cpus)",
	       "the message names the limit");
	quota_put(&s.limits[BIO].user_quota, QUOTA_RUNNING, 0);
	ok(!submit(&s, OTHER_USER, "bio"), "also by the limit of each user");
	has_str(world_error(&s.w),
		"that each user in account 'bio' may have running (accounts.user_max_running)",
		"which the message names");
	job = submit(&s, OTHER_USER, "");
	has_str(update(&s, OTHER_USER, job, "phys"), "(accounts.max_cpus)",
		"a job does not get an account that would never let it start");
	world_done(&s.w);
}

static void test_waiting(void)
{
	static const char *const both[] = {"phys", "bio", "phys", "phys"};
	struct site s;
	uint64_t job;

	begin(&s);
	quota_put(&s.limits[PHYS].quota, QUOTA_WAITING, 5);
	quota_put(&s.limits[PHYS].user_quota, QUOTA_WAITING, 4);
	ok(submit_all(&s, TEST_USER, (const char *const[]){"phys"}, 1, 3), "three elements wait");
	ok(!submit_all(&s, TEST_USER, (const char *const[]){"phys"}, 1, 2), "two more are refused");
	is_str(world_error(&s.w),
	       "user ann in account 'phys': 3 elements wait; with 2 more the limit of 4 would be "
	       "exceeded (accounts.user_max_waiting)",
	       "by the limit of the user in the account");
	ok(!submit_all(&s, OTHER_USER, both, 4, 1), "a request counts each account once");
	is_str(world_error(&s.w),
	       "account 'phys': 3 elements wait; with 3 more the limit of 5 would be exceeded "
	       "(accounts.max_waiting)",
	       "by the limit of the account");
	ok(submit_all(&s, OTHER_USER, both, 3, 1), "one element less is accepted: %s",
	   world_error(&s.w));
	job = submit(&s, OTHER_USER, "bio");
	has_str(update(&s, OTHER_USER, job, "phys"),
		"account 'phys': 5 elements wait; with 1 more the limit of 5",
		"a job that gets the account counts");
	world_done(&s.w);
}

static void test_rate(void)
{
	struct site s;
	uint64_t job;

	begin(&s);
	quota_put(&s.limits[PHYS].quota, QUOTA_SUBMIT_RATE, 2);
	job = submit(&s, OTHER_USER, "bio");
	ok(submit(&s, TEST_USER, "phys"), "a submission within the rate");
	is_str(update(&s, OTHER_USER, job, "phys"), "", "a job that gets the account counts, too");
	ok(!submit(&s, OTHER_USER, "phys"), "a submission above the rate is refused");
	is_int(refusal_code(&s), 75, "for now");
	has_str(world_error(&s.w), "account 'phys': 0 jobs may be submitted now", "the limit");
	has_str(world_error(&s.w), "(accounts.submit_rate): try again in 30 min", "and the time");
	ok(submit(&s, OTHER_USER, "bio"), "other accounts have no rate");
	world_tick(&s.w, INT64_C(1801) * 1000000);
	ok(submit(&s, OTHER_USER, "phys"), "later it is accepted");
	world_done(&s.w);
}

/* The rows that the user gets: + where it may name the account, * at its default, running/waiting, users. */
static char *listed(struct site *s, uint32_t uid, const char *name)
{
	Armada__AccountsRequest m = ARMADA__ACCOUNTS_REQUEST__INIT;
	const Armada__AccountsReply *r;
	struct buf text = {0};

	m.name = (char *)name;
	world_send(&s->w, uid, MSG_ACCOUNTS, &m);
	r = world_reply(&s->w, MSG_ACCOUNTS_REPLY);
	buf_addstr(&text, r ? "" : world_error(&s->w));
	for (size_t i = 0; r && i < r->n_rows; i++) {
		const Armada__AccountRow *row = r->rows[i];

		buf_addf(&text, "%s%s%s %d/%d(", row->name, row->usable ? "+" : "",
			 row->is_default ? "*" : "", (int)row->use->running,
			 (int)row->use->waiting);
		for (size_t u = 0; u < row->n_users_use; u++)
			buf_addf(&text, "%s%s", u ? "," : "", row->users_use[u]->user);
		buf_addstr(&text, ") ");
	}
	return (char *)buf_take(&text, NULL);
}

static void shows(struct site *s, uint32_t uid, const char *name, const char *want,
		  const char *says)
{
	CLEANUP_FREE char *got = listed(s, uid, name);

	is_str(got, want, "%s", says);
}

static void test_listing(void)
{
	struct site s;

	begin(&s);
	ok(starts(&s, submit(&s, TEST_USER, "phys")), "a job runs");
	submit(&s, OTHER_USER, "phys");
	shows(&s, TEST_USER, "", "bio 0/0() chem 0/0() phys+* 1/1(ann,bob) ",
	      "every user sees all accounts");
	shows(&s, ADMIN_USER, "phys", "phys+* 1/1(ann,bob) ", "one by name");
	shows(&s, TEST_USER, "phis", "account 'phis' does not exist; did you mean 'phys'?",
	      "an unknown name");
	s.w.policy.private = true;
	shows(&s, TEST_USER, "", "phys+* 1/1(ann) ",
	      "in a private cluster its own accounts, and itself");
	shows(&s, TEST_USER, "bio",
	      "account 'bio' does not exist (actl show accounts shows the existing accounts)",
	      "other accounts do not exist there");
	shows(&s, ADMIN_USER, "", "bio+ 0/0() chem+ 0/0() phys+* 1/1(ann,bob) ",
	      "an administrator sees all");
	world_done(&s.w);
}

int main(void)
{
	test_rights();
	test_default();
	test_running();
	test_too_large();
	test_waiting();
	test_rate();
	test_listing();
	return done();
}
