/*
 * Preempting by request: every state of an element, by every filter, for jobs alone, jobs that may not be
 * requeued, elements of arrays and gangs of jobs; then who may, parts, and what remains of it.
 */
#include "fixture.h"
#include "members.h"
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

static const char *const state_names[] = {"waits",       "is promised",        "is leased",
					  "runs",        "is cancelled",       "is preempted",
					  "is requeued", "is on a silent node"};
static const char *const shape_names[] = {"a job", "a job without requeue", "an element", "a gang"};

/* What is asked for: bits. */
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
	/* a value that it does not have, beside others that it has */
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
	uint64_t job; /* of a gang the first; the second has the next id */
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

/* On n1, the second of a gang on n2. */
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

/* Somebody else has all of n1, and is being preempted. */
static void promise(struct stage *s)
{
	uint64_t other = member_submit(&s->w, (struct member){.no_gang = true, .cpus = 4});

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
	struct member list[2] = {{.job_set = "night", .cardinality = 2},
				 {.job_set = "night", .cardinality = 2}};

	*s = (struct stage){.shape = shape, .members = shape == GANG ? 2 : 1};
	members_begin(&s->w);
	list[0].no_gang = shape != GANG;
	list[0].cardinality = shape == GANG ? 2 : 0;
	list[0].array = shape == ARRAY;
	list[0].no_requeue = shape == FINAL;
	s->element = shape == ARRAY ? 1 : 0;
	s->job = members_submit(&s->w, list, (size_t)s->members);
	if (state == PROMISED)
		promise(s);
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

	ok(ev && ev->element_ending->why == ENDING(PREEMPT), "%s: it is preempted", name);
	if (ev)
		has_str(ev->element_ending->text, ": new disk", "%s: with the reason", name);
	is_int(world_orders(&s->w, ORDER_KILL), s->members, "%s: each task is told", name);
	ok(s->w.out.wants_round, "%s: and a round looks who gets the room", name);
	is_int((long long)preempt(&s->w, x, ADMIN_USER)->preempted, 0, "%s: and not twice", name);
	ok(!s->w.out.record, "%s: nothing more happens", name);
	for (int i = 0; i < s->members; i++)
		world_ended(&s->w, 1 + i, s->job + i, s->element, 0, 1, END(PREEMPTED), 0);
	for (int i = 0; i < s->members; i++)
		is_int(ends_as(s, i), s->shape == FINAL ? JOB(PREEMPTED) : JOB(PENDING),
		       "%s: then it waits again, or has ended", name);
	if (s->shape == ALONE)
		has_str(world_row(&s->w, s->job)->last_end, "attempt 1: preempted by ",
			"%s: and its owner sees by whom", name);
}

static void check(enum shape shape, enum stage_state state, unsigned by)
{
	bool named = by & ID, meant = !(by & WRONG), goes = state >= PROMISED && state <= RUNS;
	const Armada__PreemptReply *r;
	bool left;
	char name[200];
	struct stage s;
	struct wish x;

	/* the job left memory, or is of no node */
	if (state == REQUEUED && shape == FINAL)
		return;
	snprintf(name, sizeof(name), "%s that %s, by %#x", shape_names[shape], state_names[state],
		 by);
	stage_init(&s, shape, state);
	wish_init(&x, by, s.job, s.element);
	if (state == WAITS)
		meant = named && meant;
	r = preempt(&s.w, &x, ADMIN_USER);
	is_int((long long)r->preempted, meant && goes ? s.members : 0, "%s: who goes", name);
	/* whose room it was promised is being ended already, and meant too */
	left = meant && (!goes || (state == PROMISED && !(by & (ID | SET))));
	is_int((long long)r->refused, left, "%s: who does not (%s)", name,
	       r->n_problems ? r->problems[0] : "");
	is_int((long long)r->n_problems, left, "%s: with words", name);
	if (!meant || !goes)
		ok(!s.w.out.record, "%s: nothing happens", name);
	else if (state == PROMISED)
		for (int i = 0; i < s.members; i++)
			is_int(world_state(&s.w, s.job + i, s.element), JOB(PENDING),
			       "%s: nothing of it was ordered: it waits at once", name);
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

/* The second member is meant, and the first goes with it; of an array nobody else does. */
static void test_whole(void)
{
	struct stage s;
	struct wish x;

	stage_init(&s, GANG, RUNS);
	wish_init(&x, ID, s.job + 1, 0);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, 2, "all of a gang goes");
	is_int(world_state(&s.w, s.job, 0), JOB(COMPLETING), "also who was not named");
	world_done(&s.w);
	stage_init(&s, GANG, RUNS);
	world_cancel(&s.w, TEST_USER, s.job + 1);
	wish_init(&x, ID, s.job, 0);
	has_str(preempt(&s.w, &x, ADMIN_USER)->problems[0], "of it is being ended already",
		"but not while one of it is being ended");
	world_done(&s.w);
	stage_init(&s, ARRAY, RUNS);
	world_decide(&s.w, s.job, 2, "n2");
	wish_init(&x, ID | ELEMENT, s.job, 1);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, 1, "one element of an array");
	is_int(world_state(&s.w, s.job, 2), JOB(CONFIGURING), "the others stay");
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
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, s.members, "%s: would go",
	       name);
	ok(!s.w.out.record, "%s: and nothing happens", name);
	x.m.dry_run = false;
	preempt(&s.w, &x, ADMIN_USER);
	for (int i = 0; i < s.members; i++)
		world_ended(&s.w, (uint64_t)i + 1, s.job + (uint64_t)i, 0, 0, 1, END(PREEMPTED), 0);
	for (int i = 0; i < s.members; i++)
		ok(world_row(&s.w, s.job + (uint64_t)i)->held, "%s: member %d is held", name, i);
	world_decide(&s.w, s.job, 0, shape == GANG ? "n1 n2" : "n1");
	is_int(world_state(&s.w, s.job, 0), JOB(PENDING), "%s: does not start", name);
	world_done(&s.w);
	stage_init(&s, FINAL, PROMISED);
	wish_init(&x, ID, s.job, 0);
	x.m.hold = true;
	preempt(&s.w, &x, ADMIN_USER);
	ok(world_row(&s.w, s.job)->held, "what may not be requeued, and was promised, is held too");
	world_done(&s.w);
}

/* By the name of its node: there it does not come back to for a while. */
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
	ok(ev && ev->job_avoids->n_nodes == 1, "it avoids the node");
	if (ev) {
		is_str(ev->job_avoids->nodes[0]->node, "n1", "that was named");
		is_int(ev->job_avoids->nodes[0]->until_us - s.w.wall_us, 301000000,
		       "for so long after its grace");
	}
	world_ended(&s.w, 1, s.job, 0, 0, 1, END(PREEMPTED), 0);
	world_tick(&s.w, 400000000);
	ok(world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS) != NULL, "and then no more");
	world_done(&s.w);
	stage_init(&s, ALONE, RUNS);
	s.w.policy.avoid_us = 300000000;
	wish_init(&x, QUEUE, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	ok(!world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS), "by its queue it avoids nothing");
	world_done(&s.w);
	stage_init(&s, FINAL, RUNS);
	s.w.policy.avoid_us = 300000000;
	wish_init(&x, NODE, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	ok(!world_event(&s.w, ARMADA__EVENT__KIND_JOB_AVOIDS), "nor who does not come back");
	world_done(&s.w);
}

/* Somebody's wish is no failure of the job, however often. */
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
		is_int(world_state(&s.w, s.job, 0), JOB(PENDING), "it waits after attempt %u",
		       attempt);
	}
	world_decide(&s.w, s.job, 0, "n1");
	has_str(world_row(&s.w, s.job)->last_end, "attempt 4: preempted",
		"what the last was like is known while it runs");
	world_restart(&s.w);
	world_node(&s.w, 1, "n1", 4, "boot1", 1);
	has_str(world_row(&s.w, s.job)->last_end, "attempt 4: preempted", "and after a restart");
	world_done(&s.w);
}

/* Told to end before the controller is killed: it is told again, and nothing else. */
static void test_restart(void)
{
	struct stage s;
	struct wish x;

	stage_init(&s, ALONE, RUNS);
	wish_init(&x, ID, s.job, 0);
	preempt(&s.w, &x, ADMIN_USER);
	world_restart(&s.w);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->refused, 1, "it is ending still");
	ok(!s.w.out.record, "and is not ended twice");
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
	is_int((long long)r->denied, 1, "another user is denied, whatever he names it by");
	has_str(r->problems[0], "belongs to ann", "in words");
	ok(!s.w.out.record, "and nothing happens");
	s.w.policy.private = true;
	is_int((long long)preempt(&s.w, &x, OTHER_USER)->denied, 0, "what he may not see is not");
	s.w.classes[0].urgency_preemptible = false;
	is_int((long long)preempt(&s.w, &x, TEST_USER)->preempted, 1,
	       "one's own queue: also in a class that is not preemptible");
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

/* Who may preempt in a queue may not what was promised to run on; an administrator may. */
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
		s.job = member_submit(&s.w, (struct member){.no_gang = true, .queue = "shared"});
		world_decide(&s.w, s.job, 0, "n1");
	}
	wish_init(&x, ID, s.job - 1, 0);
	is_int((long long)preempt(&s.w, &x, TEST_USER)->denied, 1, "one's own job is not enough");
	x.m.hold = true;
	r = preempt(&s.w, &x, OTHER_USER);
	is_int((long long)r->denied, 1, "who was given it may not hold, which takes cancel");
	has_str(r->problems[0], "that takes the right to cancel", "in words");
	x.m.hold = false;
	is_int((long long)preempt(&s.w, &x, OTHER_USER)->preempted, 1, "who was given it may");
	wish_init(&x, ID, s.job, 0);
	s.w.classes[0].urgency_preemptible = false;
	r = preempt(&s.w, &x, OTHER_USER);
	is_int((long long)r->denied, 1, "but not in a class that is not preemptible");
	has_str(r->problems[0], "only an administrator may preempt it", "in words");
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->preempted, 1, "an administrator may");
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
	is_int((long long)gone, MANY, "many are preempted");
	ok(parts > 1, "in %d parts", parts);
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
	has_str(world_error(&s.w), "nothing selected", "everything is not meant by nothing");
	wish_init(&x, ID, s.job, 0);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	x.m.reason = long_text;
	preempt(&s.w, &x, ADMIN_USER);
	has_str(world_error(&s.w), "reason: longer", "a reason that is too long");
	wish_init(&x, ID, s.job + 7, 0);
	is_int((long long)preempt(&s.w, &x, ADMIN_USER)->n_missing, 1, "who is not there is said");
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
