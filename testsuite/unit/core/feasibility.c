/*
 * A job that could never start on the known nodes is refused, with the reason: a task that no node
 * could hold, a gang that all nodes together could not hold, or limits that no later state could
 * satisfy.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

struct shape {
	uint32_t tasks, nodes, min;
	int cpus;
	bool exclusive, tolerates;
	const char *uniformity, *include;
};

/* n1 and n2: 4 cpus, rack a; n3: 8 cpus, rack b; n4: 16 cpus, no rack, a taint. */
static void add_node(struct test_world *w, uint64_t conn, int cpus, const char *rack)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, memory = ARMADA__RESOURCE__INIT;
	Armada__Resource *resources[] = {&cpu, &memory};
	Armada__Label label = ARMADA__LABEL__INIT, *labels[] = {&label};
	Armada__Taint taint = ARMADA__TAINT__INIT, *taints[] = {&taint};
	uint8_t id[16] = {(uint8_t)conn};
	char name[8];

	snprintf(name, sizeof(name), "n%d", (int)conn);
	cpu.name = (char *)"cpu";
	cpu.amount = cpus * 1000;
	memory.name = (char *)"memory";
	memory.amount = INT64_C(64) << 30;
	label.key = (char *)"rack";
	label.value = (char *)rack;
	taint.key = (char *)"gpu";
	taint.value = (char *)"yes";
	taint.effect = (char *)"NoSchedule";
	m.name = name;
	m.node_id.data = m.spool_id.data = id;
	m.node_id.len = m.spool_id.len = sizeof(id);
	m.boot_id = (char *)"boot";
	m.resources = resources;
	m.n_resources = 2;
	m.labels = labels;
	m.n_labels = rack != NULL;
	m.taints = taints;
	m.n_taints = rack == NULL;
	world_agent(w, conn, MSG_REGISTER_NODE, &m);
}

static void init(struct test_world *w)
{
	world_init(w);
	add_node(w, 1, 4, "a");
	add_node(w, 2, 4, "a");
	add_node(w, 3, 8, "b");
	add_node(w, 4, 16, NULL);
}

static uint64_t submit(struct test_world *w, const struct shape *s)
{
	Armada__Toleration tol = ARMADA__TOLERATION__INIT, *tols[] = {&tol};
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, memory = ARMADA__RESOURCE__INIT;
	Armada__Resource *resources[] = {&cpu, &memory};
	char *include[] = {(char *)s->include};
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = s->cpus * 1000;
	memory.name = (char *)"memory";
	memory.amount = 1 << 20;
	group.resources = resources;
	group.n_resources = 2;
	group.replicas = s->tasks;
	spec.nodes = s->nodes;
	spec.tasks_per_node = s->nodes ? s->tasks / s->nodes : 0;
	spec.min_available = s->min;
	spec.exclusive = s->exclusive;
	spec.uniformity = (char *)(s->uniformity ? s->uniformity : "");
	spec.nodes_include = include;
	spec.n_nodes_include = s->include != NULL;
	tol.key = (char *)"gpu";
	tol.operator_ = (char *)"Exists";
	spec.tolerations = tols;
	spec.n_tolerations = s->tolerates;
	return world_submit(w, &spec);
}

static const struct {
	struct shape shape;
	const char *says; /* NULL: the job is accepted */
} cases[] = {
	{{.tasks = 4, .cpus = 4}, NULL},
	{{.tasks = 5, .cpus = 4},
	 "5 tasks must start together; 3 of the 4 nodes of this cluster could hold tasks, at most "
	 "4 in all"},
	{{.tasks = 8, .cpus = 4, .tolerates = true}, NULL},
	{{.tasks = 9, .cpus = 4, .tolerates = true}, "at most 8 in all"},
	{{.tasks = 5, .min = 4, .cpus = 4}, NULL},
	{{.tasks = 7, .min = 5, .cpus = 4}, "at least 5 tasks must start together"},
	{{.tasks = 3, .cpus = 2, .exclusive = true}, NULL},
	{{.tasks = 4, .cpus = 2, .exclusive = true},
	 "4 tasks must start together, each on a node of its own; 3 of the 4 nodes"},
	{{.tasks = 2, .cpus = 4, .include = "n1"},
	 "1 of the 4 nodes of this cluster could hold tasks"},
	{{.tasks = 1, .cpus = 9}, "cpu: 9 is more than any node has (the best is n3 with 8)"},
	/* distinct nodes */
	{{.tasks = 3, .nodes = 3, .cpus = 4}, NULL},
	{{.tasks = 4, .nodes = 4, .cpus = 4},
	 "4 nodes requested; only 3 of the 4 nodes of this cluster could hold a part of the job"},
	{{.tasks = 4, .nodes = 2, .cpus = 4}, "2 nodes requested; only 1 of the 4 nodes"},
	{{.tasks = 4, .nodes = 2, .min = 2, .cpus = 4}, NULL},
	{{.tasks = 4, .nodes = 4, .min = 3, .cpus = 4}, NULL},
	{{.tasks = 6, .nodes = 6, .min = 4, .cpus = 4}, "at least 4 nodes requested; only 3 of"},
	/* one value of a label */
	{{.tasks = 2, .cpus = 4, .uniformity = "rack"}, NULL},
	{{.tasks = 3, .cpus = 4, .uniformity = "rack"},
	 "3 tasks must be on nodes with one value of 'rack'; the nodes with rack=a could hold the "
	 "most, 2"},
	{{.tasks = 4, .cpus = 2, .uniformity = "rack"}, NULL},
	{{.tasks = 5, .min = 4, .cpus = 2, .uniformity = "rack"}, NULL},
	{{.tasks = 3, .nodes = 3, .cpus = 4, .uniformity = "rack"},
	 "3 nodes must be on nodes with one value of 'rack'"},
	{{.tasks = 2, .nodes = 2, .cpus = 4, .uniformity = "rack"}, NULL},
	{{.tasks = 4, .cpus = 4, .uniformity = "rack", .tolerates = true},
	 "could hold the most, 2"},
};

static void test_cases(void)
{
	struct test_world w;

	init(&w);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t id = submit(&w, &cases[i].shape);

		if (!cases[i].says) {
			ok(id != 0, "case %zu is accepted: %s", i, world_error(&w));
			continue;
		}
		has_str(world_error(&w), cases[i].says, "case %zu is refused: %s", i,
			cases[i].says);
		ok(!w.out.record, "the refused job changes nothing");
	}
	world_done(&w);
}

/* With hold_impossible, all jobs that were refused before are accepted. */
static void test_hold(void)
{
	struct shape unknown = {.tasks = 1, .cpus = 1, .include = "n9"};
	struct test_world w;

	init(&w);
	w.policy.hold_impossible = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ok(submit(&w, &cases[i].shape) != 0, "case %zu is accepted: %s", i,
		   world_error(&w));
	ok(submit(&w, &unknown) != 0, "a job for an unknown node is accepted too");
	world_done(&w);
}

static void refused(struct test_world *w, struct shape s, const char *says)
{
	ok(submit(w, &s) == 0, "refused: %s", says);
	has_str(world_error(w), says, "the error gives the reason");
}

/* Limits that no later state could satisfy. The cluster has 32 cpus. */
static void test_limits(void)
{
	struct test_world w;

	init(&w);
	w.policy.limits.jobs_per_round = 6;
	w.policy.limits.queue_rate = (struct sched_rate){1, 4};
	ok(submit(&w, &(struct shape){.tasks = 4, .cpus = 1}) != 0,
	   "a gang of the size of all limits is accepted");
	refused(&w, (struct shape){.tasks = 5, .cpus = 1},
		"5 tasks must start together, more than the 4 that a queue starts at once "
		"(scheduler.queue_burst)");
	refused(&w, (struct shape){.tasks = 7, .cpus = 1}, "the 6 that a round starts");
	w.policy.limits = (struct sched_limits){.rate = {0.5, 2}};
	refused(&w, (struct shape){.tasks = 3, .nodes = 3, .cpus = 1},
		"3 nodes must start together, more than the 2 that the cluster starts at once");
	w.policy.limits = (struct sched_limits){0};
	for (size_t i = 0; i < ARRAY_SIZE(w.classes); i++)
		w.classes[i].limit = (struct sched_fraction){.limited = 1, .of = {0.25}};
	ok(submit(&w, &(struct shape){.tasks = 4, .cpus = 2}) != 0,
	   "a gang of the size of a class limit is accepted");
	refused(&w, (struct shape){.tasks = 3, .cpus = 3},
		"cpu: 9 at once is more than the 8 (0.25 of all) that a queue in class "
		"'armada-default' "
		"may hold");
	w.policy.hold_impossible = true;
	ok(submit(&w, &(struct shape){.tasks = 3, .cpus = 3}) != 0,
	   "with hold_impossible a larger one is accepted");
	world_done(&w);
}

enum { MANY = 1000, NAMES = 10000 };

/* Submits jobs with these cpus in one request, each with a list of this many excluded nodes. */
struct flood {
	Armada__JobSpec specs[MANY], *jobs[MANY];
	Armada__TaskGroup groups[MANY], *of[MANY][1];
	Armada__Resource cpus[MANY], memory, *lists[MANY][2];
	char *names[NAMES];
	Armada__SubmitRequest request;
};

static struct flood *flood_of(int cpus)
{
	struct flood *f = xcalloc(1, sizeof(*f));

	armada__submit_request__init(&f->request);
	armada__resource__init(&f->memory);
	f->memory.name = (char *)"memory";
	f->memory.amount = 1 << 20;
	f->request.jobs = f->jobs;
	f->request.test_only = true;
	for (size_t i = 0; i < NAMES; i++)
		f->names[i] = (char *)"elsewhere";
	for (size_t i = 0; i < MANY; i++) {
		spec_init(&f->specs[i], &f->groups[i]);
		armada__resource__init(&f->cpus[i]);
		f->cpus[i].name = (char *)"cpu";
		f->cpus[i].amount = cpus * 1000;
		f->lists[i][0] = &f->cpus[i];
		f->lists[i][1] = &f->memory;
		f->groups[i].resources = f->lists[i];
		f->groups[i].n_resources = 2;
		f->of[i][0] = &f->groups[i];
		f->specs[i].groups = f->of[i];
		f->jobs[i] = &f->specs[i];
	}
	return f;
}

static bool accepted(struct test_world *w, struct flood *f, size_t count)
{
	f->request.n_jobs = count;
	/* admission fills in the queue, and its text lives as long as the request */
	for (size_t i = 0; i < count; i++)
		f->specs[i].queue = (char *)"";
	world_send(w, TEST_USER, MSG_SUBMIT, &f->request);
	return world_reply(w, MSG_SUBMIT_REPLY) != NULL;
}

/*
 * The check of many jobs with thousands of names each takes a bounded time, so that it does not
 * block other requests.
 */
static void test_many(void)
{
	struct flood *f = flood_of(1);
	struct test_world w;

	init(&w);
	f->cpus[2].amount = 20000;
	ok(!accepted(&w, f, 3) && strstr(world_error(&w), "job 3: cpu: 20 is more than any node"),
	   "a job that differs from those before it is checked");
	f->cpus[2].amount = 1000;
	f->specs[2].n_nodes_exclude = 4;
	f->specs[2].nodes_exclude =
		(char *[]){(char *)"n1", (char *)"n2", (char *)"n3", (char *)"n4"};
	ok(!accepted(&w, f, 3) && strstr(world_error(&w), "job 3: no node matches"),
	   "a job that differs only in its lists is checked");
	for (size_t i = 0; i < MANY; i++) {
		f->specs[i].nodes_exclude = f->names;
		f->specs[i].n_nodes_exclude = NAMES - i % 2;
	}
	f->cpus[399].amount = 20000;
	ok(!accepted(&w, f, 400) && strstr(world_error(&w), "job 400: cpu: 20 is more than"),
	   "hundreds of jobs with thousands of names are checked");
	f->cpus[399].amount = 1000;
	f->cpus[MANY - 1].amount = 20000;
	ok(accepted(&w, f, MANY), "beyond that the remaining jobs are accepted unchecked");
	world_done(&w);
	free(f);
}

int main(void)
{
	test_cases();
	test_hold();
	test_limits();
	test_many();
	return done();
}
