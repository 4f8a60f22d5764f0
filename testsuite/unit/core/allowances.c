/* Limits of queues and users in absolute numbers: at submission, at each start, and in between. */
#include "fixture.h"
#include "members.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/* A node with room for all; who submits is "ann" or whoever the fixture says. */
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

/* A job of so many cpus; 0 and the words of the refusal. */
static uint64_t submit(struct test_world *w, int cpus)
{
	Armada__Resource cpu, *list[1];
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec_cpus(&group, cpus, &cpu, list);
	return world_submit(w, &spec);
}

/* Below 0: it has none. */
static void queue_most(struct test_world *w, const char *queue, enum most_kind kind, int64_t most,
		       bool each)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	Armada__Limit limit = ARMADA__LIMIT__INIT, *list[] = {&limit};

	limit.kind = (Armada__LimitKind)kind;
	limit.most = most;
	spec.name = (char *)queue;
	spec.set_most = !each;
	spec.set_user_most = each;
	spec.most = spec.user_most = list;
	spec.n_most = !each;
	spec.n_user_most = each;
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
	w.policy.user_most.set = 0;
	for (int i = 0; i < 4; i++)
		job[i] = submit(&w, 2);
	queue = arena_strdup(w.arena, world_row(&w, job[0])->queue);
	most_put(&w.policy.user_most, MOST_RUNNING, 2);
	ok(starts(&w, job[0]) && starts(&w, job[1]), "as many start as a user may have");
	ok(!starts(&w, job[2]), "not one more, whatever a round decided that knew another limit");
	most_put(&w.policy.user_most, MOST_RUNNING, 9);
	most_put(&w.policy.user_most, MOST_CPU, 5000);
	ok(!starts(&w, job[2]), "nor beyond its cpus");
	most_put(&w.policy.user_most, MOST_CPU, 6000);
	ok(starts(&w, job[2]), "up to which it may");
	w.policy.user_most = (struct most){0};
	queue_most(&w, queue, MOST_RUNNING, 3, false);
	ok(!starts(&w, job[3]), "nor beyond what the queue may");
	queue_most(&w, queue, MOST_CPU, 8000, true);
	queue_most(&w, queue, MOST_RUNNING, -1, false);
	ok(starts(&w, job[3]), "a limit that is gone holds nobody");
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
	most_put(&w.policy.user_most, MOST_RUNNING, 1);
	ok(starts(&w, job[0]) && !starts(&w, job[1]), "one runs, as of everybody");
	most_put(&users[1].most, MOST_RUNNING, 2);
	ok(starts(&w, job[1]) && !starts(&w, job[2]), "two of who may have two by name");
	w.policy.users = NULL;
	w.policy.user_count = 0;
	world_done(&w);
}

static void test_ends(void)
{
	struct test_world w;
	uint64_t first, second;

	begin(&w);
	most_put(&w.policy.user_most, MOST_RUNNING, 1);
	first = submit(&w, 1);
	second = submit(&w, 1);
	ok(starts(&w, first) && !starts(&w, second), "one runs");
	world_started(&w, 1, first, 0, 0, 1);
	world_preempt(&w, first, 0);
	ok(!starts(&w, second), "who is preempted counts until the end");
	world_ended(&w, 1, first, 0, 0, 1, ARMADA__END_CAUSE__END_PREEMPTED, 0);
	ok(starts(&w, second), "and not afterwards");
	world_restart(&w);
	world_node(&w, 1, "n1", 64, "boot", 1);
	ok(!starts(&w, first), "a controller that comes back counts the same");
	world_done(&w);
}

static void test_gang(void)
{
	struct member m = {.id = "g", .cardinality = 2};
	struct test_world w;
	uint64_t lead;

	members_begin(&w);
	lead = member_submit(&w, m);
	member_submit(&w, m);
	most_put(&w.policy.user_most, MOST_RUNNING, 1);
	world_decide(&w, lead, 0, "n1 n2");
	is_int(world_leased(&w), 0, "each member of a gang counts");
	most_put(&w.policy.user_most, MOST_RUNNING, 2);
	world_decide(&w, lead, 0, "n1 n2");
	is_int(world_leased(&w), 2, "all of them may start");
	most_put(&w.policy.user_most, MOST_RUNNING, 1);
	m.id = "h";
	is_int((int64_t)member_submit(&w, m) > 0, 1, "a member alone is taken");
	is_int((int64_t)member_submit(&w, m), 0,
	       "the one with whom it is more than may ever run not");
	has_str(world_error(&w),
		 "2 jobs at once are more than the 1 that each user may have running "
		 "(user_limits.max_running)",
		 "and is told so");
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
	queue_most(&w, queue, MOST_CPU, 3000, true);
	is_int((int64_t)submit(&w, 4), 0, "more than each user of the queue may is refused");
	has_str(world_error(&w), "cpu: 4 at once is more than the 3 that each user in queue",
		 "which is said");
	has_str(world_error(&w), "(user_max_cpus)", "by the limit's name");
	ok(submit(&w, 3) != 0, "as much is taken");
	queue_most(&w, queue, MOST_CPU, -1, true);
	queue_most(&w, queue, MOST_RUNNING, 0, false);
	is_int((int64_t)submit(&w, 1), 0, "nothing at all is a limit");
	has_str(world_error(&w), "1 job at once is more than the 0 that queue", "and is told so");
	w.policy.hold_impossible = true;
	ok(submit(&w, 1) != 0, "where the impossible may wait it waits");
	w.policy.hold_impossible = false;
	queue_most(&w, queue, MOST_RUNNING, -1, false);
	most_put(&users[0].most, MOST_CPU, 2000);
	w.policy.users = users;
	w.policy.user_count = 1;
	is_int((int64_t)submit(&w, 3), 0, "by name");
	has_str(world_error(&w), "(users.max_cpus)", "too");
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
