/*
 * Steps: the table of the states of their tasks, their numbers, what nodes report of them, the bounds, and a
 * comparison with a model under random events.
 */
#include "core/txn/steps.h"
#include "fixture.h"
#include "proto/order.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

enum { NODE1 = 1, NODE2 = 2, NODE3 = 3, SECOND = 1000000 };

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/* ---- the table ---- */

static void test_table(void)
{
	int wrong = 0;

	for (int s = 0; s < STEP_TASK_STATES; s++)
		for (int ev = 0; ev < STEP_TASK_EVENTS; ev++) {
			enum step_task_state state = (enum step_task_state)s, next;
			bool ends = ev == STEP_TASK_EV_ENDS, gone = ev == STEP_TASK_EV_GONE;

			next = step_task_next(state, (enum step_task_event)ev);
			/* an end is final, a reported end counts always, and nothing is ordered again */
			wrong += state == STEP_TASK_ENDED && next != STEP_TASK_ENDED;
			wrong += ends && next != STEP_TASK_ENDED;
			wrong += next == STEP_TASK_ORDERED;
			/* the end of the task ends all that the node has not told */
			wrong += gone && state != STEP_TASK_ENDED && next != STEP_TASK_LOST;
			/* a lost one can only be reported as ended */
			wrong += state == STEP_TASK_LOST && !ends && next != STEP_TASK_LOST;
			/* only what no node has reported can become silent */
			wrong += ev == STEP_TASK_EV_SILENT && next == STEP_TASK_UNHEARD &&
				 state != STEP_TASK_ORDERED && state != STEP_TASK_UNHEARD;
			wrong += ev == STEP_TASK_EV_RUNS && next != STEP_TASK_RUNS &&
				 state != STEP_TASK_ENDED && state != STEP_TASK_LOST;
		}
	is_int(wrong, 0, "each of %d events in each of %d states", STEP_TASK_EVENTS,
	       STEP_TASK_STATES);
}

/* ---- a job with running tasks ---- */

static void nodes(struct test_world *w)
{
	world_node(w, NODE1, "n1", 4, "boot1", 1);
	world_node(w, NODE2, "n2", 4, "boot2", 2);
	world_node(w, NODE3, "old", 4, "boot3", 3);
}

static uint64_t begin_job(struct test_world *w, const char *on, uint32_t tasks)
{
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t job;

	spec_init(&spec, &group);
	group.replicas = tasks;
	job = world_submit(w, &spec);
	world_decide(w, job, 0, on);
	return job;
}

static void start(struct test_world *w, uint64_t job, const uint64_t *conns, uint32_t tasks)
{
	for (uint32_t i = 0; tasks > 1 && i < tasks; i++)
		world_ready(w, conns[i], job, 0, i, 1);
	for (uint32_t i = 0; i < tasks; i++)
		world_started(w, conns[i], job, 0, i, 1);
}

static uint64_t two_tasks(struct test_world *w)
{
	static const uint64_t conns[] = {NODE1, NODE2};
	uint64_t job;

	world_init(w);
	nodes(w);
	job = begin_job(w, "n1 n2", 2);
	start(w, job, conns, 2);
	return job;
}

/* rank < 0: all tasks. Returns 1 + the number; 0: none. */
static uint32_t step_of(struct test_world *w, uint64_t job, int rank, uint32_t of, uint32_t layer)
{
	static uint8_t payload[] = "run this";
	Armada__StepRequest m = ARMADA__STEP_REQUEST__INIT;
	Armada__IndexRange r = ARMADA__INDEX_RANGE__INIT, *ranks[] = {&r};
	const Armada__StepReply *reply;

	m.job = job;
	m.payload.data = payload;
	m.payload.len = sizeof(payload);
	m.command = (char *)"sleep 5";
	m.step = of;
	m.layer = layer;
	r.first = r.last = (uint32_t)rank;
	m.ranks = ranks;
	m.n_ranks = rank >= 0;
	world_send(w, TEST_USER, MSG_STEP, &m);
	reply = world_reply(w, MSG_STEP_REPLY);
	return reply ? reply->step : UINT32_MAX;
}

static uint32_t step(struct test_world *w, uint64_t job)
{
	return step_of(w, job, -1, 0, 0);
}

static uint64_t number_of_order(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_ORDER &&
		    w->out.effects[i].order.kind == ORDER_STEP)
			return w->out.effects[i].order.number;
	return UINT64_MAX;
}

static void report(struct test_world *w, uint64_t conn, uint64_t job, uint32_t rank,
		   const struct step_state *state)
{
	Armada__StepReports m = ARMADA__STEP_REPORTS__INIT;
	Armada__StepReport r = ARMADA__STEP_REPORT__INIT, *list[] = {&r};
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
	Armada__Usage usage;

	key.job = job;
	key.rank = rank;
	key.attempt = 1;
	r.key = &key;
	step_state_put(state, &r, &usage);
	m.steps = list;
	m.n_steps = 1;
	world_agent(w, conn, MSG_STEP_REPORTS, &m);
}

static void runs(struct test_world *w, uint64_t conn, uint64_t job, uint32_t rank, uint32_t number)
{
	const struct step_state s = {.step = number, .start_us = 5 * SECOND + rank};

	report(w, conn, job, rank, &s);
}

static void ends(struct test_world *w, uint64_t conn, uint64_t job, uint32_t rank, uint32_t number,
		 int code, int signal)
{
	const struct step_state s = {.step = number,
				     .ended = true,
				     .start_us = 5 * SECOND + rank,
				     .end_us = 9 * SECOND + rank,
				     .exit_code = code,
				     .exit_signal = signal,
				     .usage = {.cpu_us = 100, .max_rss_bytes = 10 + rank}};

	report(w, conn, job, rank, &s);
}

/* number: 1 + that of the only step that is wanted; 0: all. */
static const Armada__ListStepsReply *list_steps(struct test_world *w, uint64_t job, uint32_t number)
{
	Armada__ListStepsRequest m = ARMADA__LIST_STEPS_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};

	range.first = range.last = job;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	m.step = number;
	world_send(w, TEST_USER, MSG_LIST_STEPS, &m);
	return world_reply(w, MSG_LIST_STEPS_REPLY);
}

static const Armada__StepRow *row(struct test_world *w, uint64_t job, uint32_t number)
{
	static const Armada__StepRow none = ARMADA__STEP_ROW__INIT;
	const Armada__ListStepsReply *r = list_steps(w, job, number + 1);

	return r && r->n_steps == 1 ? r->steps[0] : &none;
}

static int count(struct test_world *w, uint64_t job)
{
	const Armada__ListStepsReply *r = list_steps(w, job, 0);

	return r ? (int)r->n_steps : -1;
}

/* ---- what happens to a step ---- */

static void test_life(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w);
	const Armada__StepRow *r;

	is_int(step(&w, job), 1, "the first step of a job has number 0");
	is_int((long long)number_of_order(&w), 1, "the order has it");
	ok(world_event(&w, ARMADA__EVENT__KIND_STEPS_NUMBERED), "and the record takes numbers");
	r = row(&w, job, 0);
	is_int(r->state, JOB(CONFIGURING), "no node has reported it");
	is_str(r->nodes, "n[1-2]", "its nodes");
	is_str(r->command, "sleep 5", "its command");
	ok(r->tasks == 2 && !r->ended && r->node_count == 2 && !r->start_us, "its tasks");
	runs(&w, NODE2, job, 1, 0);
	is_int(row(&w, job, 0)->state, JOB(RUNNING), "a node reports it");
	is_int(row(&w, job, 0)->start_us, 5 * SECOND + 1, "with its start");
	ends(&w, NODE1, job, 0, 0, 3, 0);
	is_int(row(&w, job, 0)->state, JOB(RUNNING), "one of its tasks has ended");
	is_int(row(&w, job, 0)->start_us, 5 * SECOND, "the first start counts");
	ends(&w, NODE2, job, 1, 0, 0, 15);
	r = row(&w, job, 0);
	is_int(r->state, JOB(FAILED), "both have ended");
	ok(r->exit_code == 0 && r->exit_signal == 15, "a signal is more than a code");
	is_int(r->end_us, 9 * SECOND + 1, "the last end counts");
	ok(r->usage && r->usage->cpu_us == 200 && r->usage->max_rss_bytes == 11, "its usage");
	ends(&w, NODE2, job, 1, 0, 0, 0);
	runs(&w, NODE2, job, 1, 0);
	is_int(row(&w, job, 0)->usage->cpu_us, 200, "a repeated report changes nothing");
	is_int(step(&w, job), 2, "the next step has number 1");
	ok(!world_event(&w, ARMADA__EVENT__KIND_STEPS_NUMBERED), "it needs no record");
	ends(&w, NODE1, job, 0, 1, 0, 0);
	ends(&w, NODE2, job, 1, 1, 0, 0);
	is_int(row(&w, job, 1)->state, JOB(COMPLETED), "it completes");
	is_int(count(&w, job), 2, "both are listed");
	world_done(&w);
}

static void test_ends_of_tasks(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w);

	step(&w, job);
	runs(&w, NODE1, job, 0, 0);
	ends(&w, NODE2, job, 1, 0, 0, 0);
	world_ended(&w, NODE1, job, 0, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	is_int(row(&w, job, 0)->state, JOB(NODE_FAIL),
	       "the task ended before its node told of the step");
	ends(&w, NODE1, job, 0, 0, 0, 0);
	is_int(row(&w, job, 0)->state, JOB(NODE_FAIL), "a report of an ended task does not count");
	world_ended(&w, NODE2, job, 0, 1, 1, ARMADA__END_CAUSE__END_GANG, 0);
	is_int(count(&w, job), 0, "steps are forgotten with the attempt");
	world_done(&w);
}

static void test_silence(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w);

	step(&w, job);
	ends(&w, NODE1, job, 0, 0, 0, 0);
	w.steady_us += INT64_C(80) * SECOND;
	is_int(row(&w, job, 0)->state, JOB(RUNNING), "a node has not told of it for 80 s");
	w.steady_us += INT64_C(20) * SECOND;
	is_int(row(&w, job, 0)->state, JOB(UNKNOWN), "after 100 s it counts as ended");
	runs(&w, NODE2, job, 1, 0);
	is_int(row(&w, job, 0)->state, JOB(RUNNING), "until the node tells of it");
	ends(&w, NODE2, job, 1, 0, 4, 0);
	is_int(row(&w, job, 0)->exit_code, 4, "then it ends");
	world_done(&w);
}

static void test_strangers(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w);

	step(&w, job);
	runs(&w, NODE2, job, 0, 0);
	runs(&w, NODE1, job, 1, 0);
	runs(&w, NODE1, job + 1, 0, 0);
	runs(&w, NODE1, job, 7, 0);
	runs(&w, NODE1, job, 0, 16);
	runs(&w, NODE1, job, 0, UINT32_MAX);
	is_int(row(&w, job, 0)->state, JOB(CONFIGURING),
	       "reports of others, and of others' tasks, are ignored");
	is_int(count(&w, job), 1, "no step appears that was not numbered");
	world_done(&w);
}

static void test_older_node(void)
{
	static const uint64_t conns[] = {NODE1, NODE3};
	struct test_world w;
	uint64_t job;

	world_init(&w);
	nodes(&w);
	job = begin_job(&w, "n1 old", 2);
	start(&w, job, conns, 2);
	is_int(step(&w, job), 0, "a step on a node of an earlier release has no number");
	is_int(world_orders(&w, ORDER_STEP), 2, "but it runs");
	is_int((long long)number_of_order(&w), 0, "its orders have none either");
	is_int(step_of(&w, job, -1, 0, 1), 0, "nor has its next layer");
	is_int(step_of(&w, job, 0, 0, 0), 1, "a step without that node has one");
	is_int(step_of(&w, job, -1, 1, 1), 1, "a layer on that node keeps the id");
	is_int((long long)number_of_order(&w), 0, "but the node gets no number");
	is_int(count(&w, job), 1, "only the other step is listed");
	world_done(&w);
}

static void test_layers(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w);

	step_of(&w, job, 0, 0, 0);
	is_int(step_of(&w, job, -1, 1, 1), 1, "a layer belongs to the step");
	is_int((long long)number_of_order(&w), (long long)order_step_number(0, 1),
	       "its order has both");
	is_int((int)row(&w, job, 0)->tasks, 3, "its tasks are added");
	is_str(row(&w, job, 0)->nodes, "n[1-2]", "and its nodes");
	step_of(&w, job, -1, 1, 1);
	is_int((int)row(&w, job, 0)->tasks, 3, "the same layer counts once");
	is_int(step_of(&w, job, -1, 9, 1), 9, "a layer of an unknown step runs");
	is_int((long long)number_of_order(&w), 0, "without a number");
	is_int(count(&w, job), 1, "and is not listed");
	world_done(&w);
}

static void test_restart(void)
{
	static const uint64_t conns[] = {NODE1, NODE2};
	struct test_world w;
	uint64_t job = two_tasks(&w);
	const Armada__StepRow *r;

	for (int i = 0; i < 3; i++)
		step(&w, job);
	world_restart(&w);
	nodes(&w);
	start(&w, job, conns, 2);
	is_int(count(&w, job), 0, "a new controller knows no steps");
	runs(&w, NODE1, job, 0, 1);
	runs(&w, NODE2, job, 1, 1);
	r = row(&w, job, 1);
	is_int(r->state, JOB(RUNNING), "until the nodes tell of them");
	ok(r->tasks == 2 && strcmp(r->nodes, "n[1-2]") == 0, "with their tasks");
	is_str(r->command, "", "but without their commands");
	is_int(step(&w, job), 17, "numbers that may have been used are not used again");
	ends(&w, NODE1, job, 0, 1, 1, 0);
	ends(&w, NODE2, job, 1, 1, 0, 0);
	is_int(row(&w, job, 1)->exit_code, 1, "a restored step ends");
	world_done(&w);
}

/* ---- signals ---- */

static void send_signal(struct test_world *w, uint32_t uid, uint64_t job, uint32_t number, int sig)
{
	Armada__SignalStepRequest m = ARMADA__SIGNAL_STEP_REQUEST__INIT;

	m.job = job;
	m.step = number;
	m.signal = sig;
	world_send(w, uid, MSG_SIGNAL_STEP, &m);
}

static const struct order *signal_order(const struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_ORDER &&
		    w->out.effects[i].order.kind == ORDER_SIGNAL)
			return &w->out.effects[i].order;
	return NULL;
}

static void test_signals(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w), last;
	const Armada__SignalStepReply *r;

	send_signal(&w, TEST_USER, job, 0, 10);
	has_str(world_error(&w), "has no step 0", "an unknown step is refused");
	step(&w, job);
	step_of(&w, job, 1, 1, 1);
	send_signal(&w, TEST_USER, job, 0, 10);
	r = world_reply(&w, MSG_SIGNAL_STEP_REPLY);
	is_int(r ? (int)r->tasks : -1, 3, "each program of the step gets the signal");
	is_int(world_orders(&w, ORDER_SIGNAL), 3, "with an order");
	ok(signal_order(&w)->cause == 10 &&
		   signal_order(&w)->grace_ms == (int64_t)order_step_number(0, 0),
	   "which has the signal and the number of the step");
	ok(!w.out.record, "no record is written");
	last = signal_order(&w)->number;
	ends(&w, NODE1, job, 0, 0, 0, 0);
	send_signal(&w, TEST_USER, job, 0, 0);
	is_int(world_orders(&w, ORDER_SIGNAL), 2, "what has ended gets none");
	ok(signal_order(&w)->cause == 0 && signal_order(&w)->number > last + 1, "0 ends the step");
	send_signal(&w, ADMIN_USER, job, 0, 0);
	has_str(world_error(&w), "only the owner", "an administrator may not");
	send_signal(&w, TEST_USER, job, 0, 65);
	has_str(world_error(&w), "65 is not a signal", "an unknown signal is refused");
	world_closed(&w, NODE2);
	send_signal(&w, TEST_USER, job, 0, 0);
	has_str(world_error(&w), "are not connected", "without a connection there is no signal");
	nodes(&w);
	step_of(&w, job, 0, 0, 0);
	ends(&w, NODE1, job, 0, 1, 0, 0);
	send_signal(&w, TEST_USER, job, 1, 0);
	has_str(world_error(&w), "has ended", "nor after the end");
	send_signal(&w, TEST_USER, job + 1, 0, 0);
	has_str(world_error(&w), "does not exist", "nor in an unknown job");
	world_done(&w);
}

/* ---- bounds ---- */

static void test_bounds(void)
{
	struct test_world w;
	uint64_t job = two_tasks(&w), other;
	const uint64_t one[] = {NODE1};

	w.policy.max_steps_of_job = 2;
	step(&w, job);
	step(&w, job);
	is_int(step(&w, job), 0, "a third step of two runs without a number");
	is_int(world_orders(&w, ORDER_STEP), 2, "it runs");
	ends(&w, NODE1, job, 0, 0, 0, 0);
	ends(&w, NODE2, job, 1, 0, 0, 0);
	is_int(step(&w, job), 3, "an end makes room");
	w.policy.max_steps_of_job = 10;
	w.policy.max_step_tasks = 5;
	is_int(step(&w, job), 0, "the tasks of all steps are bounded");
	is_int(step_of(&w, job, 0, 0, 0), 4, "one with fewer tasks fits");
	w.policy.max_step_tasks = 100;
	w.policy.max_ended_steps_of_job = 1;
	for (uint32_t i = 1; i < 3; i++) {
		ends(&w, NODE1, job, 0, i, 0, 0);
		ends(&w, NODE2, job, 1, i, 0, 0);
	}
	is_int(count(&w, job), 2, "of three that ended the last one is kept, and one runs");
	ok(row(&w, job, 2)->tasks && !row(&w, job, 1)->tasks, "the oldest leave first");
	ends(&w, NODE1, job, 0, 1, 0, 0);
	is_int(count(&w, job), 2, "a report of its end does not bring it back");
	other = begin_job(&w, "n1", 1);
	start(&w, other, one, 1);
	w.policy.max_ended_steps = 1;
	step(&w, other);
	ends(&w, NODE1, other, 0, 0, 0, 0);
	is_int(count(&w, other), 1, "of all jobs together one is kept");
	ok(!row(&w, job, 2)->tasks, "the oldest leaves");
	world_done(&w);
}

static void test_pages(void)
{
	enum { MANY = 4100, PAGE = 4000 };
	Armada__ListStepsRequest m = ARMADA__LIST_STEPS_REQUEST__INIT;
	struct test_world w;
	uint64_t job = two_tasks(&w);
	const Armada__ListStepsReply *r;

	for (int i = 0; i < MANY; i++)
		step_of(&w, job, 0, 0, 0);
	world_send(&w, TEST_USER, MSG_LIST_STEPS, &m);
	r = world_reply(&w, MSG_LIST_STEPS_REPLY);
	is_int(r ? (int)r->n_steps : -1, PAGE, "a page ends within a job");
	ok(r && r->next_id == job && r->next_step == PAGE, "and says where the next one begins");
	m.from_id = job;
	m.from_step = PAGE;
	world_send(&w, TEST_USER, MSG_LIST_STEPS, &m);
	r = world_reply(&w, MSG_LIST_STEPS_REPLY);
	is_int(r ? (int)r->n_steps : -1, MANY - PAGE, "which has the others");
	ok(r && r->steps[0]->step == PAGE && !r->next_id, "and is the last one");
	world_done(&w);
}

/* ---- a comparison with a model ---- */

enum { MODEL_STEPS = 16384, NUMBERS_AT_ONCE = 1024, MODEL_EVENTS = 3000, UNSEEN = 0, OPEN, OVER };

struct model {
	struct test_world w;
	uint64_t job, random;
	uint32_t highest; /* 1 + the highest number; 0: none */
	uint32_t given[MODEL_EVENTS], count;
	uint8_t tasks[MODEL_STEPS][2]; /* as this controller has them */
	bool restored[MODEL_STEPS];
	int repeated;
};

static uint32_t draw(struct model *m, uint32_t n)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(m->random >> 33) % n;
}

static void model_step(struct model *m)
{
	int rank = (int)draw(m, 3) - 1;
	uint32_t number;

	if (m->highest >= MODEL_STEPS - 2 * NUMBERS_AT_ONCE)
		return; /* a restart leaves numbers out */
	number = step_of(&m->w, m->job, rank, 0, 0);
	m->repeated += number <= m->highest;
	if (!number || number > MODEL_STEPS)
		bail("a step got the number %u", number);
	m->highest = number;
	m->given[m->count++] = number - 1;
	for (int i = 0; i < 2; i++)
		m->tasks[number - 1][i] = rank < 0 || rank == i ? OPEN : UNSEEN;
}

static void model_report(struct model *m)
{
	uint32_t rank = draw(m, 2), number = m->count ? m->given[draw(m, m->count)] : 0;
	uint8_t *t = &m->tasks[number][rank];
	bool over = draw(m, 2);

	if (over)
		ends(&m->w, NODE1 + rank, m->job, rank, number, 0, 0);
	else
		runs(&m->w, NODE1 + rank, m->job, rank, number);
	if (!m->count || (!*t && !m->restored[number]))
		return;
	if (over || !*t)
		*t = over ? OVER : OPEN;
}

static void model_restart(struct model *m)
{
	static const uint64_t conns[] = {NODE1, NODE2};

	world_restart(&m->w);
	nodes(&m->w);
	start(&m->w, m->job, conns, 2);
	memset(m->tasks, 0, sizeof(m->tasks));
	for (uint32_t n = 0; n < m->highest; n++)
		m->restored[n] = true; /* an earlier controller ordered it */
}

static int model_compare(struct model *m)
{
	const Armada__ListStepsReply *r = list_steps(&m->w, m->job, 0);
	size_t at = 0;
	int wrong = 0;

	for (uint32_t n = 0; n < MODEL_STEPS; n++) {
		uint32_t tasks = 0, over = 0;

		for (int i = 0; i < 2; i++) {
			tasks += m->tasks[n][i] != UNSEEN;
			over += m->tasks[n][i] == OVER;
		}
		if (!tasks)
			continue;
		wrong += at >= r->n_steps || r->steps[at]->step != n ||
			 r->steps[at]->tasks != tasks || r->steps[at]->ended != over;
		at++;
	}
	return wrong + (at != r->n_steps);
}

static void test_model(void)
{
	struct model *m = xcalloc(1, sizeof(*m));
	struct err err = {{0}};
	int wrong = 0, broken = 0;

	m->random = 24;
	m->job = two_tasks(&m->w);
	m->w.policy.max_ended_steps_of_job = MODEL_STEPS;
	for (int i = 0; i < MODEL_EVENTS; i++) {
		switch (draw(m, 60)) {
		case 0:
			model_restart(m);
			break;
		case 1:
		case 2:
		case 3:
		case 4:
			model_step(m);
			break;
		default:
			model_report(m);
			break;
		}
		wrong += model_compare(m) != 0;
		broken += core_check(m->w.core, &err) < 0;
	}
	is_int(wrong, 0, "listings agree with the model after each of %d events", MODEL_EVENTS);
	is_int(broken, 0, "the sums are right: %s", err.text);
	is_int(m->repeated, 0, "no number is given twice");
	ok(m->count > 50, "%u numbers were given", m->count);
	world_done(&m->w);
	free(m);
}

int main(void)
{
	test_table();
	test_life();
	test_ends_of_tasks();
	test_silence();
	test_strangers();
	test_older_node();
	test_layers();
	test_restart();
	test_signals();
	test_bounds();
	test_pages();
	test_model();
	return done();
}
