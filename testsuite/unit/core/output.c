/*
 * OUTPUT: which task's file is read, by whom and as whom, what is refused, and that every client gets
 * exactly one answer, whatever nodes and connections do.
 */
#include "core/txn/effect.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

enum { CLIENT = 1000 + TEST_USER };

static Armada__OutputRequest request(uint64_t job)
{
	Armada__OutputRequest m = ARMADA__OUTPUT_REQUEST__INIT;

	m.job = job;
	return m;
}

static const struct effect *order_of(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_ORDER &&
		    w->out.effects[i].order.kind == ORDER_OUTPUT)
			return &w->out.effects[i];
	return NULL;
}

static const Armada__OutputOrder *body_of(struct test_world *w)
{
	const struct effect *e = order_of(w);

	return e ? msg_unpack_as(&armada__output_order__descriptor, e->body, e->len, w->arena, NULL)
		 : NULL;
}

/* A job of two tasks with patterns in its names; it runs on n1 and n2. */
static uint64_t run_job(struct test_world *w)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t job;

	spec_init(&spec, &group);
	group.replicas = 2;
	spec.output = (char *)"%x/%A-%5j-%t-%N-%i-%q-%%.out";
	spec.error = (char *)"e%t";
	spec.name = (char *)"a/b";
	job = world_submit(w, &spec);
	world_decide(w, job, 0, "n1 n2");
	for (uint32_t rank = 0; rank < 2; rank++)
		world_ready(w, rank + 1, job, 0, rank, 1);
	for (uint32_t rank = 0; rank < 2; rank++)
		world_started(w, rank + 1, job, 0, rank, 1);
	return job;
}

static void is_refused(struct test_world *w, uint32_t uid, const Armada__OutputRequest *m, int code,
		       const char *text)
{
	const Armada__ErrorReply *e;

	world_send(w, uid, MSG_OUTPUT, m);
	e = world_reply(w, MSG_ERROR);
	is_int(e ? e->code : -1, code, "refused: %s", text);
	has_str(world_error(w), text, "... in words");
	ok(!order_of(w), "... without an order");
}

static void test_order(void)
{
	struct test_world w;
	Armada__OutputRequest m;
	const Armada__OutputOrder *o;
	uint64_t number;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot", 1);
	world_node(&w, 2, "n2.site", 4, "boot", 2);
	world_node(&w, 3, "n2", 4, "boot", 3);
	m = request(run_job(&w));
	m.task = 0;
	world_send(&w, TEST_USER, MSG_OUTPUT, &m);
	o = body_of(&w);
	ok(o != NULL, "a node gets an order");
	is_str(o->path, "a_b/1-00001-0-n1-1-%q-%.out", "the path is that of the task");
	is_int(o->uid, TEST_USER, "it is read as the owner");
	is_str(o->user, "ann", "... by name");
	ok(o->tail && o->limit == OUTPUT_READ_DEFAULT, "by default the end of the file is read");
	is_int((long long)order_of(&w)->conn, 1, "the node of the task reads");
	ok(!w.out.record, "no record is written");
	number = order_of(&w)->order.number;
	m.error = true;
	m.from_offset = true;
	m.offset = 7;
	m.limit = 9;
	world_send(&w, ADMIN_USER, MSG_OUTPUT, &m);
	o = body_of(&w);
	is_str(o->path, "e0", "the file of errors");
	is_int(o->uid, TEST_USER, "an administrator reads as the owner, too");
	ok(!o->tail && o->offset == 7 && o->limit == 9, "a part is read");
	ok(order_of(&w)->order.number > number, "each order has a greater number");
	m.limit = OUTPUT_READ_MAX + 1;
	is_refused(&w, TEST_USER, &m, 2, "at most 1048576 bytes");
	m.limit = 1;
	m.offset = UINT64_MAX;
	is_refused(&w, TEST_USER, &m, 2, "no file has an offset");
	m = request(m.job);
	m.task = 2;
	is_refused(&w, TEST_USER, &m, 2, "has tasks 0 to 1");
	m.task = 0;
	is_refused(&w, OTHER_USER, &m, 4, "shown only to ann");
	world_closed(&w, 1);
	is_refused(&w, TEST_USER, &m, 75,
		   "node n1, which has the output of job 1, is not connected");
	world_done(&w);
}

static void test_states(void)
{
	struct test_world w;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	Armada__OutputRequest m;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot", 1);
	m = request(world_submit_plain(&w));
	is_refused(&w, TEST_USER, &m, 1, "waits: it has not started");
	world_decide(&w, m.job, 0, "n1");
	is_refused(&w, TEST_USER, &m, 75, "task 0 of job 1 is being started");
	m = request(77);
	is_refused(&w, TEST_USER, &m, 3, "there is no job 77");
	spec_init(&spec, &group);
	spec.output = (char *)"/dev/null";
	m = request(world_submit(&w, &spec));
	world_decide(&w, m.job, 0, "n1");
	world_started(&w, 1, m.job, 0, 0, 1);
	is_refused(&w, TEST_USER, &m, 1, "is discarded (/dev/null)");
	spec_init(&spec, &group);
	range.first = 3;
	range.last = 4;
	range.step = 1;
	spec.array = ranges;
	spec.n_array = 1;
	m = request(world_submit(&w, &spec));
	is_refused(&w, TEST_USER, &m, 2, "is an array: name an element");
	m.has_element = true;
	m.element = 3;
	is_refused(&w, TEST_USER, &m, 1, "job 3_3 waits");
	m.element = 5;
	is_refused(&w, TEST_USER, &m, 3, "there is no");
	world_done(&w);
}

/* The request comes back with what the history has of an ended element. */
static void give_past(struct test_world *w, uint32_t uid, const Armada__OutputRequest *m,
		      const struct core_finished_job *past)
{
	uint32_t gids[] = {uid, 77};
	struct caller who = {.role = ROLE_CLIENT,
			     .uid = uid,
			     .gid = uid,
			     .user = "someone",
			     .gids = gids,
			     .gid_count = 2,
			     .scope = w->scope};
	struct input in = {.kind = INPUT_MESSAGE,
			   .conn = 1000 + uid,
			   .request = 7,
			   .caller = &who,
			   .type = MSG_OUTPUT,
			   .message = m,
			   .past = past,
			   .finished_count = 1};

	world_feed(w, &in);
}

static void test_past(void)
{
	static char *nodes[] = {(char *)"n1", (char *)"gone"};
	const struct token_scope lists = {1U << TOKEN_WATCH, NULL};
	struct test_world w;
	Armada__JobRow row = ARMADA__JOB_ROW__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	struct core_finished_job past = {.job = 5, .known = true, .row = &row, .spec = &spec};
	Armada__OutputRequest m = request(5);
	const Armada__OutputOrder *o;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot", 1);
	row.uid = TEST_USER;
	row.gid = 9;
	row.user = (char *)"ann";
	row.attempt = 3;
	row.nodes = nodes;
	row.n_nodes = 2;
	spec.output = (char *)"%j.%i.%u";
	spec.chdir = (char *)"/home";
	give_past(&w, TEST_USER, &m, &past);
	o = body_of(&w);
	is_str(o ? o->path : "-", "5.3.ann", "the file of an ended task");
	is_int((long long)(o ? o->n_gids : 0), 2, "the owner reads with all groups");
	give_past(&w, ADMIN_USER, &m, &past);
	o = body_of(&w);
	is_int((long long)(o && o->n_gids == 1 ? o->gids[0] : 0), 9,
	       "an administrator with the primary group of the owner");
	is_int(o ? o->uid : 0, TEST_USER, "... as the owner");
	give_past(&w, OTHER_USER, &m, &past);
	has_str(world_error(&w), "shown only to ann", "others do not read it");
	w.scope = &lists;
	give_past(&w, TEST_USER, &m, &past);
	has_str(world_error(&w), "shown only to ann", "nor does a token without the verb script");
	w.scope = NULL;
	m.task = 1;
	give_past(&w, TEST_USER, &m, &past);
	has_str(world_error(&w), "node gone, on which job 5 ran, does not exist any more",
		"a node that was deleted is named");
	m.task = 2;
	give_past(&w, TEST_USER, &m, &past);
	has_str(world_error(&w), "job 5 had tasks 0 to 1", "a task that did not exist");
	row.n_nodes = 0;
	give_past(&w, TEST_USER, &m, &past);
	has_str(world_error(&w), "job 5 never started", "a job that never started");
	past.row = NULL;
	give_past(&w, TEST_USER, &m, &past);
	has_str(world_error(&w), "there is no element 5 that has ended", "no such element");
	world_done(&w);
}

/* ---- one answer ---- */

/* The number of reads that wait, as actl show limits has it. */
static uint64_t waiting(struct test_world *w)
{
	const Armada__LimitsRequest m = ARMADA__LIMITS_REQUEST__INIT;
	const Armada__LimitsReply *r = NULL;

	world_send(w, ADMIN_USER, MSG_LIMITS, &m);
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_LIMITS)
			r = msg_unpack_as(&armada__limits_reply__descriptor, w->out.effects[i].body,
					  w->out.effects[i].len, w->arena, NULL);
	for (size_t i = 0; r && i < r->n_rows; i++)
		if (strcmp(r->rows[i]->name, "output reads") == 0 &&
		    strcmp(r->rows[i]->scope, "all") == 0)
			return r->rows[i]->used;
	return UINT64_MAX;
}

enum event {
	EV_DATA,
	EV_PROBLEM,
	EV_TOO_LONG,
	EV_OTHER_NODE,
	EV_OTHER_NUMBER,
	EV_LATE,
	EV_NODE_CLOSES,
	EV_CLIENT_CLOSES,
	EV_OTHER_CLOSES,
	EVENTS
};

static void happen(struct test_world *w, enum event ev, uint64_t number)
{
	Armada__OutputRead m = ARMADA__OUTPUT_READ__INIT;
	static uint8_t bytes[11];

	m.number = ev == EV_OTHER_NUMBER ? number + 1 : number;
	m.data.data = bytes;
	m.data.len = ev == EV_TOO_LONG ? 11 : ev == EV_PROBLEM ? 0 : 10;
	if (ev == EV_PROBLEM)
		m.problem = (char *)"it is a directory";
	if (ev == EV_LATE)
		world_tick(w, 31000000);
	else if (ev == EV_NODE_CLOSES)
		world_closed(w, 1);
	else if (ev == EV_CLIENT_CLOSES)
		world_closed(w, CLIENT);
	else if (ev == EV_OTHER_CLOSES)
		world_closed(w, 4444);
	else
		world_agent(w, ev == EV_OTHER_NODE ? 3 : 1, MSG_OUTPUT_READ, &m);
}

/* Answers to the client in the output of the last input. */
static int answers(const struct test_world *w, const char **ret_what)
{
	int n = 0;

	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *e = &w->out.effects[i];

		if (e->kind != EFFECT_SEND || e->conn != CLIENT)
			continue;
		n++;
		*ret_what = e->type == MSG_OUTPUT_REPLY ? "data" : "error";
	}
	return n;
}

static const char *const expected[EVENTS] = {
	[EV_DATA] = "data",       [EV_PROBLEM] = "error",     [EV_TOO_LONG] = "error",
	[EV_LATE] = "error",      [EV_NODE_CLOSES] = "error", [EV_OTHER_NODE] = NULL,
	[EV_OTHER_NUMBER] = NULL, [EV_CLIENT_CLOSES] = NULL,  [EV_OTHER_CLOSES] = NULL,
};

/* All sequences of three events: the first that ends the read decides, and nothing follows. */
static bool play(const enum event list[3])
{
	struct test_world w;
	Armada__OutputRequest m;
	bool open = true, right = true;
	const char *what = NULL;
	uint64_t number;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot", 1);
	world_node(&w, 3, "n3", 4, "boot", 3);
	m = request(world_submit_plain(&w));
	world_decide(&w, m.job, 0, "n1");
	world_started(&w, 1, m.job, 0, 0, 1);
	m.limit = 10;
	world_send(&w, TEST_USER, MSG_OUTPUT, &m);
	number = order_of(&w)->order.number;
	for (int i = 0; i < 3; i++) {
		const char *want = open ? expected[list[i]] : NULL;
		int got;

		happen(&w, list[i], number);
		got = answers(&w, &what);
		right &= got == (want ? 1 : 0) && (!want || strcmp(what, want) == 0);
		open &= !want && list[i] != EV_CLIENT_CLOSES;
	}
	right &= waiting(&w) == (open ? 1 : 0);
	world_done(&w);
	return right;
}

static void test_one_answer(void)
{
	int wrong = 0;

	for (int a = 0; a < EVENTS; a++)
		for (int b = 0; b < EVENTS; b++)
			for (int c = 0; c < EVENTS; c++) {
				const enum event list[] = {(enum event)a, (enum event)b,
							   (enum event)c};

				if (!play(list)) {
					wrong++;
					diag("%d %d %d", a, b, c);
				}
			}
	is_int(wrong, 0, "one answer, after each sequence of three of %d events", EVENTS);
}

static void test_bounds(void)
{
	struct test_world w;
	Armada__OutputRequest m;
	Armada__OutputRead r = ARMADA__OUTPUT_READ__INIT;

	world_init(&w);
	w.policy.max_output_reads_of_user = 2;
	w.policy.max_output_reads = 3;
	world_node(&w, 1, "n1", 4, "boot", 1);
	m = request(world_submit_plain(&w));
	world_decide(&w, m.job, 0, "n1");
	world_started(&w, 1, m.job, 0, 0, 1);
	for (int i = 0; i < 2; i++)
		world_send(&w, TEST_USER, MSG_OUTPUT, &m);
	r.number = order_of(&w)->order.number;
	is_refused(&w, TEST_USER, &m, 75, "(limits.output_reads_per_user)");
	world_send(&w, ADMIN_USER, MSG_OUTPUT, &m);
	ok(order_of(&w), "another user may read");
	is_refused(&w, ADMIN_USER, &m, 75, "(limits.output_reads)");
	world_agent(&w, 1, MSG_OUTPUT_READ, &r);
	world_send(&w, TEST_USER, MSG_OUTPUT, &m);
	ok(order_of(&w), "an answer makes room for the next one");
	world_restart(&w);
	is_int((long long)waiting(&w), 0, "a restart forgets all");
	world_done(&w);
}

int main(void)
{
	test_order();
	test_states();
	test_past();
	test_one_answer();
	test_bounds();
	return done();
}
