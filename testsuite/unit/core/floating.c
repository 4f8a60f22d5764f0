/*
 * Licenses of jobs in the core: admission, validation of decisions, totals that change, replay and
 * snapshot.
 */
#include "fixture.h"
#include "core/state/state.h"
#include "tap/tap.h"

#include <errno.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static const struct armada_option_pair cfd[] = {{"cfd", 2}};
static struct conf_floating floating[] = {
	{.name = "matlab", .total = 5},
	{.name = "ansys", .total = 4, .queues = cfd, .queue_count = 1}};

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

/* An administrator sets a total. */
static void set_total(struct test_world *w, const char *name, int64_t total, bool reset)
{
	Armada__SetFloatingRequest m = ARMADA__SET_FLOATING_REQUEST__INIT;

	m.name = (char *)name;
	m.total = total;
	m.reset = reset;
	world_send(w, ADMIN_USER, MSG_SET_FLOATING, &m);
}

static void others_use(struct test_world *w, int64_t count, const char *problem)
{
	struct input in = {
		.kind = INPUT_FLOATING, .resource = "matlab", .outside = count, .text = problem};

	world_feed(w, &in);
}

static const Armada__ResourceRow *row_of(struct test_world *w, const char *name)
{
	Armada__ResourcesRequest m = ARMADA__RESOURCES_REQUEST__INIT;
	const Armada__ResourcesReply *r;

	world_send(w, ADMIN_USER, MSG_RESOURCES, &m);
	r = world_reply(w, MSG_RESOURCES_REPLY);
	return r->rows[resource_index(name)];
}

static int64_t total(struct test_world *w)
{
	return core_state(w->core)->floating_total.amount[resource_index("matlab")];
}

static void test_totals(void)
{
	const Armada__ResourceRow *row;
	struct test_world w;
	uint64_t a, b;

	begin(&w);
	configure(&w, 5);
	set_total(&w, "matlab", 3, false);
	is_int(total(&w), 3, "a total is set at run time");
	configure(&w, 5);
	world_restart(&w);
	is_int(total(&w), 3, "it stays over a reload of the same file, and a restart");
	configure(&w, 6);
	is_int(total(&w), 6, "another total in armada.conf replaces it");
	set_total(&w, "matlab", 2, false);
	set_total(&w, "matlab", 0, true);
	is_int(total(&w), 6, "default is that of armada.conf");
	set_total(&w, "matlb", 1, false);
	has_str(world_error(&w), "did you mean 'matlab'", "an unknown name is refused");
	set_total(&w, "cpu", 1, false);
	has_str(world_error(&w), "belongs to nodes", "so is a resource of nodes");
	set_total(&w, "matlab", -1, false);
	has_str(world_error(&w), "expected 0 to", "and a negative total");
	is_int(total(&w), 6, "refusals change nothing");

	world_node(&w, 1, "n1", 64, "boot", 1);
	floating[0].source = "/bin/true";
	configure(&w, 6);
	a = submit(&w, "matlab", 3, false);
	b = submit(&w, "matlab", 2, false);
	others_use(&w, 2, "");
	ok(starts(&w, a, "n1"), "what others use counts: 3 of 6 are left");
	ok(!starts(&w, b, "n1"), "and then 1");
	others_use(&w, 1, "");
	ok(starts(&w, b, "n1"), "when others give back one, the job starts");
	others_use(&w, 2, "");
	world_restart(&w);
	others_use(&w, 2, "it hangs");
	row = row_of(&w, "matlab");
	is_int(row->total, 6, "the row has the total");
	is_int(row->used, 5, "what is held");
	is_int(row->outside, 2, "what others use, also after a restart");
	is_str(row->problem, "it hangs", "and why the program has no answer");
	is_int(row->n_holders, 2, "two jobs hold some");
	is_int(row->holders[0]->amount, 3, "the one with most is the first");
	is_int(row_of(&w, "ansys")->n_reserved, 1, "reservations are there");
	is_int(row_of(&w, "cpu")->nodes, 1, "resources of nodes have a row, too");
	floating[0].source = "";
	configure(&w, 6);
	is_int(row_of(&w, "matlab")->outside, 0, "without a source others use none");
	world_done(&w);
}

/* A restart with an armada.conf that lacks a resource. */
static void test_removed(const struct resource_row *rows)
{
	struct test_world w;
	struct err err = {0};

	begin(&w);
	configure(&w, 6);
	submit(&w, "matlab", 1, false);
	submit(&w, "matlab", 2, true);
	is_int(core_has_resources(w.core, &err), 0, "all resources are in the table");
	resource_table_set(rows + 1, 1, &err);
	world_restart(&w);
	is_int(core_has_resources(w.core, &err), -EINVAL, "a job asks for one that is not");
	has_str(err.text, "matlab is missing in armada.conf, but jobs ask for it: 1, 2",
		"the error has the jobs");
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
	test_totals();
	test_removed(rows);
	return done();
}
