/*
 * Requests that any user can send, and their cost: no request of one user is an outage for another
 *.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

/* An array of n elements, every second index. */
static uint64_t submit_stepped(struct test_world *w, uint32_t n)
{
	Armada__IndexRange r = ARMADA__INDEX_RANGE__INIT, *array[] = {&r};
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	r.last = 2 * n - 2;
	r.step = 2;
	spec.array = array;
	spec.n_array = 1;
	return world_submit(w, &spec);
}

static const Armada__ListJobsReply *list(struct test_world *w, Armada__ListJobsRequest *m)
{
	arena_clear(w->arena);
	world_send(w, OTHER_USER, MSG_LIST_JOBS, m);
	return world_reply(w, MSG_LIST_JOBS_REPLY);
}

/* Every element is listed once, in order, over all pages. */
static void walk(struct test_world *w, uint64_t job, uint32_t limit, uint32_t expected)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;
	uint32_t seen = 0, pages = 0, next = 0;
	bool in_order = true;

	m.expand_arrays = true;
	m.limit = limit;
	do {
		r = list(w, &m);
		if (!r)
			break;
		for (size_t i = 0; i < r->n_rows; i++) {
			const Armada__JobRow *row = r->rows[i];

			in_order = in_order && row->job == job && row->n_elements == 1 &&
				   row->elements[0]->first >= next;
			next = row->elements[0]->first + 1;
			seen++;
		}
		m.after_id = r->next_after_id;
		m.after_element = r->next_after_element;
		m.has_after_element = r->next_has_element;
	} while (r->more && ++pages < 20000);
	is_int(seen, expected, "each element is listed once by pages of %u", limit);
	ok(in_order, "... in order");
}

static void test_expanded_pages(void)
{
	struct test_world w;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	job = submit_stepped(&w, 3000);
	world_decide(&w, job, 0, "n1");
	world_decide(&w, job, 4, "n1");
	walk(&w, job, 0, 3000);
	walk(&w, job, 1, 3000);
	world_done(&w);
}

static void test_short_pages(void)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;
	struct test_world w;
	uint32_t rows = 0;
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	job = submit_stepped(&w, 10);
	for (uint32_t i = 0; i < 6; i += 2)
		world_decide(&w, job, i, "n1");
	m.limit = 1;
	do {
		r = list(&w, &m);
		rows += r->n_rows;
		m.after_id = r->next_after_id;
		m.after_element = r->next_after_element;
		m.has_after_element = r->next_has_element;
	} while (r->more && rows < 100);
	is_int(rows, 4, "the pending part and three active elements are listed, one row a page");
	world_done(&w);
}

static void test_many_pieces(void)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__CancelRequest x = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	const Armada__ListJobsReply *r;
	const Armada__CancelReply *a;
	char *users[] = {(char *)"ann"};
	struct test_world w;
	uint64_t cancelled = 0;

	world_init(&w);
	submit_stepped(&w, 30000);
	r = list(&w, &m);
	ok(r && r->n_rows == 1 && r->rows[0]->count == 30000,
	   "an array of 30000 ranges is one row");
	ok(r->rows[0]->n_elements <= 1000, "... which lists some of the ranges");
	x.filter = &f;
	f.users = users;
	f.n_users = 1;
	do {
		world_send(&w, TEST_USER, MSG_CANCEL, &x);
		a = world_reply(&w, MSG_CANCEL_REPLY);
		cancelled += a->cancelled;
		x.after_id = a->next_after_id;
		ok(w.out.effect_count < 10000, "one record cancels a bounded part");
	} while (a->next_after_id);
	is_int(cancelled, 30000, "all are cancelled");
	ok(core_idle(w.core), "... and the job is gone");
	world_done(&w);
}

/* With names and paths of the largest size a page stays below the size limit of its message. */
static void test_long_rows(void)
{
	static char path[4097];
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;
	struct test_world w;
	uint32_t rows = 0;
	bool small = true;

	world_init(&w);
	memset(path, 'p', sizeof(path) - 1);
	path[0] = '/';
	for (int i = 0; i < 240; i++) {
		Armada__JobSpec spec;
		Armada__TaskGroup group;

		spec_init(&spec, &group);
		spec.chdir = spec.output = spec.error = path;
		spec.priority = i;
		world_submit(&w, &spec);
	}
	do {
		r = list(&w, &m);
		for (size_t i = 0; i < w.out.effect_count; i++)
			small = small && w.out.effects[i].len < 4 << 20;
		rows += r->n_rows;
		m.after_id = r->next_after_id;
	} while (r->more && rows < 1000);
	is_int(rows, 240, "every job is listed");
	ok(small, "... in pages that a client accepts");
	world_done(&w);
}

static Armada__JobRange range_of(uint64_t first, uint64_t last)
{
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT;

	r.first = first;
	r.last = last;
	return r;
}

/* Ids in any order, and from 0 on. */
static void test_cancel_ids(void)
{
	Armada__CancelRequest x = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange a = range_of(3, 3), b = range_of(1, 1), *ids[] = {&a, &b};
	const Armada__CancelReply *r;
	struct test_world w;

	world_init(&w);
	for (int i = 0; i < 4; i++)
		world_submit_plain(&w);
	x.filter = &f;
	f.ids = ids;
	f.n_ids = 2;
	world_send(&w, TEST_USER, MSG_CANCEL, &x);
	r = world_reply(&w, MSG_CANCEL_REPLY);
	is_int(r->cancelled, 2, "3 and 1 are both cancelled");
	a = range_of(0, UINT64_MAX);
	f.n_ids = 1;
	world_send(&w, TEST_USER, MSG_CANCEL, &x);
	r = world_reply(&w, MSG_CANCEL_REPLY);
	is_int(r->cancelled, 2, "a range from 0 cancels the remaining jobs");
	is_int(r->n_missing, 3, "... and the gaps between them are missing");
	world_done(&w);
}

static void test_cancel_limits(void)
{
	static char reason[1 << 16];
	Armada__CancelRequest x = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__IndexRange e = ARMADA__INDEX_RANGE__INIT;
	Armada__JobRange a = range_of(1, 1), *ids[] = {&a};
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	struct test_world w;

	world_init(&w);
	world_submit_plain(&w);
	memset(reason, 'r', sizeof(reason) - 1);
	x.filter = m.filter = &f;
	f.ids = ids;
	f.n_ids = 1;
	x.reason = reason;
	world_send(&w, TEST_USER, MSG_CANCEL, &x);
	has_str(world_error(&w), "longer than",
		"a long reason, which each end would copy, is refused");
	x.reason = (char *)"";
	a.has_elements = true;
	a.elements = &e;
	e.last = UINT32_MAX;
	e.step = 2;
	world_send(&w, TEST_USER, MSG_CANCEL, &x);
	has_str(world_error(&w), "ranges are named",
		"a list of two thousand million single elements is refused");
	ok(list(&w, &m)->n_rows == 1, "a listing does not build the set of the elements");
	is_int(world_state(&w, 1, 0), ARMADA__JOB_STATE__JOB_PENDING, "the job is unchanged");
	world_done(&w);
}

static void test_hold_pages(void)
{
	Armada__HoldRequest h = ARMADA__HOLD_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	char *users[] = {(char *)"ann"};
	const Armada__HoldReply *r;
	struct test_world w;
	uint64_t held = 0;

	world_init(&w);
	for (int i = 0; i < 5000; i++)
		world_submit_plain(&w);
	h.filter = &f;
	f.users = users;
	f.n_users = 1;
	do {
		world_send(&w, TEST_USER, MSG_HOLD, &h);
		r = world_reply(&w, MSG_HOLD_REPLY);
		ok(w.out.decoded->n_events <= 2000, "one record holds a bounded part");
		held += r->changed;
		h.after_id = r->next_after_id;
	} while (r->next_after_id);
	is_int(held, 5000, "all jobs are held");
	world_done(&w);
}

/* A large script for each of many tasks: one input does not send all of them. */
static void test_large_orders(void)
{
	static uint8_t script[1 << 20];
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__Heartbeat beat = ARMADA__HEARTBEAT__INIT;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *resources[] = {&cpu};
	ProtobufCBinaryData blob = {sizeof(script), script};
	struct sched_decision d = {.kind = SCHED_START, .job = 1};
	struct sched_result r = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r};
	static const char *nodes[1000];
	Armada__JobSpec spec, *jobs[] = {&spec};
	Armada__TaskGroup group;
	struct test_world w;
	int first;

	world_init(&w);
	world_node(&w, 1, "n1", 8, "boot1", 1);
	memset(script, '#', sizeof(script));
	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = 1;
	group.resources = resources;
	group.n_resources = 1;
	group.replicas = ARRAY_SIZE(nodes);
	group.n_argv = 0;
	spec.script_blob = 1;
	m.jobs = jobs;
	m.n_jobs = 1;
	m.blobs = &blob;
	m.n_blobs = 1;
	world_send(&w, TEST_USER, MSG_SUBMIT, &m);
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		nodes[i] = "n1";
	d.nodes = nodes;
	d.node_count = ARRAY_SIZE(nodes);
	world_feed(&w, &in);
	first = world_orders(&w, ORDER_LAUNCH);
	ok(first > 5 && first < 100, "%d of 1000 orders are sent at once", first);
	w.steady_us += 60000000;
	beat.number = 1;
	world_agent(&w, 1, MSG_HEARTBEAT, &beat);
	ok(world_orders(&w, ORDER_LAUNCH) > 5, "more are sent with the next heartbeat");
	world_done(&w);
}

/* A resource name that one user requests does not take a place from other users. */
static void test_resource_names(void)
{
	static char *names[] = {(char *)"a", (char *)"b", (char *)"c",  (char *)"d",
				(char *)"e", (char *)"f", (char *)"gpu"};
	Armada__Resource x = ARMADA__RESOURCE__INIT, *resources[] = {&x};
	struct test_world w;
	uint64_t id = 0;

	world_init(&w);
	x.amount = 1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		Armada__JobSpec spec;
		Armada__TaskGroup group;

		spec_init(&spec, &group);
		x.name = names[i];
		group.resources = resources;
		group.n_resources = 1;
		id = world_submit(&w, &spec);
		if (i == 0)
			has_str(world_error(&w), "'a' is not a resource",
				"an unknown resource is refused");
	}
	ok(id, "a gpu can still be requested");
	world_done(&w);
}

static const char *submit_array(struct test_world *w, uint32_t n, uint32_t last)
{
	static Armada__IndexRange ranges[20];
	static Armada__IndexRange *array[20];
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	for (uint32_t i = 0; i < n; i++) {
		armada__index_range__init(&ranges[i]);
		ranges[i].first = 2 * (n - 1 - i);
		ranges[i].last = last;
		ranges[i].step = 2 * n;
		array[i] = &ranges[i];
	}
	spec.array = array;
	spec.n_array = n;
	world_submit(w, &spec);
	return world_error(w);
}

static void test_submitted_numbers(void)
{
	Armada__Resource memory = ARMADA__RESOURCE__INIT, *resources[] = {&memory};
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;

	world_init(&w);
	has_str(submit_array(&w, 20, 2000000), "too many pieces",
		"ranges with steps between steps, which would copy terabytes, are refused");
	is_str(submit_array(&w, 1, 1000000), "", "half a million elements in order are accepted");
	is_str(submit_array(&w, 3, 6000), "", "a few ranges in any order are accepted");
	spec_init(&spec, &group);
	spec.time_limit_s = INT64_MAX;
	world_submit(&w, &spec);
	has_str(world_error(&w), "100 years",
		"a time limit that overflows in microseconds is refused");
	spec.time_limit_s = -2;
	world_submit(&w, &spec);
	has_str(world_error(&w), "100 years", "... and a negative one");
	spec_init(&spec, &group);
	memory.name = (char *)"memory";
	memory.amount = INT64_C(1) << 53;
	group.resources = resources;
	group.n_resources = 1;
	group.replicas = 10000;
	world_submit(&w, &spec);
	is_str(world_error(&w), "",
	       "a request whose sum overflows is accepted while no node is known");
	list(&w, &m);
	world_done(&w);
}

/* A WAIT_JOB over this connection. True: it waits; the reply comes later. */
static bool wait_over(struct test_world *w, uint64_t conn, uint32_t uid, uint64_t job)
{
	static const struct caller callers[] = {
		{.role = ROLE_CLIENT, .uid = TEST_USER, .user = "ann"},
		{.role = ROLE_CLIENT, .uid = OTHER_USER, .user = "bob"},
		{.role = ROLE_CLIENT, .uid = ADMIN_USER, .user = "root"},
	};
	Armada__WaitJobRequest m = ARMADA__WAIT_JOB_REQUEST__INIT;
	struct input in = {.kind = INPUT_MESSAGE, .conn = conn, .request = 7, .type = MSG_WAIT_JOB};

	for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
		if (callers[i].uid == uid)
			in.caller = &callers[i];
	m.job = job;
	in.message = &m;
	world_feed(w, &in);
	return !w->out.effect_count;
}

/* The number of waits that a connection gets, at most `most`. */
static int waits_of(struct test_world *w, uint64_t conn, uint32_t uid, uint64_t job, int most)
{
	int n = 0;

	while (n < most && wait_over(w, conn, uid, job))
		n++;
	return n;
}

static void test_waiters(void)
{
	struct test_world w;
	uint64_t job, other;

	world_init(&w);
	w.policy.max_waits_of_conn = 100;
	w.policy.max_waits_of_user = 250;
	w.policy.max_waits = 500;
	job = world_submit_plain(&w);
	other = world_submit_plain(&w);
	is_int(waits_of(&w, 11, TEST_USER, job, 1000), 100, "one connection has a limit of waits");
	has_str(world_error(&w), "limits.waits_per_connection", "... which the refusal names");
	is_int(waits_of(&w, 12, TEST_USER, other, 1000), 100, "another connection can still wait");
	is_int(waits_of(&w, 13, TEST_USER, job, 1000), 50, "the connections of a user have one");
	has_str(world_error(&w), "limits.waits_per_user", "... which the refusal names");
	waits_of(&w, 14, OTHER_USER, other, 100);
	waits_of(&w, 15, OTHER_USER, other, 100);
	is_int(waits_of(&w, 16, OTHER_USER, other, 1000), 40, "all users have one");
	has_str(world_error(&w), "(limits.waits)", "... which the refusal names");
	is_int(waits_of(&w, 17, ADMIN_USER, other, 1000), 10,
	       "the last 2 percent are for administrators");
	world_closed(&w, 11);
	is_int(waits_of(&w, 13, TEST_USER, job, 1000), 50, "a closed connection waits no more");
	world_cancel(&w, TEST_USER, job);
	is_int(w.out.effect_count, 3 + 100 + 1, "the end of a job answers its own waiters");
	is_int(waits_of(&w, 11, TEST_USER, other, 1000), 100, "... which wait no more");
	world_done(&w);
}

/*
 * As many waiters as the defaults allow. A walk over all of them for each request, end or close
 * would be 10^11 steps, which take hours.
 */
static void test_many_waiters(void)
{
	enum { USERS = 10, CONNS = 5 };
	struct test_world w;
	uint64_t jobs[100];
	int all = 0;

	world_init(&w);
	w.policy.max_waits_of_user = 0;
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		jobs[i] = world_submit_plain(&w);
	for (uint64_t conn = 1; conn <= USERS * CONNS; conn++)
		for (int i = 0; i < 9800; i++)
			all += wait_over(&w, conn, OTHER_USER, jobs[i % (int)ARRAY_SIZE(jobs)]);
	is_int(all, 490000, "the connections wait for as many jobs as the limits allow");
	for (uint64_t conn = 1; conn < USERS * CONNS; conn++)
		world_closed(&w, conn);
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
		world_cancel(&w, TEST_USER, jobs[i]);
		all -= (int)w.out.effect_count;
	}
	is_int(all, 490000 - 100 * (98 + 4), "each of the rest is answered once");
	is_int(waits_of(&w, 1, OTHER_USER, world_submit_plain(&w), 20000), 10000,
	       "the counts are those of a new controller");
	world_done(&w);
}

static void test_cut_words(void)
{
	char queue[1201];
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;

	world_init(&w);
	for (int shift = 0; shift < 3; shift++) {
		memset(queue, 'x', sizeof(queue));
		for (int i = shift; i + 3 < 1200; i += 3)
			memcpy(queue + i, "\xe2\x82\xac", 3);
		queue[1200] = '\0';
		spec_init(&spec, &group);
		spec.queue = queue;
		world_submit(&w, &spec);
		has_str(world_error(&w), "queue '", "text is cut between characters");
	}
	world_done(&w);
}

static void test_factors(void)
{
	static const double bad[] = {-1, 1e-320, 1e300, 0.0 / 0.0, 1 / 0.0};
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	struct test_world w;

	world_init(&w);
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &spec;
	spec.name = (char *)"q";
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		spec.priority_factor = bad[i];
		world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
		has_str(world_error(&w), "priority factor", "a factor of %g is refused", bad[i]);
	}
	world_done(&w);
}

/* 20,000 names of nodes in any order; they are searched, for elements with many tasks. */
static void test_node_names(void)
{
	enum { NAMES = 20000, TASKS = 8, JOBS = 6 };
	static char text[NAMES][8], nodes[TASKS * 3];
	static char *names[NAMES];
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	const Armada__ListJobsReply *r;
	struct test_world w;
	uint32_t rows = 0;

	world_init(&w);
	world_node(&w, 1, "n1", TASKS * JOBS, "b1", 1);
	for (int i = 0; i < TASKS; i++)
		memcpy(nodes + 3 * i, i + 1 < TASKS ? "n1 " : "n1", 3);
	for (int i = 0; i < JOBS; i++) {
		Armada__JobSpec spec;
		Armada__TaskGroup group;

		spec_init(&spec, &group);
		group.replicas = TASKS;
		world_decide(&w, world_submit(&w, &spec), 0, nodes);
	}
	for (int i = 0; i < NAMES; i++) {
		snprintf(text[i], sizeof(text[i]), "x%d", (i * 7919) % NAMES);
		names[i] = text[i];
	}
	filter.nodes = names;
	filter.n_nodes = NAMES;
	m.filter = &filter;
	do {
		r = list(&w, &m);
		m.after_id = r->next_after_id;
		rows += r->n_rows;
	} while (r->more);
	is_int(rows, 0, "no job is on another node");
	names[NAMES / 2] = (char *)"n1";
	m.after_id = 0;
	do {
		r = list(&w, &m);
		m.after_id = r->next_after_id;
		rows += r->n_rows;
	} while (r->more);
	is_int(rows, JOBS, "all jobs on a node are found by its name among others");
	world_done(&w);
}

int main(void)
{
	test_node_names();
	test_cut_words();
	test_factors();
	test_waiters();
	test_many_waiters();
	test_submitted_numbers();
	test_large_orders();
	test_resource_names();
	test_cancel_ids();
	test_cancel_limits();
	test_hold_pages();
	test_expanded_pages();
	test_short_pages();
	test_many_pieces();
	test_long_rows();
	return done();
}
