/*
 * Bounds of what users make the controller keep: jobs, stored bytes, submission keys. What jobs
 * share counts once for each user, an end gives it back, and administrators keep a share.
 */
#include "core/state/queue_user.h"
#include "core/state/state.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

enum { SCRIPT = 100000 };

static uint8_t script[SCRIPT], environment[1000];

/* Submits `jobs` jobs with one script and one environment. fill: the byte that the script has. */
static bool submit(struct test_world *w, uint32_t uid, uint8_t fill, size_t jobs)
{
	static uint32_t next_key;
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	ProtobufCBinaryData blobs[] = {{SCRIPT, script}, {sizeof(environment), environment}};
	Armada__JobSpec specs[100], *list[100];
	Armada__TaskGroup groups[100];
	uint8_t key[16] = {'b'};

	memset(script, fill, sizeof(script));
	for (size_t i = 0; i < jobs; i++) {
		spec_init(&specs[i], &groups[i]);
		groups[i].n_argv = 0;
		specs[i].script_blob = 1;
		specs[i].env_blob = 2;
		list[i] = &specs[i];
	}
	m.jobs = list;
	m.n_jobs = jobs;
	m.blobs = blobs;
	m.n_blobs = 2;
	next_key++;
	memcpy(key + 1, &next_key, sizeof(next_key));
	m.key.data = key;
	m.key.len = sizeof(key);
	world_send(w, uid, MSG_SUBMIT, &m);
	return world_reply(w, MSG_SUBMIT_REPLY) != NULL;
}

static uint64_t stored(const struct test_world *w, const char *user)
{
	const struct user_usage *u = user_usage_find(core_state(w->core), user);

	return u ? u->stored : 0;
}

static void check(struct test_world *w, const char *when)
{
	struct err err = {0};

	ok(core_check(w->core, &err) == 0, "the sums are those of the jobs %s (%s)", when,
	   err.text);
}

static void test_shared(void)
{
	struct test_world w;
	uint64_t one, job;

	world_init(&w);
	ok(submit(&w, TEST_USER, 'a', 1), "a job with a script is accepted");
	one = stored(&w, "ann");
	ok(one > SCRIPT && one < SCRIPT + 2000, "it counts its script and its description");
	ok(submit(&w, TEST_USER, 'a', 50), "50 jobs like it are accepted");
	is_int(stored(&w, "ann"), one, "... and count nothing more: they share all of it");
	ok(submit(&w, OTHER_USER, 'a', 1), "another user has the same script");
	is_int(stored(&w, "bob"), one, "... which counts for that user, too");
	is_int(core_state(w.core)->stored, 2 * one, "the sum is that of the users");
	check(&w, "of two users");
	for (job = 1; job <= 50; job++)
		world_cancel(&w, TEST_USER, job);
	is_int(stored(&w, "ann"), one, "the last of the jobs keeps what they shared");
	world_cancel(&w, TEST_USER, 51);
	is_int(stored(&w, "ann"), 0, "its end gives it back");
	is_int(stored(&w, "bob"), one, "... and nothing of the other user");
	check(&w, "after the ends");
	world_done(&w);
}

static void test_stored(void)
{
	struct test_world w;
	int taken = 0;

	world_init(&w);
	w.policy.max_stored_of_user = 10 * SCRIPT;
	w.policy.max_stored = 18 * SCRIPT;
	while (taken < 100 && submit(&w, TEST_USER, (uint8_t)taken, 1))
		taken++;
	is_int(taken, 9, "a user stores nine scripts of a tenth of the limit");
	has_str(world_error(&w), "(limits.stored_per_user)", "the refusal names the option");
	has_str(world_error(&w), "try again when jobs have ended", "... and says what helps");
	ok(submit(&w, TEST_USER, 0, 10), "ten jobs with a script that is stored are accepted");
	world_cancel(&w, TEST_USER, 2);
	ok(submit(&w, TEST_USER, 'x', 1), "an end makes room for another script");
	for (taken = 0; taken < 100 && submit(&w, OTHER_USER, (uint8_t)taken, 1);)
		taken++;
	is_int(taken, 8, "all users have a limit");
	has_str(world_error(&w), "(limits.stored_total)", "... which the refusal names");
	w.policy.max_stored = (int64_t)core_state(w.core)->stored + 110000;
	ok(!submit(&w, OTHER_USER, 'y', 1), "users may not fill the last 2 percent");
	w.policy.max_stored_of_user = 0;
	w.policy.max_stored = (int64_t)core_state(w.core)->stored + 102000;
	w.policy.allow_root_jobs = true;
	ok(submit(&w, ADMIN_USER, 'y', 1), "administrators may");
	check(&w, "at the limits");
	world_done(&w);
}

/* A short description may make many ranges, and dependencies are stored apart from it. */
static void test_ranges(void)
{
	Armada__IndexRange r = ARMADA__INDEX_RANGE__INIT, *array[] = {&r};
	Armada__Dependency d = ARMADA__DEPENDENCY__INIT, *list[100];
	Armada__CancelRequest x = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange id = ARMADA__JOB_RANGE__INIT, *ids[] = {&id};
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t before, after;

	world_init(&w);
	w.policy.max_stored_of_user = 1 << 20;
	spec_init(&spec, &group);
	r.last = 99999;
	spec.array = array;
	spec.n_array = 1;
	ok(world_submit(&w, &spec), "an array of one range is accepted");
	before = stored(&w, "ann");
	ok(before < 2000, "... and counts little");
	r.step = 2;
	world_submit(&w, &spec);
	is_str(world_error(&w), "", "one of 50,000 ranges is accepted");
	ok(stored(&w, "ann") > before + 50000 * 8, "... and counts its ranges");
	world_submit(&w, &spec);
	has_str(world_error(&w), "limits.stored_per_user", "a second one is refused");
	check(&w, "with arrays");
	x.filter = &f;
	f.ids = ids;
	f.n_ids = 1;
	id.first = id.last = 1;
	id.has_elements = true;
	id.elements = &r;
	r.last = 199;
	before = stored(&w, "ann");
	world_send(&w, TEST_USER, MSG_CANCEL, &x);
	after = stored(&w, "ann");
	ok(after > before + 100, "elements that are cancelled one by one count as ranges");
	check(&w, "after a part was cancelled");
	spec_init(&spec, &group);
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = &d;
	d.type = ARMADA__DEPENDENCY_TYPE__DEPENDENCY_AFTERANY;
	d.job = 1;
	spec.dependencies = list;
	spec.n_dependencies = ARRAY_SIZE(list);
	ok(world_submit(&w, &spec), "a job with a hundred dependencies is accepted");
	ok(stored(&w, "ann") > after + 100 * 100, "... which count");
	check(&w, "with dependencies");
	world_done(&w);
}

static const Armada__UpdateJobReply *comment(struct test_world *w, uint64_t job, char *text)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__UpdateJobRequest__Field fields[] = {
		ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_COMMENT};
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange id = ARMADA__JOB_RANGE__INIT, *ids[] = {&id};
	Armada__JobSpec to = ARMADA__JOB_SPEC__INIT;

	id.first = id.last = job;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	m.fields = fields;
	m.n_fields = 1;
	m.spec = &to;
	to.comment = text;
	world_send(w, TEST_USER, MSG_UPDATE_JOB, &m);
	return world_reply(w, MSG_UPDATE_JOB_REPLY);
}

static void test_update(void)
{
	static char text[4001];
	const Armada__UpdateJobReply *r;
	struct test_world w;
	uint64_t job, before;

	world_init(&w);
	memset(text, 'c', sizeof(text) - 1);
	job = world_submit_plain(&w);
	before = stored(&w, "ann");
	r = comment(&w, job, text);
	ok(r && r->changed == 1, "a long comment is accepted");
	ok(stored(&w, "ann") > before + 3900, "... and counts");
	check(&w, "after an update");
	w.policy.max_stored_of_user = 6000;
	job = world_submit_plain(&w);
	r = comment(&w, job, text + 1);
	ok(r && r->refused == 1, "a second one above the limit is refused");
	has_str(r ? r->problems[0] : "", "limits.stored_per_user", "... and the option is named");
	r = comment(&w, 1, (char *)"short");
	ok(r && r->changed == 1, "a shorter one is always accepted");
	check(&w, "after updates");
	world_done(&w);
}

static void test_jobs(void)
{
	struct test_world w;
	int taken = 0;

	world_init(&w);
	w.policy.max_jobs_of_user = 70;
	w.policy.max_jobs = 100;
	while (taken < 200 && submit(&w, TEST_USER, 'a', 1))
		taken++;
	is_int(taken, 70, "a user has a limited number of jobs");
	has_str(world_error(&w), "(limits.jobs_per_user)", "... which the refusal names");
	ok(!submit(&w, OTHER_USER, 'a', 29), "29 more are above 98 percent of all jobs");
	has_str(world_error(&w), "(limits.jobs_in_memory)", "... which the refusal names");
	ok(submit(&w, OTHER_USER, 'a', 28), "28 more are not");
	w.policy.allow_root_jobs = true;
	ok(submit(&w, ADMIN_USER, 'a', 2), "an administrator submits beyond that");
	ok(!submit(&w, ADMIN_USER, 'a', 1), "... up to the limit");
	world_done(&w);
}

static void test_keys(void)
{
	struct test_world w;
	uint64_t first;

	world_init(&w);
	w.policy.max_keys_of_user = 10;
	w.policy.max_keys = 15;
	for (int i = 0; i < 30; i++)
		submit(&w, TEST_USER, 'a', 1);
	is_int(submit_keys_of(core_state(w.core), TEST_USER, false), 10,
	       "the oldest keys of a user are forgotten");
	for (int i = 0; i < 8; i++)
		submit(&w, OTHER_USER, 'a', 1);
	is_int(core_state(w.core)->key_count, 15, "... and the oldest of all");
	is_int(submit_keys_of(core_state(w.core), OTHER_USER, false), 8, "the newest are remembered");
	first = core_state(w.core)->next_job;
	world_restart(&w);
	is_int(core_state(w.core)->key_count, 15, "a new controller remembers the same");
	ok(submit(&w, TEST_USER, 'a', 1) && core_state(w.core)->next_job == first + 1,
	   "a new key makes a new job");
	w.policy.max_keys_of_user = 3;
	submit(&w, OTHER_USER, 'a', 1);
	is_int(submit_keys_of(core_state(w.core), OTHER_USER, false), 3, "a lower limit is reached");
	world_done(&w);
}

/* The row of a bound in the answer to LIMITS. */
static const Armada__LimitUse *limit(struct test_world *w, uint32_t uid, const char *name,
				     const char *scope)
{
	Armada__LimitsRequest m = ARMADA__LIMITS_REQUEST__INIT;
	const Armada__LimitsReply *r;

	world_send(w, uid, MSG_LIMITS, &m);
	if (w->out.effect_count != 1 || w->out.effects[0].kind != EFFECT_LIMITS)
		return NULL;
	r = msg_unpack_own(&armada__limits_reply__descriptor, w->out.effects[0].body,
			   w->out.effects[0].len, w->arena);
	for (size_t i = 0; r && i < r->n_rows; i++)
		if (strcmp(r->rows[i]->name, name) == 0 && strcmp(r->rows[i]->scope, scope) == 0)
			return r->rows[i];
	return NULL;
}

static void test_limits(void)
{
	static const struct permit watch = {
		.kind = PERMIT_USER, .name = "bob", .verbs = 1u << PERMIT_WATCH};
	const Armada__LimitUse *row;
	struct test_world w;

	world_init(&w);
	w.policy.max_jobs_of_user = 100;
	submit(&w, TEST_USER, 'a', 30);
	submit(&w, OTHER_USER, 'b', 40);
	row = limit(&w, ADMIN_USER, "jobs", "user");
	ok(row && row->known && row->used == 40 && row->bound == 100,
	   "an administrator sees the most that a user has, and the limit");
	is_str(row->option, "limits.jobs_per_user", "... and the option");
	is_int(row->n_users, 2, "... and the users");
	is_str(row->users[0]->user, "bob", "... the one with the most first");
	is_int(row->users[1]->used, 30, "... and the others after it");
	row = limit(&w, TEST_USER, "jobs", "user");
	ok(row && row->used == 30 && row->n_users == 1, "a user sees only its own values");
	row = limit(&w, TEST_USER, "submission keys", "user");
	ok(row && row->used == 1 && row->n_users == 1 && row->users[0]->uid == TEST_USER,
	   "... also where users are known by their uids");
	row = limit(&w, TEST_USER, "jobs", "all");
	is_int(row->used, 70, "the sum of all is shown to every user");
	ok(limit(&w, OTHER_USER, "stored", "user")->bytes, "bytes are marked");
	w.policy.permissions = &watch;
	w.policy.permission_count = 1;
	is_int(limit(&w, OTHER_USER, "jobs", "user")->n_users, 2,
	       "a user who may watch all jobs sees all users");
	world_done(&w);
}

int main(void)
{
	test_limits();
	test_shared();
	test_stored();
	test_ranges();
	test_update();
	test_jobs();
	test_keys();
	return done();
}
