/*
 * Licenses of jobs in the core: admission, validation of decisions, totals that change, replay and
 * snapshot.
 */
#include "fixture.h"
#include "core/state/state.h"
#include "tap/tap.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static const struct armada_option_pair cfd[] = {{"cfd", 2}};
static struct conf_floating floating[] = {{"matlab", 5, NULL, 0}, {"ansys", 4, cfd, 1}};

static void begin(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 64, "boot", 1);
}

/* The policy takes effect with another total. */
static void configure(struct test_world *w, int64_t total)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &w->policy};

	floating[0].total = total;
	w->policy.floating = floating;
	w->policy.floating_count = 2;
	world_feed(w, &in);
}

static uint64_t submit(struct test_world *w, const char *name, int64_t amount, bool per_task)
{
	Armada__Resource r = ARMADA__RESOURCE__INIT, *list[] = {&r};
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	r.name = (char *)name;
	r.amount = amount;
	if (per_task) {
		group.replicas = 2;
		group.resources = list;
		group.n_resources = 1;
	} else {
		spec.licenses = list;
		spec.n_licenses = 1;
	}
	return world_submit(w, &spec);
}

static bool starts(struct test_world *w, uint64_t job, const char *nodes)
{
	world_decide(w, job, 0, nodes);
	return world_state(w, job, 0) == JOB(CONFIGURING);
}

static int64_t held(struct test_world *w)
{
	return core_state(w->core)->floating_held.amount[resource_index("matlab")];
}

static void test_admission(void)
{
	struct test_world w;

	begin(&w);
	configure(&w, 5);
	is_int(submit(&w, "matlab", 6, false), 0, "more than there are is refused");
	has_str(world_error(&w), "matlab: 6 is more than the cluster has (5)", "with both numbers");
	is_int(submit(&w, "ansys", 3, false), 0, "so is what is reserved for others");
	has_str(world_error(&w), "2 of 4; 2 are reserved for other queues", "with the reason");
	is_int(submit(&w, "matlb", 1, false), 0, "an unknown name is refused");
	has_str(world_error(&w), "did you mean 'matlab'", "with a near name");
	is_int(submit(&w, "cpu", 1, false), 0, "cpus are no licenses");
	has_str(world_error(&w), "belongs to nodes", "the error says so");
	is_int(submit(&w, "matlab", -1, false), 0, "a negative amount is refused");
	is_int(submit(&w, "matlab", 3, true), 0, "of each task means of all tasks");
	has_str(world_error(&w), "matlab: 6 is more", "the sum counts");
	w.policy.hold_impossible = true;
	ok(submit(&w, "matlab", 6, false) > 0, "with hold_impossible such a job waits");
	world_done(&w);
}

/* The licenses that the queue of the jobs uses now, and the integral of their use. */
static int64_t used_by_queue(const struct test_world *w, int64_t *ret_us)
{
	size_t matlab = resource_index("matlab");
	const struct queue *q = queue_find(core_state(w->core), "ann");

	*ret_us = (int64_t)queue_use_open(q, w->wall_us).sum[matlab];
	return q->held.amount[matlab];
}

static void test_start(void)
{
	struct test_world w;
	uint64_t a, b, c;
	int64_t used_us, before_us;

	begin(&w);
	configure(&w, 5);
	a = submit(&w, "matlab", 3, false);
	b = submit(&w, "matlab", 3, false);
	c = submit(&w, "matlab", 1, true);
	ok(starts(&w, a, "n1"), "a job starts");
	is_int(held(&w), 3, "and holds its licenses");
	is_int(used_by_queue(&w, &used_us), 3, "its queue uses them");
	before_us = used_us - 3 * w.wall_us;
	world_tick(&w, 5000000);
	used_by_queue(&w, &used_us);
	is_int(used_us - 3 * w.wall_us, before_us, "the use over time counts all three");
	ok(!starts(&w, b, "n1"), "a decision that needs more than is free is dropped");
	ok(starts(&w, c, "n1 n1"), "one that does not is carried out");
	is_int(held(&w), 5, "both hold theirs");
	configure(&w, 2);
	is_int(held(&w), 5, "a reduction ends nothing");
	world_ended(&w, 1, a, 0, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	is_int(held(&w), 2, "the end of a job gives back its licenses");
	ok(!starts(&w, b, "n1"), "a decision is checked against the new total");
	world_ended(&w, 1, c, 0, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	is_int(held(&w), 2, "an element holds all until its last task has ended");
	world_restart(&w);
	is_int(held(&w), 2, "a restart keeps what is held");
	is_int(used_by_queue(&w, &used_us), 2, "by the queue, too");
	is_int(core_state(w.core)->floating_total.amount[resource_index("matlab")], 2,
	       "and the total");
	world_done(&w);
}

int main(void)
{
	static const struct resource_row rows[] = {{"matlab", RESOURCE_COUNT, true},
						   {"ansys", RESOURCE_COUNT, true}};
	struct err err;

	is_int(resource_table_set(rows, 2, &err), 0, "the table has two floating resources");
	test_admission();
	test_start();
	return done();
}
