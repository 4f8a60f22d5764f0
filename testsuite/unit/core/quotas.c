/*
 * Absolute limits on running jobs and their resources, for queues, for users in queues, and for
 * users: checked at submission and at each start.
 */
#include "fixture.h"
#include "gang_members.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/*
 * Makes a world with a node that has room for all jobs. The submitter is "ann", or another user of
 * the fixture.
 */
static void begin(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 64, "boot", 1);
}

static const char *user_of(struct test_world *w, uint64_t job)
{
	return world_row(w, job)->user;
}

static bool starts(struct test_world *w, uint64_t job)
{
	world_decide(w, job, 0, "n1");
	return world_state(w, job, 0) == JOB(CONFIGURING);
}

/* Submits a job of this many cpus. Returns its id; 0 if it is refused. */
static uint64_t submit(struct test_world *w, int cpus)
{
	Armada__Resource cpu, *list[1];
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec_cpus(&group, cpus, &cpu, list);
	return world_submit(w, &spec);
}

/* A negative value removes the limit. */
static void queue_quota(struct test_world *w, const char *queue, enum quota_kind kind,
			int64_t quota, bool each)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	Armada__Limit limit = ARMADA__LIMIT__INIT, *list[] = {&limit};

	limit.kind = (Armada__LimitKind)kind;
	limit.value = quota;
	spec.name = (char *)queue;
	spec.set_quota = !each;
	spec.set_user_quota = each;
	spec.quota = spec.user_quota = list;
	spec.n_quota = !each;
	spec.n_user_quota = each;
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE;
	m.spec = &spec;
	world_send(w, ADMIN_USER, MSG_QUEUE, &m);
}

static void test_start(void)
{
	struct test_world w;
	uint64_t job[4];
	const char *queue;

	begin(&w);
	w.policy.user_quota.set = 0;
	for (int i = 0; i < 4; i++)
		job[i] = submit(&w, 2);
	queue = arena_strdup(w.arena, world_row(&w, job[0])->queue);
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 2);
	ok(starts(&w, job[0]) && starts(&w, job[1]),
	   "as many jobs start as a user may have running");
	ok(!starts(&w, job[2]), "no further job starts, even if the round used an older limit");
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 9);
	quota_put(&w.policy.user_quota, QUOTA_CPU, 5000);
	ok(!starts(&w, job[2]), "a job beyond the cpus of the user does not start");
	quota_put(&w.policy.user_quota, QUOTA_CPU, 6000);
	ok(starts(&w, job[2]), "a job within the cpus of the user starts");
	w.policy.user_quota = (struct quota){0};
	queue_quota(&w, queue, QUOTA_RUNNING, 3, false);
	ok(!starts(&w, job[3]), "a job beyond the limit of the queue does not start");
	queue_quota(&w, queue, QUOTA_CPU, 8000, true);
	queue_quota(&w, queue, QUOTA_RUNNING, -1, false);
	ok(starts(&w, job[3]), "a removed limit has no effect");
	world_done(&w);
}

static void test_named(void)
{
	struct test_world w;
	struct sched_user users[] = {{.name = "aaa"}, {.name = NULL}, {.name = "zzz"}};
	uint64_t job[3];

	begin(&w);
	for (int i = 0; i < 3; i++)
		job[i] = submit(&w, 1);
	users[1].name = arena_strdup(w.arena, user_of(&w, job[0]));
	w.policy.users = users;
	w.policy.user_count = ARRAY_SIZE(users);
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 1);
	ok(starts(&w, job[0]) && !starts(&w, job[1]), "one job runs under the limit of every user");
	quota_put(&users[1].quota, QUOTA_RUNNING, 2);
	ok(starts(&w, job[1]) && !starts(&w, job[2]), "a user with a limit by name may have two");
	w.policy.users = NULL;
	w.policy.user_count = 0;
	world_done(&w);
}

static void test_ends(void)
{
	struct test_world w;
	uint64_t first, second;

	begin(&w);
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 1);
	first = submit(&w, 1);
	second = submit(&w, 1);
	ok(starts(&w, first) && !starts(&w, second), "one job runs");
	world_started(&w, 1, first, 0, 0, 1);
	world_preempt(&w, first, 0);
	ok(!starts(&w, second), "a preempted job counts until it ends");
	world_ended(&w, 1, first, 0, 0, 1, ARMADA__END_CAUSE__END_PREEMPTED, 0);
	ok(starts(&w, second), "an ended job does not count");
	world_restart(&w);
	world_node(&w, 1, "n1", 64, "boot", 1);
	ok(!starts(&w, first), "a restarted controller has the same counts");
	world_done(&w);
}

static void test_gang(void)
{
	struct gang_member m = {.id = "g", .cardinality = 2};
	struct test_world w;
	uint64_t lead;

	gang_members_begin(&w);
	lead = gang_member_submit(&w, m);
	gang_member_submit(&w, m);
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 1);
	world_decide(&w, lead, 0, "n1 n2");
	is_int(world_leased(&w), 0, "each member of a gang counts");
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 2);
	world_decide(&w, lead, 0, "n1 n2");
	is_int(world_leased(&w), 2, "a gang within the limit starts");
	quota_put(&w.policy.user_quota, QUOTA_RUNNING, 1);
	m.id = "h";
	is_int((int64_t)gang_member_submit(&w, m), 0,
	       "the first member of a gang that is larger than the limit is refused");
	has_str(world_error(&w),
		"2 jobs at once are more than the 1 that each user may have running "
		"(user_limits.max_running)",
		"the error names the limit");
	world_done(&w);
}

static void test_submission(void)
{
	struct sched_user users[] = {{.name = NULL}};
	struct test_world w;
	uint64_t job;
	const char *queue;

	begin(&w);
	job = submit(&w, 4);
	queue = arena_strdup(w.arena, world_row(&w, job)->queue);
	users[0].name = arena_strdup(w.arena, user_of(&w, job));
	queue_quota(&w, queue, QUOTA_CPU, 3000, true);
	is_int((int64_t)submit(&w, 4), 0,
	       "a job larger than the limit of each user of the queue is refused");
	has_str(world_error(&w), "cpu: 4 at once is more than the 3 that each user in queue",
		"the error gives the numbers");
	has_str(world_error(&w), "(user_max_cpus)", "the error names the limit");
	ok(submit(&w, 3) != 0, "a job of the size of the limit is accepted");
	queue_quota(&w, queue, QUOTA_CPU, -1, true);
	queue_quota(&w, queue, QUOTA_RUNNING, 0, false);
	is_int((int64_t)submit(&w, 1), 0, "a limit of 0 refuses every job");
	has_str(world_error(&w), "1 job at once is more than the 0 that queue",
		"the error names the limit of 0");
	w.policy.hold_impossible = true;
	ok(submit(&w, 1) != 0, "with hold_impossible such a job is accepted");
	w.policy.hold_impossible = false;
	queue_quota(&w, queue, QUOTA_RUNNING, -1, false);
	quota_put(&users[0].quota, QUOTA_CPU, 2000);
	w.policy.users = users;
	w.policy.user_count = 1;
	is_int((int64_t)submit(&w, 3), 0, "a limit by user name refuses a larger job");
	has_str(world_error(&w), "(users.max_cpus)", "the error names it");
	w.policy.users = NULL;
	w.policy.user_count = 0;
	world_done(&w);
}

int main(void)
{
	test_start();
	test_named();
	test_ends();
	test_gang();
	test_submission();
	return done();
}
