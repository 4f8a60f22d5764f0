/*
 * The usage of running tasks, as nodes report it: what listings show, which reports do not count, and
 * that nothing of it is durable.
 */
#include "fixture.h"
#include "tap/tap.h"

enum { NODE1 = 1, NODE2 = 2, STRANGER = 9 };

static void report(struct test_world *w, uint64_t conn, uint64_t job, uint32_t rank,
		   uint32_t attempt, int64_t cpu_us, int64_t max_rss)
{
	Armada__UsageReport m = ARMADA__USAGE_REPORT__INIT;
	Armada__TaskUsage t = ARMADA__TASK_USAGE__INIT, *list[] = {&t};
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
	Armada__Usage usage = ARMADA__USAGE__INIT;

	key.job = job;
	key.rank = rank;
	key.attempt = attempt;
	usage.cpu_us = cpu_us;
	usage.max_rss_bytes = max_rss;
	usage.group_peak_bytes = max_rss > 0 ? 2 * (max_rss / 2) : 0;
	usage.read_bytes = usage.written_bytes = 7;
	usage.user_us = cpu_us / 2;
	t.key = &key;
	t.usage = &usage;
	m.tasks = list;
	m.n_tasks = 1;
	world_agent(w, conn, MSG_USAGE, &m);
}

/* A running job with a task on n1, and another on n2 if it has two. */
static uint64_t begin_job(struct test_world *w, uint32_t tasks)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t job;

	world_init(w);
	world_node(w, NODE1, "n1", 4, "boot1", 1);
	world_node(w, NODE2, "n2", 4, "boot2", 2);
	spec_init(&spec, &group);
	group.replicas = tasks;
	job = world_submit(w, &spec);
	ok(!world_row(w, job)->usage, "a pending job has no usage");
	world_decide(w, job, 0, tasks > 1 ? "n1 n2" : "n1");
	return job;
}

static void start(struct test_world *w, uint64_t job, uint32_t tasks, uint32_t attempt)
{
	for (uint32_t i = 0; tasks > 1 && i < tasks; i++)
		world_ready(w, NODE1 + i, job, 0, i, attempt);
	for (uint32_t i = 0; i < tasks; i++)
		world_started(w, NODE1 + i, job, 0, i, attempt);
}

static void test_shown(void)
{
	const Armada__Usage *u;
	struct test_world w;
	uint64_t job = begin_job(&w, 2);
	size_t records;

	report(&w, NODE1, job, 0, 1, 5, 5);
	start(&w, job, 2, 1);
	is_int(world_state(&w, job, 0), ARMADA__JOB_STATE__JOB_RUNNING, "the job runs");
	ok(!world_row(&w, job)->usage, "a report before the start does not count");
	records = w.record_count;
	report(&w, NODE1, job, 0, 1, 1000, 300);
	ok(!world_row(&w, job)->usage, "one of two tasks is known: the sum is not");
	report(&w, NODE2, job, 1, 1, 20, 400);
	u = world_row(&w, job)->usage;
	is_int(u ? u->cpu_us : -1, 1020, "processor time is the sum");
	is_int(u ? u->max_rss_bytes : -1, 400, "memory is that of the largest task");
	is_int(u ? u->group_peak_bytes : -1, 400, "also with the page cache");
	is_int(u ? u->read_bytes : -1, 14, "reads are the sum");
	is_int(u ? u->user_us : -1, 510, "so is the time in user mode");
	report(&w, NODE1, job, 0, 1, 2000, 500);
	u = world_row(&w, job)->usage;
	is_int(u ? u->cpu_us : -1, 2020, "a later report replaces the earlier one");
	is_int((long long)w.record_count, (long long)records, "nothing is logged");
	world_restart(&w);
	world_node(&w, NODE1, "n1", 4, "boot1", 1);
	world_node(&w, NODE2, "n2", 4, "boot2", 2);
	start(&w, job, 2, 1);
	ok(!world_row(&w, job)->usage, "a new controller does not know it");
	report(&w, NODE1, job, 0, 1, 3000, 1);
	report(&w, NODE2, job, 1, 1, 3000, 1);
	ok(world_row(&w, job)->usage, "until the nodes report again");
	world_done(&w);
}

static void test_refused(void)
{
	const Armada__Usage *u;
	struct test_world w;
	uint64_t job = begin_job(&w, 1);

	start(&w, job, 1, 1);
	report(&w, NODE2, job, 0, 1, 1, 1);
	report(&w, STRANGER, job, 0, 1, 1, 1);
	report(&w, NODE1, job, 0, 2, 1, 1);
	report(&w, NODE1, job, 1, 1, 1, 1);
	report(&w, NODE1, job + 1, 0, 1, 1, 1);
	ok(!world_row(&w, job)->usage, "of another node, connection, attempt, task, job: ignored");
	report(&w, NODE1, job, 0, 1, -5, INT64_MAX);
	u = world_row(&w, job)->usage;
	is_int(u ? u->cpu_us : -1, 0, "a negative figure is 0");
	is_int(u ? u->max_rss_bytes : -1, INT64_C(1) << 53, "a huge one is cut");
	world_done(&w);
}

static void test_attempts(void)
{
	struct test_world w;
	uint64_t job = begin_job(&w, 1);

	start(&w, job, 1, 1);
	report(&w, NODE1, job, 0, 1, 5000, 5000);
	world_ended(&w, NODE1, job, 0, 0, 1, ARMADA__END_CAUSE__END_NODE, 0);
	report(&w, NODE1, job, 0, 1, 6000, 6000);
	world_decide(&w, job, 0, "n2");
	ok(!world_row(&w, job)->usage, "a new attempt has not used anything");
	world_started(&w, NODE2, job, 0, 0, 2);
	ok(!world_row(&w, job)->usage, "nor is known what it uses when it starts");
	report(&w, NODE1, job, 0, 2, 1, 1);
	ok(!world_row(&w, job)->usage, "the earlier node does not count");
	report(&w, NODE2, job, 0, 2, 1, 1);
	ok(world_row(&w, job)->usage, "the node counts");
	world_done(&w);
}

int main(void)
{
	test_shown();
	test_refused();
	test_attempts();
	return done();
}
