/* Gangs of jobs: what is refused, when they begin, and how they go back. */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

/* What differs from a member of gang g of 2, one task of 1 cpu. */
struct member {
	const char *id, *name, *class, *uniformity, *queue, *job_set;
	uint32_t cardinality, min, tasks, nodes, least;
	int cpus;
	bool exclusive, array, hold, no_requeue, no_gang;
};

struct made {
	Armada__JobSpec spec;
	Armada__TaskGroup group, *groups[1];
	Armada__Resource cpu, *list[1];
	Armada__IndexRange range, *array[1];
};

static char *text(const char *s)
{
	return (char *)(s ? s : "");
}

static Armada__JobSpec *make(struct made *m, const struct member *from)
{
	spec_init(&m->spec, &m->group);
	m->groups[0] = &m->group;
	m->spec.groups = m->groups;
	m->group.replicas = from->tasks ? from->tasks : 1;
	armada__resource__init(&m->cpu);
	m->cpu.name = (char *)"cpu";
	m->cpu.amount = (from->cpus ? from->cpus : 1) * 1000;
	m->list[0] = &m->cpu;
	m->group.resources = m->list;
	m->group.n_resources = 1;
	m->spec.name = (char *)(from->name ? from->name : "train");
	m->spec.gang_id = (char *)(from->no_gang ? "" : from->id ? from->id : "g");
	m->spec.gang_cardinality = from->cardinality;
	m->spec.gang_min = from->min;
	m->spec.min_available = from->least;
	m->spec.nodes = from->nodes;
	m->spec.priority_class = text(from->class);
	m->spec.uniformity = text(from->uniformity);
	m->spec.queue = text(from->queue);
	m->spec.job_set = text(from->job_set);
	m->spec.exclusive = from->exclusive;
	m->spec.hold = from->hold;
	m->spec.no_requeue = from->no_requeue;
	if (from->array) {
		armada__index_range__init(&m->range);
		m->range.last = 3;
		m->array[0] = &m->range;
		m->spec.array = m->array;
		m->spec.n_array = 1;
	}
	return &m->spec;
}

/* A request of several jobs; the first id, 0 when refused. */
static uint64_t submit_all(struct test_world *w, const struct member *list, size_t count)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	static struct made made[16];
	Armada__JobSpec *jobs[16];
	const Armada__SubmitReply *r;

	for (size_t i = 0; i < count; i++)
		jobs[i] = make(&made[i], &list[i]);
	m.jobs = jobs;
	m.n_jobs = count;
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	r = world_reply(w, MSG_SUBMIT_REPLY);
	return r && r->n_ids == count ? r->ids[0] : 0;
}

static uint64_t submit(struct test_world *w, struct member m)
{
	return submit_all(w, &m, 1);
}

static const Armada__JobRow *row_of(struct test_world *w, uint64_t job)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;

	m.after_id = job - 1;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	r = world_reply(w, MSG_LIST_JOBS_REPLY);
	return r->n_rows && r->rows[0]->job == job ? r->rows[0] : NULL;
}

static const char *reason_of(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *r = row_of(w, job);

	return r ? r->reason : "";
}

static void cancel(struct test_world *w, uint64_t id)
{
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *list[] = {&r};

	r.first = r.last = id;
	f.ids = list;
	f.n_ids = 1;
	m.filter = &f;
	world_send(w, TEST_USER, MSG_CANCEL, &m);
}

static void release(struct test_world *w, uint64_t id)
{
	Armada__HoldRequest m = ARMADA__HOLD_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *list[] = {&r};

	r.first = r.last = id;
	f.ids = list;
	f.n_ids = 1;
	m.filter = &f;
	m.release = true;
	world_send(w, TEST_USER, MSG_HOLD, &m);
}

/* How many were leased by the last input. */
static int leased(const struct test_world *w)
{
	int n = 0;

	for (size_t i = 0; w->out.decoded && i < w->out.decoded->n_events; i++)
		n += w->out.decoded->events[i]->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED;
	return n;
}

/* Two nodes of 4 cpus. */
static void begin(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot1", 2);
}

static const struct {
	struct member jobs[3];
	size_t count;
	const char *says;
} refusals[] = {
	{{{.no_gang = true, .cardinality = 2}}, 1, "say --gang-id too"},
	{{{.no_gang = true, .min = 1}}, 1, "say --gang-id too"},
	{{{.cardinality = 0}}, 1, "gang g: how many members it has must be said: at least 1"},
	{{{.cardinality = 2, .min = 3}}, 1, "gang g: at least 3 of 2 members cannot be"},
	{{{.cardinality = 20000}}, 1, "at most 10000 are accepted (limits.tasks_per_job)"},
	{{{.cardinality = 2, .array = true}}, 1, "an array cannot be a member of a gang"},
	{{{.cardinality = 2, .tasks = 4, .least = 2}}, 1, "begins with all of its tasks"},
	{{{.cardinality = 2}, {.cardinality = 3, .name = "train-2"}},
	 2,
	 "gang g: job 2 of the request (train-2) says cardinality 3, and job 1 of the request "
	 "(train) said 2"},
	{{{.cardinality = 3}, {.cardinality = 3}, {.cardinality = 3, .min = 2, .name = "x"}},
	 3,
	 "job 3 of the request (x) says minimum 2, and job 1 of the request (train) said 3"},
	{{{.cardinality = 2}, {.cardinality = 2, .class = "armada-preemptible"}},
	 2,
	 "says class armada-preemptible, and job 1 of the request (train) said armada-default"},
	{{{.cardinality = 2}, {.cardinality = 2, .exclusive = true}},
	 2,
	 "says exclusive yes, and job 1 of the request (train) said no"},
	{{{.cardinality = 2}, {.cardinality = 2}, {.cardinality = 2, .name = "third"}},
	 3,
	 "gang g: job 3 of the request (third) is one too many: it has its 2 members"},
	{{{.cardinality = 2, .tasks = 6000, .cpus = 1}, {.cardinality = 2, .tasks = 6000}},
	 2,
	 "it has 12000 tasks; at most 10000 are accepted"},
};

static void test_refusals(void)
{
	struct test_world w;

	world_init(&w);
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		uint64_t id = submit_all(&w, refusals[i].jobs, refusals[i].count);

		ok(!id && !w.out.record && strstr(world_error(&w), refusals[i].says),
		   "refused as a whole: %s", refusals[i].says);
		if (!strstr(world_error(&w), refusals[i].says))
			diag("%s", world_error(&w));
	}
	world_done(&w);
}

static const struct {
	struct member job;
	const char *says;
} late[] = {
	{{.cardinality = 4}, "this job (train) says cardinality 4, and job 1 said 3"},
	{{.cardinality = 3, .min = 1}, "says minimum 1, and job 1 said 3"},
	{{.cardinality = 3, .class = "armada-preemptible"},
	 "says class armada-preemptible, and job 1 said armada-default"},
	{{.cardinality = 3, .uniformity = "rack"},
	 "says uniformity label rack, and job 1 said none"},
	{{.cardinality = 3, .exclusive = true}, "says exclusive yes, and job 1 said no"},
};

/* The same against members that wait. */
static void test_late(void)
{
	struct test_world w;

	world_init(&w);
	submit(&w, (struct member){.cardinality = 3});
	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		ok(!submit(&w, late[i].job) && strstr(world_error(&w), late[i].says), "refused: %s",
		   late[i].says);
		if (!strstr(world_error(&w), late[i].says))
			diag("%s", world_error(&w));
	}
	ok(submit(&w, (struct member){.cardinality = 5, .id = "h"}),
	   "another gang is another gang");
	ok(submit(&w, (struct member){.cardinality = 5, .job_set = "s"}),
	   "so is one in another job set");
	submit_all(&w, (struct member[]){{.cardinality = 3}, {.cardinality = 3}}, 2);
	ok(!submit(&w, (struct member){.cardinality = 3}) &&
		   strstr(world_error(&w), "is one too many: it has its 3 members (1, 4, 5)"),
	   "too many: the members are named");
	world_done(&w);
}

static const struct {
	struct member jobs[4];
	size_t count;
	const char *says; /* NULL: it is accepted */
} whole[] = {
	{{{.cardinality = 3, .cpus = 3},
	  {.cardinality = 3, .cpus = 3},
	  {.cardinality = 3, .cpus = 3}},
	 3,
	 "gang g, whole with job 3 of the request (train): cpu: 9 at once is more than the 2 nodes "
	 "it may use have: 8"},
	{{{.cardinality = 3, .cpus = 3, .min = 2},
	  {.cardinality = 3, .cpus = 3, .min = 2},
	  {.cardinality = 3, .cpus = 3, .min = 2}},
	 3,
	 NULL},
	{{{.cardinality = 2, .tasks = 2, .cpus = 3}, {.cardinality = 2, .cpus = 2}}, 2, NULL},
	{{{.cardinality = 3, .cpus = 3},
	  {.cardinality = 3, .cpus = 1},
	  {.cardinality = 3, .cpus = 4}},
	 3,
	 NULL}, /* it could be packed */
	{{{.cardinality = 2, .cpus = 3}, {.cardinality = 2, .cpus = 3, .tasks = 2, .name = "b"}},
	 2,
	 "cpu: 9 at once is more than"},
	{{{.cardinality = 3, .cpus = 2},
	  {.cardinality = 3, .cpus = 3, .tasks = 1},
	  {.cardinality = 3, .cpus = 3}},
	 3,
	 NULL},
	{{{.cardinality = 3, .exclusive = true},
	  {.cardinality = 3, .exclusive = true},
	  {.cardinality = 3, .exclusive = true}},
	 3,
	 "3 tasks like that of train must start together; the 2 nodes it may use hold no more than 2"},
	{{{.cardinality = 2, .tasks = 2, .nodes = 2}, {.cardinality = 2, .cpus = 2, .name = "b"}},
	 2,
	 "its members must be on 3 different nodes; the 2 nodes it may use are 2"},
};

/* What could never start is refused when its last member comes. */
static void test_whole(void)
{
	struct test_world w;

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		uint64_t id;

		begin(&w);
		id = submit_all(&w, whole[i].jobs, whole[i].count);
		if (whole[i].says)
			ok(!id && strstr(world_error(&w), whole[i].says), "refused: %s",
			   whole[i].says);
		else
			ok(id, "a gang that may fit is accepted");
		if (!strstr(world_error(&w), whole[i].says ? whole[i].says : ""))
			diag("%s", world_error(&w));
		world_done(&w);
	}
	begin(&w);
	submit(&w, (struct member){.cardinality = 2, .tasks = 5});
	ok(!submit(&w, (struct member){.cardinality = 2, .tasks = 5}) &&
		   strstr(world_error(&w), "gang g, whole with this job (train): cpu: 10 at once"),
	   "with those that wait, too");
	w.policy.hold_impossible = true;
	ok(submit(&w, (struct member){.cardinality = 2, .tasks = 5}),
	   "unless the impossible may wait");
	world_done(&w);
}

static void test_begins(void)
{
	struct test_world w;
	uint64_t a, b, c;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 3, .cpus = 3});
	is_str(reason_of(&w, a), "gang g waits for 2 of its 3 members", "one of three waits");
	is_str(row_of(&w, a)->reason_word, "GangIncomplete", "by its word");
	is_str(row_of(&w, a)->gang_id, "g", "its gang is shown");
	is_int(row_of(&w, a)->gang_cardinality, 3, "and how many it has");
	world_decide(&w, a, 0, "n1");
	is_int(leased(&w), 0, "it does not begin alone, whoever decides it");
	b = submit(&w, (struct member){.cardinality = 3, .cpus = 3});
	c = submit(&w, (struct member){.cardinality = 3, .cpus = 1});
	is_str(reason_of(&w, b), "waits for its turn", "all are there: now they wait for room");
	world_decide(&w, a, 0, "n1");
	is_int(leased(&w), 0, "a decision for fewer is refused");
	world_decide(&w, b, 0, "n1 n2 n1");
	is_int(leased(&w), 0, "and one that takes another for the first");
	world_decide(&w, a, 0, "n1 n1 n2");
	is_int(leased(&w), 0, "and one without room for all of them together");
	world_decide(&w, a, 0, "n1 n2 n3");
	is_int(leased(&w), 0, "and one on a node that is not there");
	world_decide(&w, a, 0, "n1 - n1");
	is_int(leased(&w), 0, "and one that leaves somebody out");
	world_decide(&w, a, 0, "n1 n2 n1");
	is_int(leased(&w), 3, "all begin in one record");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "and their orders leave");
	is_str(row_of(&w, b)->nodes[0], "n2", "each on the node of its place");
	is_str(row_of(&w, c)->nodes[0], "n1", "the last too");
	ok(!submit(&w, (struct member){.cardinality = 3}) &&
		   strstr(world_error(&w), "comes too late: it has begun (1, 2, 3)"),
	   "another one comes too late");
	world_started(&w, 1, a, 0, 0, 1);
	world_ended(&w, 1, a, 0, 0, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, a, 0), JOB(COMPLETED), "a member that ends ends");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "and the others go on");
	world_ended(&w, 2, b, 0, 0, 1, END(EXITED), 1);
	is_int(world_ended_as(&w, b, 0), JOB(FAILED), "whether well or badly");
	is_int(world_state(&w, c, 0), JOB(CONFIGURING), "to the last");
	world_done(&w);
}

/* Members of several tasks, on nodes of their own. */
static void test_shapes(void)
{
	struct test_world w;
	uint64_t a, b;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2, .tasks = 2});
	b = submit(&w, (struct member){.cardinality = 2, .tasks = 3});
	world_decide(&w, a, 0, "n1 n2 n2 n2 n1");
	is_int(leased(&w), 2, "members of several tasks begin together");
	is_int(world_orders(&w, ORDER_LAUNCH), 5, "with all their tasks");
	is_int((int)row_of(&w, b)->n_nodes, 3, "each with its own");
	is_str(row_of(&w, b)->nodes[2], "n1", "in their order");
	world_done(&w);

	begin(&w);
	world_node(&w, 3, "n3", 4, "boot1", 3);
	a = submit(&w, (struct member){.cardinality = 2, .tasks = 2, .nodes = 2});
	submit(&w, (struct member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n1 n3");
	is_int(leased(&w), 0, "tasks that want distinct nodes do not share one");
	world_decide(&w, a, 0, "n1 n2 n3");
	is_int(leased(&w), 2, "with one each all begin");
	world_done(&w);

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2, .exclusive = true});
	submit(&w, (struct member){.cardinality = 2, .exclusive = true});
	world_decide(&w, a, 0, "n1 n1");
	is_int(leased(&w), 0, "exclusive members share no node");
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 2, "each on its own they begin");
	world_done(&w);
}

static void test_minimum(void)
{
	struct test_world w;
	uint64_t a, b, c;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	b = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	c = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, a, 0, "n1 - -");
	is_int(leased(&w), 0, "fewer than the minimum do not begin");
	world_decide(&w, a, 0, "- n1 n2");
	is_int(leased(&w), 2, "as many as the minimum do");
	is_int(world_ended_as(&w, a, 0), JOB(FAILED), "who was left out has failed");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the others begin");
	world_preempt(&w, b, 0);
	world_ended(&w, 1, b, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 2, c, 0, 0, 1, END(PREEMPTED), 0);
	world_decide(&w, b, 0, "n2 n1");
	is_int(leased(&w), 2, "afterwards those who are left are the gang");
	world_done(&w);
}

/* A promise that leaves somebody out is taken back: those who are left must not wait for ever. */
static void test_minimum_promised(void)
{
	struct test_world w;
	uint64_t x, a, b, c;

	begin(&w);
	x = submit(&w, (struct member){.no_gang = true, .cpus = 4});
	a = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	b = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	c = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_decide(&w, a, 0, "- n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the minimum is promised its room");
	is_int(world_ended_as(&w, a, 0), JOB(FAILED), "without the first, which has failed");
	ok(!submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3}) &&
		   strstr(world_error(&w), "comes too late"),
	   "nobody can take its place any more");
	world_preempt(&w, b, 0);
	is_int(world_state(&w, c, 0), JOB(PENDING), "the promise is taken back");
	is_str(reason_of(&w, c), "for a more urgent job", "they wait for room, for nobody");
	world_ended(&w, 1, x, 0, 0, 1, END(PREEMPTED), 0);
	world_decide(&w, b, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "and begin as those who are left");
	world_done(&w);
}

static void test_lost_member(void)
{
	struct test_world w;
	uint64_t a, b, c;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2});
	b = submit(&w, (struct member){.cardinality = 2});
	cancel(&w, a);
	is_str(reason_of(&w, b),
	       "gang g lost a member: submit another with the same gang id, or cancel the rest",
	       "a gang that has not begun misses who was cancelled");
	world_decide(&w, b, 0, "n1");
	is_int(leased(&w), 0, "and does not begin without");
	c = submit(&w, (struct member){.cardinality = 2});
	is_str(reason_of(&w, b), "waits for its turn", "another takes its place");
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 0, "a decision for the one that left is void");
	world_decide(&w, b, 0, "n1 n2");
	is_int(leased(&w), 2, "the gang begins");
	cancel(&w, b);
	is_int(world_state(&w, c, 0), JOB(CONFIGURING),
	       "a running one that is cancelled just ends");
	world_done(&w);
}

static void test_held(void)
{
	struct test_world w;
	uint64_t a, b;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2});
	b = submit(&w, (struct member){.cardinality = 2, .hold = true});
	is_str(reason_of(&w, a), "job 2 of its gang g is held", "a member that is held holds all");
	is_str(row_of(&w, a)->reason_word, "Held", "by the word");
	is_str(reason_of(&w, b), "held by its owner", "and says so itself");
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 0, "nobody begins");
	release(&w, b);
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 2, "until it is released");
	world_done(&w);
}

static void test_preempted(void)
{
	struct test_world w;
	uint64_t a, b, c;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 3});
	b = submit(&w, (struct member){.cardinality = 3});
	c = submit(&w, (struct member){.cardinality = 3, .no_requeue = true});
	world_decide(&w, a, 0, "n1 n2 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_preempt(&w, a, 0);
	is_int(world_orders(&w, ORDER_KILL), 3, "who preempts one preempts all");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the first waits again");
	is_str(reason_of(&w, a), "gang g goes back whole: 2 of it are still being ended",
	       "for the others to end");
	world_decide(&w, a, 0, "n1");
	is_int(leased(&w), 0, "and does not begin before");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 2, c, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_ended_as(&w, c, 0), JOB(PREEMPTED), "one that is not to run again has ended");
	world_decide(&w, a, 0, "n2 n2");
	is_int(leased(&w), 2, "the others begin again together");
	world_done(&w);
}

/* Its node is lost, and proves it by another boot. */
static void test_goes_back(void)
{
	struct test_world w;
	uint64_t a, b, c;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 3});
	b = submit(&w, (struct member){.cardinality = 3});
	c = submit(&w, (struct member){.cardinality = 3});
	world_decide(&w, a, 0, "n1 n2 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_started(&w, 2, b, 0, 0, 1);
	world_started(&w, 2, c, 0, 0, 1);
	world_node(&w, 1, "n1", 4, "boot2", 1);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the job of a lost node waits again");
	is_int(world_state(&w, b, 0), JOB(COMPLETING), "and its siblings are ended");
	is_str(reason_of(&w, b), "job 1 of its gang waits again: attempt 1: node n1 was restarted",
	       "with the reason");
	world_ended(&w, 2, b, 0, 0, 1, END(CANCELLED), 0);
	is_int(world_state(&w, b, 0), JOB(PENDING), "one waits again");
	world_ended(&w, 2, c, 0, 0, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, c, 0), JOB(COMPLETED), "one had done its work just then");
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 2, "those who are left begin again");
	world_ended(&w, 2, b, 0, 0, 2, END(REFUSED), 0);
	is_int(world_state(&w, a, 0), JOB(COMPLETING),
	       "a node that refuses one sends all back, too");
	cancel(&w, a);
	world_ended(&w, 1, a, 0, 0, 2, END(CANCELLED), 0);
	is_int(world_ended_as(&w, a, 0), JOB(CANCELLED), "on the way back it can be cancelled");
	world_decide(&w, b, 0, "n1");
	is_int(leased(&w), 1, "and the last one is a gang of one");
	world_done(&w);
}

/* Somebody of it is on a silent node. */
static void test_silent(void)
{
	struct test_world w;
	uint64_t a, b;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2});
	b = submit(&w, (struct member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_started(&w, 2, b, 0, 0, 1);
	world_closed(&w, 2);
	w.steady_us += 59000000;
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_tick(&w, 2000000);
	is_int(world_state(&w, b, 0), JOB(UNKNOWN), "one is on a silent node");
	is_int(world_state(&w, a, 0), JOB(RUNNING), "the other goes on");
	world_preempt(&w, a, 0);
	ok(!world_orders(&w, ORDER_KILL), "such a gang makes no room for others");
	world_ended(&w, 1, a, 0, 0, 1, END(LOST), 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the other is lost and waits");
	is_int(world_state(&w, b, 0), JOB(COMPLETING), "so the silent one is to end");
	world_node(&w, 3, "n2", 4, "boot2", 2);
	is_int(world_state(&w, b, 0), JOB(PENDING), "when its node is back it waits, too");
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 2, "and both begin again");
	world_done(&w);
}

/* Room that others have yet. */
static void test_promised(void)
{
	struct test_world w;
	uint64_t x, y, a, b;

	begin(&w);
	x = submit(&w, (struct member){.no_gang = true, .cpus = 4});
	y = submit(&w, (struct member){.no_gang = true, .cpus = 4});
	a = submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	b = submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_decide(&w, y, 0, "n2");
	world_started(&w, 2, y, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_preempt(&w, y, 0);
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 2, "a gang is promised the room of two");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "which they have yet");
	world_ended(&w, 1, x, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "one's room does not do");
	world_ended(&w, 2, y, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "with the other's all of it is ordered");

	world_preempt(&w, a, 0);
	world_decide(&w, x, 0, "n1");
	is_int(leased(&w), 1, "somebody is promised the room of one of a gang");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "and gets it when that one has ended");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	world_done(&w);
}

/* A promise to a gang is taken back as a whole. */
static void test_withdrawn(void)
{
	struct test_world w;
	uint64_t x, a, b, c;

	begin(&w);
	x = submit(&w, (struct member){.no_gang = true, .cpus = 4});
	a = submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	b = submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the one with room waits for the other");
	is_str(reason_of(&w, b), "waits for room that is promised to it", "and says so");
	world_preempt(&w, a, 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "a promise that is preempted is void");
	is_int(world_state(&w, b, 0), JOB(PENDING), "for all of them");
	world_decide(&w, a, 0, "n1 n2");
	cancel(&w, b);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED), "one of a promised gang is cancelled");
	is_int(world_state(&w, a, 0), JOB(PENDING), "the other waits");
	is_str(reason_of(&w, a),
	       "gang g lost a member: submit another with the same gang id, or cancel the rest",
	       "for another: nothing of it had begun");
	c = submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 2, "with which it is promised the room again");
	world_closed(&w, 2);
	world_tick(&w, 61000000);
	is_int(world_state(&w, a, 0), JOB(PENDING), "a node that falls silent takes it from all");
	is_int(world_state(&w, c, 0), JOB(PENDING), "of them");
	world_done(&w);
}

/* A node with a rack. */
static void rack_node(struct test_world *w, uint64_t conn, const char *name, const char *rack)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, memory = ARMADA__RESOURCE__INIT;
	Armada__Resource *list[] = {&cpu, &memory};
	Armada__Label label = ARMADA__LABEL__INIT, *labels[] = {&label};
	uint8_t id[16] = {(uint8_t)conn};

	cpu.name = (char *)"cpu";
	cpu.amount = 4000;
	memory.name = (char *)"memory";
	memory.amount = INT64_C(64) << 30;
	label.key = (char *)"rack";
	label.value = (char *)rack;
	m.name = (char *)name;
	m.node_id.data = m.spool_id.data = id;
	m.node_id.len = m.spool_id.len = sizeof(id);
	m.boot_id = (char *)"boot";
	m.resources = list;
	m.n_resources = 2;
	m.labels = labels;
	m.n_labels = 1;
	world_agent(w, conn, MSG_REGISTER_NODE, &m);
}

static void test_uniform(void)
{
	struct test_world w;
	uint64_t a;

	world_init(&w);
	rack_node(&w, 1, "n1", "a");
	rack_node(&w, 2, "n2", "b");
	rack_node(&w, 3, "n3", "b");
	a = submit(&w, (struct member){.cardinality = 2, .cpus = 3, .uniformity = "rack"});
	submit(&w, (struct member){.cardinality = 2, .cpus = 3, .uniformity = "rack"});
	world_decide(&w, a, 0, "n1 n2");
	is_int(leased(&w), 0, "not on nodes of two racks");
	world_decide(&w, a, 0, "n2 n3");
	is_int(leased(&w), 2, "on those of one");
	submit_all(
		&w,
		(struct member[]){{.id = "h", .cardinality = 3, .cpus = 3, .uniformity = "rack"},
				  {.id = "h", .cardinality = 3, .cpus = 3, .uniformity = "rack"},
				  {.id = "h", .cardinality = 3, .cpus = 3, .uniformity = "rack"}},
		3);
	ok(strstr(world_error(&w), "cpu: 9 at once is more than the 2 nodes with rack=b (one value "
				   "of 'rack' must do) have: 8"),
	   "more than one rack could hold is refused");
	world_done(&w);
}

static const struct effect *explain(struct test_world *w, uint64_t job)
{
	Armada__ExplainRequest m = ARMADA__EXPLAIN_REQUEST__INIT;

	m.job = job;
	world_send(w, TEST_USER, MSG_EXPLAIN, &m);
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_EXPLAIN)
			return &w->out.effects[i];
	return NULL;
}

/* To the scheduler all of it is the first job; what it does not know the core says itself. */
static void test_explained(void)
{
	struct test_world w;
	const Armada__ExplainReply *r;
	const struct effect *e;
	uint64_t a, b;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2});
	e = explain(&w, a);
	r = world_reply(&w, MSG_EXPLAIN_REPLY);
	ok(!e && r && r->why == WHY_GANG_INCOMPLETE,
	   "a gang that is not whole is explained at once");
	is_str(r ? r->text : "", "gang g waits for 1 of its 2 members", "in a sentence");
	b = submit(&w, (struct member){.cardinality = 2});
	e = explain(&w, b);
	ok(e && e->ask.job == b && e->ask.as == a, "a whole one is asked about by its first job");
	world_done(&w);
}

static const Armada__Round *last_round(struct test_world *w)
{
	Armada__RoundRequest m = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *r;

	world_send(w, TEST_USER, MSG_ROUND, &m);
	r = world_reply(w, MSG_ROUND_REPLY);
	return r->last;
}

/* What the last round did names every member. */
static void test_noted(void)
{
	struct test_world w;
	const Armada__Round *r;
	uint64_t a, b;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	b = submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, a, 0, "- n1 n2");
	r = last_round(&w);
	is_int((int)r->started, 2, "two of the gang were started");
	is_int((int)r->refused, 0, "and nothing refused");
	is_int((int)r->decisions[0]->job, (int)b, "the first is named");
	is_str(r->decisions[1]->nodes[0], "n2", "the second with its node");
	world_preempt(&w, b, 0);
	r = last_round(&w);
	is_int((int)r->preempted, 2, "both were preempted");
	world_done(&w);
}

static void test_environment(void)
{
	struct test_world w;
	int seen = 0;
	uint64_t a;
	struct err err;

	begin(&w);
	a = submit(&w, (struct member){.cardinality = 2});
	submit(&w, (struct member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n2");
	for (size_t i = 0; i < w.out.effect_count; i++) {
		const struct effect *e = &w.out.effects[i];
		const Armada__TaskBody *b;

		if (e->kind != EFFECT_ORDER)
			continue;
		b = msg_unpack_as(&armada__task_body__descriptor, e->body, e->len, w.arena, &err);
		for (size_t k = 0; b && k < b->n_task_env; k++)
			seen += strcmp(b->task_env[k], "ARMADA_GANG_ID=g") == 0 ||
				strcmp(b->task_env[k], "ARMADA_GANG_CARDINALITY=2") == 0;
	}
	is_int(seen, 4, "both tasks are told of their gang");
	world_done(&w);
}

int main(void)
{
	test_refusals();
	test_late();
	test_whole();
	test_begins();
	test_shapes();
	test_minimum();
	test_minimum_promised();
	test_lost_member();
	test_held();
	test_preempted();
	test_goes_back();
	test_silent();
	test_promised();
	test_withdrawn();
	test_uniform();
	test_explained();
	test_noted();
	test_environment();
	return done();
}
