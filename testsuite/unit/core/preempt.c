/*
 * Preemption on request (actl preempt). A table covers elements in every state, selected by every
 * filter, for single jobs, jobs without requeue, arrays and gangs. Further tests cover permissions,
 * large requests, and the reasons that are stored.
 */
#include "fixture.h"
#include "gang_members.h"
#include "conf/permit_message.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define ENDING(name) ARMADA__END_REASON__ENDING_##name

enum stage_state { WAITS, PROMISED, LEASED, RUNS, CANCELLED, PREEMPTED, REQUEUED, SILENT, STATES };
enum shape { ALONE, FINAL, ARRAY, GANG, SHAPES };

static const char *const state_names[] = {"waits",       "has a pending lease", "is leased",
					  "runs",        "is cancelled",        "is preempted",
					  "is requeued", "is on a silent node"};
static const char *const shape_names[] = {"a job", "a job without requeue", "an element", "a gang"};

/* The conditions of the filter, as bits. */
enum by { ID = 1, ELEMENT = 2, NODE = 4, QUEUE = 8, CLASS = 16, USER = 32, SET = 64, WRONG = 128 };

static const unsigned filters[] = {
	ID,
	ID | ELEMENT,
	NODE,
	QUEUE,
	CLASS,
	USER,
	SET,
	ID | NODE,
	QUEUE | CLASS,
	ID | NODE | QUEUE | CLASS | USER | SET,
	/* one condition does not match the job */
	NODE | WRONG,
	QUEUE | CLASS | WRONG,
	SET | NODE | WRONG,
};

struct wish {
	Armada__PreemptRequest m;
	Armada__JobFilter f;
	Armada__JobRange range, *ids[1];
	Armada__IndexRange element;
	char *nodes[1], *queues[1], *classes[1], *users[1], *sets[1];
};

static void wish_init(struct wish *x, unsigned by, uint64_t job, uint32_t element)
{
	armada__preempt_request__init(&x->m);
	armada__job_filter__init(&x->f);
	armada__job_range__init(&x->range);
	armada__index_range__init(&x->element);
	x->m.filter = &x->f;
	x->m.reason = (char *)"new disk";
	x->range.first = x->range.last = job;
	x->ids[0] = &x->range;
	x->f.ids = x->ids;
	x->f.n_ids = (by & ID) != 0;
	if (by & ELEMENT) {
		x->element.first = x->element.last = element;
		x->range.elements = &x->element;
		x->range.has_elements = true;
	}
	x->nodes[0] = (char *)(by & WRONG ? "n9" : "n1");
	x->queues[0] = (char *)"ann";
	x->classes[0] = (char *)(by & WRONG ? "armada-preemptible" : "armada-default");
	x->users[0] = (char *)"ann";
	x->sets[0] = (char *)"night";
	x->f.nodes = x->nodes;
	x->f.queues = x->queues;
	x->f.priority_classes = x->classes;
	x->f.users = x->users;
	x->f.job_sets = x->sets;
	x->f.n_nodes = (by & NODE) != 0;
	x->f.n_queues = (by & QUEUE) != 0;
	x->f.n_priority_classes = (by & CLASS) != 0;
	x->f.n_users = (by & USER) != 0;
	x->f.n_job_sets = (by & SET) != 0;
}

static const Armada__PreemptReply *preempt(struct test_world *w, struct wish *x, uint32_t uid)
{
	static const Armada__PreemptReply none = ARMADA__PREEMPT_REPLY__INIT;
	const Armada__PreemptReply *r;

	world_send(w, uid, MSG_PREEMPT, &x->m);
	r = world_reply(w, MSG_PREEMPT_REPLY);
	return r ? r : &none;
}

struct stage {
	struct test_world w;
	enum shape shape;
	uint64_t job; /* the first job of a gang; the second job has the next id */
	uint32_t element;
	int members;
};

static void requeue(struct test_world *w, uint64_t job)
{
	Armada__RequeueRequest m = ARMADA__REQUEUE_REQUEST__INIT;
	struct wish x;

	wish_init(&x, ID, job, 0);
	m.filter = &x.f;
	world_send(w, TEST_USER, MSG_REQUEUE, &m);
}

/* Leases the job on n1, the second job of a gang on n2. */
static void lease(struct stage *s)
{
	world_decide(&s->w, s->job, s->element, s->shape == GANG ? "n1 n2" : "n1");
}

static void start(struct stage *s)
{
	lease(s);
	for (int i = 0; i < s->members; i++) {
		world_ready(&s->w, 1 + i, s->job + i, s->element, 0, 1);
		world_started(&s->w, 1 + i, s->job + i, s->element, 0, 1);
	}
}

/* Makes a pending lease: another job uses all of n1, and is being preempted. */
static void make_pending(struct stage *s)
{
	uint64_t other =
		gang_member_submit(&s->w, (struct gang_member){.no_gang = true, .cpus = 4});

	world_decide(&s->w, other, 0, "n1");
	world_preempt(&s->w, other, 0);
	lease(s);
}

static void fall_silent(struct stage *s)
{
	world_closed(&s->w, 1);
	world_tick(&s->w, 40000000);
	world_beat(&s->w, 2);
	world_tick(&s->w, 40000000);
}

static void stage_init(struct stage *s, enum shape shape, enum stage_state state)
{
	struct gang_member list[2] = {{.job_set = "night", .cardinality = 2},
				      {.job_set = "night", .cardinality = 2}};

	*s = (struct stage){.shape = shape, .members = shape == GANG ? 2 : 1};
	gang_members_begin(&s->w);
	list[0].no_gang = shape != GANG;
	list[0].cardinality = shape == GANG ? 2 : 0;
	list[0].array = shape == ARRAY;
	list[0].no_requeue = shape == FINAL;
	s->element = shape == ARRAY ? 1 : 0;
	s->job = gang_members_submit(&s->w, list, (size_t)s->members);
	if (state == PROMISED)
		make_pending(s);
	else if (state == LEASED)
		lease(s);
	else if (state > LEASED)
		start(s);
	if (state == CANCELLED)
		world_cancel(&s->w, TEST_USER, s->job);
	else if (state == PREEMPTED)
		world_preempt(&s->w, s->job, s->element);
	else if (state == REQUEUED)
		requeue(&s->w, s->job);
	else if (state == SILENT)
		fall_silent(s);
}

static int ends_as(const struct stage *s, int i)
{
	struct test_world *w = (struct test_world *)&s->w;
	int ended = world_ended_as(w, s->job + i, s->element);

	return ended ? ended : world_state(w, s->job + i, s->element);
}

static void check_goes(struct stage *s, struct wish *x, const char *name)
{
	const Armada__Event *ev = world_event(&s->w, ARMADA__EVENT__KIND_ELEMENT_ENDING);

	ok(ev && ev->element_ending->why == ENDING(PREEMPT), "%s: it is being preempted", name);
	if (ev)
		has_str(ev->element_ending->text, ": new disk", "%s: the text has the reason",
			name);
	is_int(world_orders(&s->w, ORDER_KILL), s->members, "%s: each task gets a kill order",
	       name);
	ok(s->w.out.wants_round, "%s: a round is requested", name);
	is_int((long long)preempt(&s->w, x, ADMIN_USER)->preempted, 0,
	       "%s: a second request preempts nothing", name);
	ok(!s->w.out.record, "%s: a second request writes no record", name);
	for (int i = 0; i < s->members; i++)
		world_ended(&s->w, 1 + i, s->job + i, s->element, 0, 1, END(PREEMPTED), 0);
	for (int i = 0; i < s->members; i++)
		is_int(ends_as(s, i), s->shape == FINAL ? JOB(PREEMPTED) : JOB(PENDING),
		       "%s: after its end it is pending, or has ended if it may not be requeued",
		       name);
	if (s->shape == ALONE)
		has_str(world_row(&s->w, s->job)->last_end, "attempt 1: preempted by ",
			"%s: last_end has the author", name);
}

static void check(enum shape shape, enum stage_state state, unsigned by)
{
	bool named = by & ID, meant = !(by & WRONG), goes = state >= PROMISED && state <= RUNS;
	const Armada__PreemptReply *r;
	bool left;
	char name[200];
	struct stage s;
	struct wish x;

	/* not possible: such a job has left the state */
	if (state == REQUEUED && shape == FINAL)
		return;
	snprintf(name, sizeof(name), "%s that %s, by %#x", shape_names[shape], state_names[state],
		 by);
	stage_init(&s, shape, state);
	wish_init(&x, by, s.job, s.element);
	if (state == WAITS)
		meant = named && meant;
	r = preempt(&s.w, &x, ADMIN_USER);
	is_int((long long)r->preempted, meant && goes ? s.members : 0, "%s: preempted jobs", name);
	/* the job whose room is leased is being ended already, and selected too */
	left = meant && (!goes || (state == PROMISED && !(by & (ID | SET))));
	is_int((long long)r->refused, left, "%s: refused jobs (%s)", name,
	       r->n_problems ? r->problems[0] : "");
	is_int((long long)r->n_problems, left, "%s: problems in the reply", name);
	if (!meant || !goes)
		ok(!s.w.out.record, "%s: no record is written", name);
	else if (state == PROMISED)
		for (int i = 0; i < s.members; i++)
			is_int(world_state(&s.w, s.job + i, s.element), JOB(PENDING),
			       "%s: none of its tasks was ordered, so it is pending at once", name);
	else
		check_goes(&s, &x, name);
	world_done(&s.w);
}

static void check_all(void)
{
	for (int shape = 0; shape < SHAPES; shape++)
		for (int state = 0; state < STATES; state++)
			for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
				check(shape, state, filters[i]);
}

/*
 * A request that selects one member preempts the whole gang; a request that selects one element of
 * an array preempts only that element.
 */
static void test_whole(void)
{
	struct stage s;
	struct wish x;

	stage_init(&s, GANG, RUNS);
	wish_init(&x, ID, s.job + 1, 0);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, 2,
	       "all members of a gang are preempted");
	is_int(world_state(&s.w, s.job, 0), JOB(COMPLETING),
	       "also the member that was not selected");
	world_done(&s.w);
	stage_init(&s, GANG, RUNS);
	world_cancel(&s.w, TEST_USER, s.job + 1);
	wish_init(&x, ID, s.job, 0);
	has_str(preempt(&s.w, &x, ADMIN_USER)->problems[0],
		"of the same gang is being ended already",
		"a gang with a member that is being ended is not preempted");
	world_done(&s.w);
	stage_init(&s, ARRAY, RUNS);
	world_decide(&s.w, s.job, 2, "n2");
	wish_init(&x, ID | ELEMENT, s.job, 1);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, 1,
	       "one element of an array is preempted");
	is_int(world_state(&s.w, s.job, 2), JOB(CONFIGURING), "the other elements are not");
	world_done(&s.w);
}

static void check_hold_and_dry_run(enum shape shape)
{
	const char *name = shape_names[shape];
	struct stage s;
	struct wish x;

	stage_init(&s, shape, RUNS);
	wish_init(&x, NODE, s.job, 0);
	x.m.dry_run = x.m.hold = true;
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, s.members,
	       "%s: a dry run counts the jobs", name);
	ok(!s.w.out.record, "%s: a dry run writes no record", name);
	x.m.dry_run = false;
	preempt(&s.w, &x, ADMIN_USER);
	for (int i = 0; i < s.members; i++)
		world_ended(&s.w, (uint64_t)i + 1, s.job + (uint64_t)i, 0, 0, 1, END(PREEMPTED), 0);
	for (int i = 0; i < s.members; i++)
		ok(world_row(&s.w, s.job + (uint64_t)i)->held, "%s: member %d is held", name, i);
	world_decide(&s.w, s.job, 0, shape == GANG ? "n1 n2" : "n1");
	is_int(world_state(&s.w, s.job, 0), JOB(PENDING), "%s: a held job does not start", name);
	world_done(&s.w);
	stage_init(&s, FINAL, PROMISED);
	wish_init(&x, ID, s.job, 0);
	x.m.hold = true;
	preempt(&s.w, &x, ADMIN_USER);
	ok(world_row(&s.w, s.job)->held,
	   "a job without requeue and with a pending lease is held too");
	world_done(&s.w);
}

/* A job that is preempted by the name of its node avoids the node for a while. */
static void test_avoids(void)
{
	const Armada__Event *ev;
	struct stage s;
	struct wish x;

	stage_init(&s, ALONE, RUNS);
	s.w.policy.avoid_us = 300000000;
	wish_init(&x, NODE, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	ev = world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS);
	ok(ev && ev->job_avoids->n_nodes == 1, "the job avoids one node");
	if (ev) {
		is_str(ev->job_avoids->nodes[0]->node, "n1", "the node that the request named");
		is_int(ev->job_avoids->nodes[0]->until_us - s.w.wall_us, 301000000,
		       "it does so for avoid_us after its grace period");
	}
	world_ended(&s.w, 1, s.job, 0, 0, 1, END(PREEMPTED), 0);
	world_tick(&s.w, 400000000);
	ok(world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS) != NULL, "then it avoids no node");
	world_done(&s.w);
	stage_init(&s, ALONE, RUNS);
	s.w.policy.avoid_us = 300000000;
	wish_init(&x, QUEUE, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	ok(!world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS),
	   "a job preempted by its queue avoids no node");
	world_done(&s.w);
	stage_init(&s, FINAL, RUNS);
	s.w.policy.avoid_us = 300000000;
	wish_init(&x, NODE, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	ok(!world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS),
	   "a job without requeue avoids no node");
	world_done(&s.w);
}

/* Preemptions on request do not count as failures of the job. */
static void test_no_failure(void)
{
	struct stage s;
	struct wish x;

	stage_init(&s, ALONE, WAITS);
	s.w.policy.max_requeues = 1;
	wish_init(&x, ID, s.job, 0);
	for (uint32_t attempt = 1; attempt <= 4; attempt++) {
		world_decide(&s.w, s.job, 0, "n1");
		world_started(&s.w, 1, s.job, 0, 0, attempt);
		preempt(&s.w, &x, ADMIN_USER);
		world_ended(&s.w, 1, s.job, 0, 0, attempt, END(PREEMPTED), 0);
		is_int(world_state(&s.w, s.job, 0), JOB(PENDING), "it is pending after attempt %u",
		       attempt);
	}
	world_decide(&s.w, s.job, 0, "n1");
	has_str(world_row(&s.w, s.job)->last_end, "attempt 4: preempted",
		"a running job has the end of its last attempt");
	world_restart(&s.w);
	world_node(&s.w, 1, "n1", 4, "boot1", 1);
	has_str(world_row(&s.w, s.job)->last_end, "attempt 4: preempted",
		"the job has it after a restart of the controller");
	world_done(&s.w);
}

/*
 * A controller that restarts during a preemption repeats the kill order and preempts nothing else.
 */
static void test_restart(void)
{
	struct stage s;
	struct wish x;

	stage_init(&s, ALONE, RUNS);
	wish_init(&x, ID, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	world_restart(&s.w);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->refused, 1,
	       "the job is still being ended");
	ok(!s.w.out.record, "it is not ended twice");
	world_done(&s.w);
}

static void test_who(void)
{
	const Armada__PreemptReply *r;
	struct stage s;
	struct wish x;

	stage_init(&s, ALONE, RUNS);
	wish_init(&x, USER, s.job, 0);
	r = preempt(&s.w, &x, OTHER_USER);
	is_int((long long)r->denied, 1, "another user is denied, whatever the filter");
	has_str(r->problems[0], "belongs to ann", "the problem names the owner");
	ok(!s.w.out.record, "no record is written");
	s.w.policy.private = true;
	is_int((long long)preempt(&s.w, &x, OTHER_USER)->denied, 0,
	       "in a private cluster the job is not even counted");
	s.w.classes[0].urgency_preemptible = false;
	is_int((long long)preempt(&s.w, &x, TEST_USER)->preempted, 1,
	       "the owner of the queue may preempt in a class that is not preemptible");
	world_done(&s.w);
}

static const struct permit permits[] = {
	{PERMIT_ALL, "", 1u << PERMIT_SUBMIT},
	{PERMIT_USER, "bob", 1u << PERMIT_PREEMPT},
};
static Armada__Permission *permissions[2];
static const Armada__QueueSpec shared[] = {
	{QUEUE_SPEC_BEGIN, .name = (char *)"shared", .permissions = permissions,
	 .n_permissions = 2},
};

/*
 * A permission on a queue does not include jobs of classes that are not preemptible; an
 * administrator may preempt them.
 */
static void test_safe_class(void)
{
	const Armada__PreemptReply *r;
	struct input in = {.kind = INPUT_POLICY};
	struct stage s;
	struct wish x;

	stage_init(&s, ALONE, WAITS);
	for (int i = 0; i < 2; i++)
		permissions[i] = permit_message(&permits[i], s.w.arena);
	s.w.policy.queues = shared;
	s.w.policy.queue_count = 1;
	in.policy = &s.w.policy;
	world_feed(&s.w, &in);
	for (int i = 0; i < 2; i++) {
		s.job = gang_member_submit(&s.w, (struct gang_member){.no_gang = true,
								      .queue = "shared"});
		world_decide(&s.w, s.job, 0, "n1");
	}
	wish_init(&x, ID, s.job - 1, 0);
	is_int((long long)preempt(&s.w, &x, TEST_USER)->denied, 1,
	       "the owner of the job has no permission to preempt it");
	x.m.hold = true;
	r = preempt(&s.w, &x, OTHER_USER);
	is_int((long long)r->denied, 1,
	       "with that permission the job cannot be held, as this needs cancel");
	has_str(r->problems[0], "a hold needs the right to cancel", "the problem says so");
	x.m.hold = false;
	is_int((long long)preempt(&s.w, &x, OTHER_USER)->preempted, 1,
	       "with that permission the job can be preempted");
	wish_init(&x, ID, s.job, 0);
	s.w.classes[0].urgency_preemptible = false;
	r = preempt(&s.w, &x, OTHER_USER);
	is_int((long long)r->denied, 1, "but not in a class that is not preemptible");
	has_str(r->problems[0], "only an administrator may preempt it", "the problem says so");
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, 1,
	       "an administrator may preempt it");
	world_done(&s.w);
}

enum { MANY = 2500, ON_A_NODE = 64 };

static void test_parts(void)
{
	struct test_world w;
	uint64_t gone = 0;
	int parts = 0;
	struct wish x;

	world_init(&w);
	for (int i = 0; i < MANY; i++) {
		uint64_t job = world_submit_plain(&w);
		char node[16];

		snprintf(node, sizeof(node), "n%d", i / ON_A_NODE);
		if (i % ON_A_NODE == 0)
			world_node(&w, 1 + i / ON_A_NODE, node, ON_A_NODE, "boot1",
				   1 + i / ON_A_NODE);
		world_decide(&w, job, 0, node);
	}
	wish_init(&x, QUEUE, 0, 0);
	do {
		const Armada__PreemptReply *r = preempt(&w, &x, ADMIN_USER);

		gone += r->preempted;
		x.m.after_id = r->next_after_id;
		parts++;
	} while (x.m.after_id);
	is_int((long long)gone, MANY, "many jobs are preempted");
	ok(parts > 1, "in %d requests", parts);
	world_done(&w);
}

static void test_refused(void)
{
	struct stage s;
	struct wish x;
	char long_text[2000];

	stage_init(&s, ALONE, RUNS);
	wish_init(&x, 0, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	has_str(world_error(&s.w), "nothing selected", "an empty filter is refused");
	wish_init(&x, ID, s.job, 0);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	x.m.reason = long_text;
	preempt(&s.w, &x, ADMIN_USER);
	has_str(world_error(&s.w), "reason: longer", "a reason that is too long is refused");
	wish_init(&x, ID, s.job + 7, 0);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->n_missing, 1,
	       "an unknown job is counted as missing");
	world_done(&s.w);
}

int main(void)
{
	check_all();
	test_whole();
	check_hold_and_dry_run(ALONE);
	check_hold_and_dry_run(GANG);
	test_avoids();
	test_no_failure();
	test_restart();
	test_who();
	test_safe_class();
	test_parts();
	test_refused();
	return done();
}
