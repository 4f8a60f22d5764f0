/*
 * The explanation of a pending job, which the core completes with the answer of the scheduler;
 * the reasons of jobs; the report of the last round; and the record that a listing needs.
 */
#include "core/txn/live.h"
#include "core/state/state.h"
#include "fixture.h"
#include "tap/tap.h"

#include <stdlib.h>
#include <string.h>

static void ask(struct test_world *w, uint64_t job, int element)
{
	Armada__ExplainRequest m = ARMADA__EXPLAIN_REQUEST__INIT;

	m.job = job;
	m.has_element = element >= 0;
	m.element = element >= 0 ? (uint32_t)element : 0;
	world_send(w, OTHER_USER, MSG_EXPLAIN, &m);
}

static const struct effect *effect_of(const struct test_world *w, enum effect_kind kind)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == kind)
			return &w->out.effects[i];
	return NULL;
}

static void explained(struct test_world *w, const struct explain_ask *ask,
		      const struct sched_explanation *x)
{
	struct input in = {
		.kind = INPUT_EXPLAINED, .conn = 9, .request = 3, .ask = *ask, .explanation = x};

	world_feed(w, &in);
}

static void check_reply(const Armada__ExplainReply *r)
{
	is_int(r->why, WHY_RESOURCES, "the explanation has the number of the reason");
	is_str(r->word, "Resources", "the explanation has the word of the reason");
	has_str(r->meaning, "enough free", "the explanation has the meaning of the word");
	is_str(r->text, "no node has 9 cpu free now", "the explanation has the text of the reason");
	is_int(r->n_excluded, 2, "the explanation has two causes that exclude nodes");
	is_str(r->excluded[0]->by, "busy", "a cause has its word");
	is_str(r->excluded[0]->text, "with too few free resources: cpu", "a cause has its text");
	is_str(r->excluded[1]->text, "down, drained or silent",
	       "a cause without a resource names none");
	is_str(r->nearest_lacks, "5 cpu",
	       "the explanation has the amount that the nearest node lacks");
	is_str(r->share->queue, "ann", "the share is that of the queue of the job");
	is_int(r->share->demand[0]->amount, 9000, "the share has the demand of the queue");
	is_str(r->share->demand[0]->name, "cpu", "the demand has its resource");
	is_int(r->place, 3, "the explanation has the position in the queue");
	is_str(r->change->kind, "less", "the change has its kind");
	is_str(r->change->option, "--cpus=4", "the change has the option of asubmit");
	is_str(r->change->resource, "cpu", "the change has its resource");
	is_int(r->row->state, ARMADA__JOB_STATE__JOB_PENDING,
	       "the explanation has the row of the job");
}

static void test_explain(struct test_world *w)
{
	struct sched_exclusion excluded[] = {{EXCLUDED_BUSY, "cpu", 3}, {EXCLUDED_DOWN, NULL, 1}};
	struct sched_explanation x = {
		.why = WHY_RESOURCES,
		.text = "no node has 9 cpu free now",
		.nodes = 4,
		.exclusions = excluded,
		.exclusion_count = 2,
		.nearest = "n1",
		.nearest_lacks = "5 cpu",
		.share = {.queue = "ann", .weight = 1, .demand = {9000}},
		.place = 3,
		.of = 4,
		.change = {.kind = CHANGE_LESS,
			   .amount = 4000,
			   .text = "less",
			   .option = "--cpus=4"},
	};
	uint64_t job = world_submit_plain(w);
	struct explain_ask what = {.job = job};
	const struct effect *e;

	ask(w, job, -1);
	e = effect_of(w, EFFECT_EXPLAIN);
	ok(e && e->ask.job == job && e->request == 7,
	   "the scheduler is queried about a pending job");
	explained(w, &what, &x);
	e = effect_of(w, EFFECT_SEND);
	ok(e && e->conn == 9 && e->request == 3, "the reply goes to the caller's connection");
	check_reply(world_reply(w, MSG_EXPLAIN_REPLY));
	explained(w, &what, NULL);
	has_str(world_error(w), "ask again",
		"a job that the scheduler does not know gives an error");

	world_node(w, 1, "n1", 4, "boot1", 1);
	world_decide(w, job, 0, "n1");
	explained(w, &what, &x);
	is_str(((const Armada__ExplainReply *)world_reply(w, MSG_EXPLAIN_REPLY))->note,
	       "it has its nodes and is being started",
	       "a job that started meanwhile is reported as being started");
	world_started(w, 1, job, 0, 0, 1);
	ask(w, job, 0);
	is_str(((const Armada__ExplainReply *)world_reply(w, MSG_EXPLAIN_REPLY))->note, "it runs",
	       "a running job is reported as running");
	ask(w, job, 1);
	e = effect_of(w, EFFECT_SHOW);
	ok(e && e->ask.job == job && e->ask.has_element && e->ask.element == 1,
	   "the history is queried for an unknown element");
	world_ended(w, 1, job, 0, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	explained(w, &what, &x);
	e = effect_of(w, EFFECT_SHOW);
	ok(e && e->ask.job == job && e->conn == 9,
	   "the history is queried for a job that ended meanwhile");
	ask(w, 999, -1);
	ok(effect_of(w, EFFECT_SHOW) != NULL, "the history is queried for an unknown job");
}

static const struct effect *try_job(struct test_world *w, bool hold, int64_t begin_us)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__TaskGroup group;
	Armada__JobSpec spec, *list = &spec;

	spec_init(&spec, &group);
	spec.queue = (char *)"";
	spec.hold = hold;
	spec.begin_us = begin_us;
	m.jobs = &list;
	m.n_jobs = 1;
	m.test_only = true;
	world_send(w, TEST_USER, MSG_SUBMIT, &m);
	return effect_of(w, EFFECT_EXPLAIN);
}

static const Armada__SubmitReply *tried(struct test_world *w, const struct sched_trial *t,
					bool hides)
{
	struct input in = {.kind = INPUT_TRIED,
			   .conn = 9,
			   .request = 3,
			   .ask.hides = hides,
			   .trial = t,
			   .text = "would be accepted"};

	world_feed(w, &in);
	return world_reply(w, MSG_SUBMIT_REPLY);
}

static void test_trial(struct test_world *w)
{
	const char *nodes[] = {"n1", "n2"};
	struct sched_trial t = {.why = WHY_RESERVED,
				.text = "would delay job 17",
				.start_us = 77,
				.before = 3,
				.nodes = nodes,
				.node_count = 2};
	uint64_t next = core_state(w->core)->next_job;
	const Armada__SubmitReply *r;
	const struct effect *e;
	Armada__Record *record;

	e = try_job(w, false, 0);
	ok(e && e->body && e->text, "the scheduler is asked when a job that is tested would start");
	record = armada__record__unpack(NULL, e->len, e->body);
	ok(record && record->events[record->n_events - 1]->job_submitted->id == SCHED_TRIAL_ID,
	   "it gets a record of the submission, with an id that no job has");
	armada__record__free_unpacked(record, NULL);
	is_int(core_state(w->core)->next_job, next, "nothing is submitted");
	r = tried(w, &t, false);
	ok(r && r->expected && r->expected->start_us == 77 && !r->expected->now &&
		   r->expected->before == 3 && r->expected->n_nodes == 2,
	   "the reply has the expected start");
	is_str(r->notes[0], "would be accepted", "the reply has the note of the request");
	is_str(r->expected->why, "Reserved: would delay job 17", "the reply has the reason");
	has_str(tried(w, &t, true)->expected->why, "another job",
		"the reason hides a job that the caller may not see");
	t.why = WHY_NONE;
	ok(tried(w, &t, false)->expected->now, "the job would start now");
	has_str(tried(w, NULL, false)->expected->why, "plugin",
		"without an answer there is a reason");
	ok(!try_job(w, true, 0), "the scheduler is not asked about a held job");
	r = world_reply(w, MSG_SUBMIT_REPLY);
	has_str(r->expected->why, "held", "the reply says that the job is held");
	ok(!try_job(w, false, w->wall_us + 3600000000),
	   "the scheduler is not asked before the begin time");
	r = world_reply(w, MSG_SUBMIT_REPLY);
	has_str(r->expected->why, "begin time", "the reply names the begin time");
}

static void decide(struct test_world *w, struct sched_decision *d, size_t count,
		   struct sched_reason *reason, const char *fault)
{
	struct sched_share share = {.queue = "ann", .weight = 0.5, .cost = 0.25, .started = 1};
	struct sched_reserved reserved = {"n1", 2};
	struct sched_reservation reservation = {.job = 999,
						.element = 4,
						.start_us = 77,
						.nodes = &reserved,
						.node_count = 1,
						.need = 0.5,
						.idle = 0.25,
						.recovered = 0.125};
	struct sched_result r = {
		.reservation = &reservation,
		.decisions = d,
		.decision_count = count,
		.reasons = reason,
		.reason_count = reason != NULL,
		.shares = &share,
		.share_count = 1,
		.fault = fault,
	};
	struct input in = {.kind = INPUT_DECISIONS,
			   .decisions = &r,
			   .round = 17,
			   .round_start_us = 5,
			   .round_took_us = 6};

	world_feed(w, &in);
}

static const Armada__RoundReply *ask_round(struct test_world *w)
{
	Armada__RoundRequest m = ARMADA__ROUND_REQUEST__INIT;

	world_send(w, OTHER_USER, MSG_ROUND, &m);
	return world_reply(w, MSG_ROUND_REPLY);
}

static void test_reasons(struct test_world *w)
{
	uint64_t job = world_submit_plain(w), winner = world_submit_plain(w);
	struct sched_reason reason = {job, WHY_RESOURCES, "no room", 1234};
	const char *nodes[] = {"n1"};
	struct sched_decision start = {
		.kind = SCHED_START, .job = job, .nodes = nodes, .node_count = 1};
	struct sched_decision stop = {.kind = SCHED_PREEMPT,
				      .job = job,
				      .why = "urgency",
				      .for_job = winner,
				      .text = "preempted for job 77"};

	is_str(world_row(w, job)->reason_word, "Priority",
	       "before the first round the reason is that the job waits for its turn");
	decide(w, NULL, 0, &reason, NULL);
	is_str(world_row(w, job)->reason_word, "Resources", "a round sets the reason");
	is_str(world_row(w, job)->reason, "no room", "a round sets the text");
	is_int(world_row(w, job)->expected_us, 1234, "a round sets the expected start");
	decide(w, &start, 1, NULL, NULL);
	is_str(world_row(w, job)->reason_word, "", "a started job has no reason");
	world_started(w, 1, job, 0, 0, 1);
	decide(w, &stop, 1, NULL, NULL);
	is_str(world_row(w, job)->reason, "urgency preemption: preempted for job 77",
	       "a preempted job has the reason of the preemption");
	world_ended(w, 1, job, 0, 0, 1, ARMADA__END_CAUSE__END_PREEMPTED, 0);
	is_int(world_row(w, job)->state, ARMADA__JOB_STATE__JOB_PENDING,
	       "the job is pending again");
	has_str(world_row(w, job)->reason, "preempted for job 77",
		"its reason is still the preemption");
	is_str(world_row(w, job)->reason_word, "Urgency", "the reason word too");
	is_int(world_row(w, job)->expected_us, 0,
	       "the expected start of the first attempt is cleared");
	decide(w, NULL, 0, &reason, NULL);
	is_str(world_row(w, job)->reason, "no room", "the next round replaces the reason");
}

/* Both, in tenths of a second of the cluster. */
static void room_is(struct test_world *w, int idle, int recovered, const char *what)
{
	const Armada__RoundReply *r = ask_round(w);

	is_int((int)(r->idle_s * 10 + 0.5), idle, "%s: idle", what);
	is_int((int)(r->recovered_s * 10 + 0.5), recovered, "%s: used", what);
}

static void test_reserved(void)
{
	struct test_world w;
	const Armada__Reservation *v;
	struct sched_result none = {.share_count = 0};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &none};

	world_init(&w);
	room_is(&w, 0, 0, "without a round no room was reserved");
	w.steady_us += 5000000;
	decide(&w, NULL, 0, NULL, NULL);
	v = ask_round(&w)->last->reservation;
	ok(v->need == 0.5 && v->idle == 0.25 && v->recovered == 0.125,
	   "the reservation has what the gang needs, and what of it is idle and used");
	w.steady_us += 8000000;
	room_is(&w, 20, 10, "reserved room is counted over time");
	decide(&w, NULL, 0, NULL, "fairness/drf: the cost of queue ann is not a number");
	w.steady_us += 8000000;
	world_feed(&w, &in);
	w.steady_us += 8000000;
	room_is(&w, 40, 20,
		"a round with a fault changes nothing, one without a reservation ends it");
	world_done(&w);
}

static const Armada__RoundReply *ask_rooms(struct test_world *w)
{
	Armada__RoundRequest m = ARMADA__ROUND_REQUEST__INIT;

	m.rooms = true;
	world_send(w, OTHER_USER, MSG_ROUND, &m);
	return world_reply(w, MSG_ROUND_REPLY);
}

/* The rounds that ashare --rounds lists: each with the time up to the next one. */
static void test_rooms(void)
{
	struct test_world w;
	const Armada__RoundReply *r;
	struct sched_result none = {.share_count = 0};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &none, .round = 18};

	world_init(&w);
	is_int((int)ask_rooms(&w)->n_rooms, 0, "no round is listed before the first");
	decide(&w, NULL, 0, NULL, NULL);
	w.steady_us += 8000000;
	decide(&w, NULL, 0, NULL, "fairness/drf: the cost of queue ann is not a number");
	w.steady_us += 2000000;
	world_feed(&w, &in);
	w.steady_us += 3000000;
	is_int((int)ask_round(&w)->n_rooms, 0, "the rounds are listed on request");
	r = ask_rooms(&w);
	is_int((int)r->n_rooms, 2, "a round with a fault is left out");
	is_int((int)r->rooms[0]->number, 18, "the newest is the first");
	ok((int)(r->rooms[0]->lasts_s + 0.5) == 3 && (int)(r->rooms[1]->lasts_s + 0.5) == 10,
	   "each lasts until the next one, or until now");
	ok(r->rooms[1]->need == 0.5 && r->rooms[1]->idle == 0.25 && r->rooms[1]->recovered == 0.125,
	   "it has what is reserved, idle and recovered");
	ok(r->rooms[0]->need == 0 && r->rooms[0]->used == 0, "without a reservation nothing is");
	for (int i = 0; i < ROUND_ROOMS; i++)
		world_feed(&w, &in);
	r = ask_rooms(&w);
	is_int((int)r->n_rooms, ROUND_ROOMS, "so many are remembered");
	is_int((int)r->rooms[ROUND_ROOMS - 1]->number, 18, "the oldest is forgotten");
	world_done(&w);
}

static void test_round(void)
{
	struct test_world w;
	const char *nodes[] = {"n1"};
	struct sched_decision d[2] = {
		{.kind = SCHED_START, .nodes = nodes, .node_count = 1},
		{.kind = SCHED_START, .job = 999, .nodes = nodes, .node_count = 1},
	};
	const Armada__RoundReply *r;

	world_init(&w);
	ok(!ask_round(&w)->last, "there has been no round");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	d[0].job = world_submit_plain(&w);
	decide(&w, d, 2, NULL, NULL);
	r = ask_round(&w);
	is_int(r->last->number, 17, "the report has the number of the round");
	is_int(r->last->start_us, 5, "the report has the start of the round");
	is_int(r->last->took_us, 6, "the report has the duration of the round");
	is_str(r->last->end, "done", "the report has the cause of the end");
	is_int(r->last->started, 1, "the report has the number of started jobs");
	is_int(r->last->refused, 1, "the report has the number of refused decisions");
	is_int(r->last->n_decisions, 1, "the report has the decisions that were applied");
	is_str(r->last->decisions[0]->nodes[0], "n1", "a decision has its nodes");
	is_str(r->last->decisions[0]->queue, "ann", "a decision has its queue");
	is_str(r->last->decisions[0]->name, "test", "a decision has the name of its job");
	is_str(r->last->queues[0]->queue, "ann", "the round has its queues");
	ok(r->last->queues[0]->cost == 0.25, "a queue has its cost");
	is_int(r->last->reservation->expected_us, 77, "the reservation has its start");
	is_str(r->last->reservation->nodes[0], "n1", "the reservation has its nodes");
	ok(!r->acted, "the last round is also the last round that made decisions");
	decide(&w, NULL, 0, NULL, "fairness/drf: the cost of queue ann is not a number");
	r = ask_round(&w);
	is_str(r->last->end, "fault", "the report of a faulty plugin has the cause fault");
	has_str(r->last->fault, "not a number", "the fault has its text");
	is_int(r->last->n_decisions, 0, "a faulty round has no decisions");
	ok(r->acted && r->acted->n_decisions == 1, "the last round that made decisions is kept");
	decide(&w, NULL, 0, NULL, NULL);
	r = ask_round(&w);
	ok(r->acted && r->acted->started == 1, "further rounds keep it");
	world_done(&w);
}

static uint64_t needs_of(struct test_world *w, uint64_t first, uint64_t last, bool by_id)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};

	range.first = first;
	range.last = last;
	f.ids = ranges;
	f.n_ids = by_id;
	m.filter = &f;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	return w->out.needs;
}

/* The record that must be durable before a reply with these jobs may be sent. */
static void test_needs(void)
{
	struct test_world w;
	uint64_t a, b, made, later;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	a = world_submit_plain(&w);
	made = w.out.seq;
	b = world_submit_plain(&w);
	later = w.out.seq;
	ok(made < later, "the two jobs have different records");
	is_int(needs_of(&w, a, a, true), made, "a listing of one job needs its record");
	is_int(needs_of(&w, a, b, true), later, "a listing of two jobs needs the later record");
	is_int(needs_of(&w, a, b + 1, true), 0, "a listing with an unknown job needs all records");
	is_int(needs_of(&w, 0, 0, false), 0, "a listing of all jobs needs all records");
	world_decide(&w, b, 0, "n1");
	is_int(needs_of(&w, a, a, true), made,
	       "a listing of the job does not need a change of another job");
	world_decide(&w, a, 0, "n1");
	later = w.out.seq;
	is_int(needs_of(&w, a, a, true), later, "a listing of the job needs a change of the job");
	world_started(&w, 1, a, 0, 0, 1);
	is_int(needs_of(&w, a, a, true), w.out.seq,
	       "a listing of the job needs a change of its task");
	world_node(&w, 2, "n2", 4, "boot1", 1);
	later = w.out.seq;
	is_int(needs_of(&w, a, a, true), later,
	       "a listing of the job needs a change of nodes or queues");
	world_done(&w);
}

/* The row of the elements that wait. */
static const Armada__JobRow *waiting_row(struct test_world *w, uint64_t job)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;

	m.after_id = job - 1;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	r = world_reply(w, MSG_LIST_JOBS_REPLY);
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i]->state == ARMADA__JOB_STATE__JOB_PENDING)
			return r->rows[i];
	abort();
}

/* The word of the scheduler is missing, or older than the state. */
static void test_state(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	struct sched_reason reason = {0, WHY_RESOURCES, "no room", 1234};
	uint64_t job;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	spec_init(&spec, &group);
	range.first = 1;
	range.last = 3;
	spec.array = ranges;
	spec.n_array = 1;
	spec.array_throttle = 1;
	reason.job = job = world_submit(&w, &spec);
	decide(&w, NULL, 0, &reason, NULL);
	world_decide(&w, job, 1, "n1");
	is_str(waiting_row(&w, job)->reason_word, "ArrayLimit",
	       "an array at its limit says so before the next round");
	is_str(waiting_row(&w, job)->reason, "array limit of 1 running element reached",
	       "the reason has the limit");
	reason.why = WHY_ARRAY_LIMIT;
	decide(&w, NULL, 0, &reason, NULL);
	world_started(&w, 1, job, 1, 0, 1);
	world_ended(&w, 1, job, 1, 0, 1, ARMADA__END_CAUSE__END_EXITED, 0);
	is_str(waiting_row(&w, job)->reason_word, "Priority",
	       "a reason that is no longer true is not shown");
	world_done(&w);
}

static const Armada__NodeRow *node_row(struct test_world *w, size_t at)
{
	Armada__ListNodesRequest m = ARMADA__LIST_NODES_REQUEST__INIT;

	world_send(w, OTHER_USER, MSG_LIST_NODES, &m);
	return ((const Armada__ListNodesReply *)world_reply(w, MSG_LIST_NODES_REPLY))->nodes[at];
}

static void check_explained(struct test_world *w, uint64_t job, enum sched_why why,
			    const char *word)
{
	struct explain_ask what = {.job = job};
	struct sched_explanation x = {.why = why, .text = "the round says so"};

	explained(w, &what, &x);
	is_str(((const Armada__ExplainReply *)world_reply(w, MSG_EXPLAIN_REPLY))->word, word,
	       "the explanation says the same");
}

/* Nodes that are up are not connected after a restart, or when they lose their connection. */
static void test_missing_nodes(void)
{
	struct test_world w;
	struct sched_reason reason = {0, WHY_NODES_DOWN, "no nodes are up", 0};

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot1", 2);
	is_str(node_row(&w, 0)->reason, "", "a connected node has no reason");
	world_restart(&w);
	reason.job = world_submit_plain(&w);
	is_str(world_row(&w, reason.job)->reason_word, "NodesMissing",
	       "after a restart the nodes are missing, before any round");
	decide(&w, NULL, 0, &reason, NULL);
	is_str(world_row(&w, reason.job)->reason_word, "NodesMissing",
	       "after a round they are missing, not down");
	has_str(world_row(&w, reason.job)->reason, "2 of 2 nodes have not registered yet",
		"the reason counts them");
	is_int(node_row(&w, 0)->state, ARMADA__NODE_STATE__NODE_UP, "the node is up");
	has_str(node_row(&w, 0)->reason, "has not registered since the controller started",
		"the node says that it has not registered");
	check_explained(&w, reason.job, WHY_NODES_DOWN, "NodesMissing");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	check_explained(&w, reason.job, WHY_CONSTRAINTS, "NodesMissing");
	check_explained(&w, reason.job, WHY_RESOURCES, "Resources");
	world_node(&w, 2, "n2", 4, "boot1", 2);
	is_str(world_row(&w, reason.job)->reason_word, "Priority",
	       "with all nodes the old reason is gone");
	check_explained(&w, reason.job, WHY_CONSTRAINTS, "Constraints");
	world_closed(&w, 1);
	world_closed(&w, 2);
	has_str(world_row(&w, reason.job)->reason, "2 of 2 nodes have no connection",
		"lost connections are the reason");
	is_str(node_row(&w, 0)->reason, "has no connection to the controller",
	       "the node says the same");
	world_drain(&w, "n1", "bad DIMM");
	world_drain(&w, "n2", "bad DIMM");
	decide(&w, NULL, 0, &reason, NULL);
	is_str(world_row(&w, reason.job)->reason_word, "NodesDown",
	       "drained nodes are not missing");
	world_done(&w);
}

int main(void)
{
	struct test_world w;

	world_init(&w);
	test_explain(&w);
	test_trial(&w);
	test_reasons(&w);
	world_done(&w);
	test_round();
	test_reserved();
	test_rooms();
	test_needs();
	test_state();
	test_missing_nodes();
	return done();
}
