/* Gangs of jobs: when they begin, and how they go back. */
#include "members.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

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

		members_begin(&w);
		id = members_submit(&w, whole[i].jobs, whole[i].count);
		if (whole[i].says)
			ok(!id && strstr(world_error(&w), whole[i].says), "refused: %s",
			   whole[i].says);
		else
			ok(id, "a gang that may fit is accepted");
		if (!strstr(world_error(&w), whole[i].says ? whole[i].says : ""))
			diag("%s", world_error(&w));
		world_done(&w);
	}
	members_begin(&w);
	member_submit(&w, (struct member){.cardinality = 2, .tasks = 5});
	ok(!member_submit(&w, (struct member){.cardinality = 2, .tasks = 5}) &&
		   strstr(world_error(&w), "gang g, whole with this job (train): cpu: 10 at once"),
	   "with those that wait, too");
	w.policy.hold_impossible = true;
	ok(member_submit(&w, (struct member){.cardinality = 2, .tasks = 5}),
	   "unless the impossible may wait");
	world_done(&w);
}

static void test_begins(void)
{
	struct test_world w;
	uint64_t a, b, c;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 3, .cpus = 3});
	is_str(world_reason(&w, a), "gang g waits for 2 of its 3 members", "one of three waits");
	is_str(world_row(&w, a)->reason_word, "GangIncomplete", "by its word");
	is_str(world_row(&w, a)->gang_id, "g", "its gang is shown");
	is_int(world_row(&w, a)->gang_cardinality, 3, "and how many it has");
	world_decide(&w, a, 0, "n1");
	is_int(world_leased(&w), 0, "it does not begin alone, whoever decides it");
	b = member_submit(&w, (struct member){.cardinality = 3, .cpus = 3});
	c = member_submit(&w, (struct member){.cardinality = 3, .cpus = 1});
	is_str(world_reason(&w, b), "waits for its turn", "all are there: now they wait for room");
	world_decide(&w, a, 0, "n1");
	is_int(world_leased(&w), 0, "a decision for fewer is refused");
	world_decide(&w, b, 0, "n1 n2 n1");
	is_int(world_leased(&w), 0, "and one that takes another for the first");
	world_decide(&w, a, 0, "n1 n1 n2");
	is_int(world_leased(&w), 0, "and one without room for all of them together");
	world_decide(&w, a, 0, "n1 n2 n3");
	is_int(world_leased(&w), 0, "and one on a node that is not there");
	world_decide(&w, a, 0, "n1 - n1");
	is_int(world_leased(&w), 0, "and one that leaves somebody out");
	world_decide(&w, a, 0, "n1 n2 n1");
	is_int(world_leased(&w), 3, "all begin in one record");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "and their orders leave");
	is_str(world_row(&w, b)->nodes[0], "n2", "each on the node of its place");
	is_str(world_row(&w, c)->nodes[0], "n1", "the last too");
	ok(!member_submit(&w, (struct member){.cardinality = 3}) &&
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

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 2, .tasks = 2});
	b = member_submit(&w, (struct member){.cardinality = 2, .tasks = 3});
	world_decide(&w, a, 0, "n1 n2 n2 n2 n1");
	is_int(world_leased(&w), 2, "members of several tasks begin together");
	is_int(world_orders(&w, ORDER_LAUNCH), 5, "with all their tasks");
	is_int((int)world_row(&w, b)->n_nodes, 3, "each with its own");
	is_str(world_row(&w, b)->nodes[2], "n1", "in their order");
	world_done(&w);

	members_begin(&w);
	world_node(&w, 3, "n3", 4, "boot1", 3);
	a = member_submit(&w, (struct member){.cardinality = 2, .tasks = 2, .nodes = 2});
	member_submit(&w, (struct member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n1 n3");
	is_int(world_leased(&w), 0, "tasks that want distinct nodes do not share one");
	world_decide(&w, a, 0, "n1 n2 n3");
	is_int(world_leased(&w), 2, "with one each all begin");
	world_done(&w);

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 2, .exclusive = true});
	member_submit(&w, (struct member){.cardinality = 2, .exclusive = true});
	world_decide(&w, a, 0, "n1 n1");
	is_int(world_leased(&w), 0, "exclusive members share no node");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "each on its own they begin");
	world_done(&w);
}

static void test_minimum(void)
{
	struct test_world w;
	uint64_t a, b, c;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	b = member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	c = member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, a, 0, "n1 - -");
	is_int(world_leased(&w), 0, "fewer than the minimum do not begin");
	world_decide(&w, a, 0, "- n1 n2");
	is_int(world_leased(&w), 2, "as many as the minimum do");
	is_int(world_ended_as(&w, a, 0), JOB(FAILED), "who was left out has failed");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the others begin");
	world_preempt(&w, b, 0);
	world_ended(&w, 1, b, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 2, c, 0, 0, 1, END(PREEMPTED), 0);
	world_decide(&w, b, 0, "n2 n1");
	is_int(world_leased(&w), 2, "afterwards those who are left are the gang");
	world_done(&w);
}

/* A promise that leaves somebody out is taken back: those who are left must not wait for ever. */
static void test_minimum_promised(void)
{
	struct test_world w;
	uint64_t x, a, b, c;

	members_begin(&w);
	x = member_submit(&w, (struct member){.no_gang = true, .cpus = 4});
	a = member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	b = member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	c = member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_decide(&w, a, 0, "- n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the minimum is promised its room");
	is_int(world_ended_as(&w, a, 0), JOB(FAILED), "without the first, which has failed");
	ok(!member_submit(&w, (struct member){.cardinality = 3, .min = 2, .cpus = 3}) &&
		   strstr(world_error(&w), "comes too late"),
	   "nobody can take its place any more");
	world_preempt(&w, b, 0);
	is_int(world_state(&w, c, 0), JOB(PENDING), "the promise is taken back");
	is_str(world_reason(&w, c), "for a more urgent job", "they wait for room, for nobody");
	world_ended(&w, 1, x, 0, 0, 1, END(PREEMPTED), 0);
	world_decide(&w, b, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "and begin as those who are left");
	world_done(&w);
}

static void test_lost_member(void)
{
	struct test_world w;
	uint64_t a, b, c;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 2});
	b = member_submit(&w, (struct member){.cardinality = 2});
	world_cancel(&w, TEST_USER, a);
	is_str(world_reason(&w, b),
	       "gang g lost a member: submit another with the same gang id, or cancel the rest",
	       "a gang that has not begun misses who was cancelled");
	world_decide(&w, b, 0, "n1");
	is_int(world_leased(&w), 0, "and does not begin without");
	c = member_submit(&w, (struct member){.cardinality = 2});
	is_str(world_reason(&w, b), "waits for its turn", "another takes its place");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 0, "a decision for the one that left is void");
	world_decide(&w, b, 0, "n1 n2");
	is_int(world_leased(&w), 2, "the gang begins");
	world_cancel(&w, TEST_USER, b);
	is_int(world_state(&w, c, 0), JOB(CONFIGURING),
	       "a running one that is cancelled just ends");
	world_done(&w);
}

static void test_held(void)
{
	struct test_world w;
	uint64_t a, b;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 2});
	b = member_submit(&w, (struct member){.cardinality = 2, .hold = true});
	is_str(world_reason(&w, a), "job 2 of its gang g is held",
	       "a member that is held holds all");
	is_str(world_row(&w, a)->reason_word, "Held", "by the word");
	is_str(world_reason(&w, b), "held, until actl release", "and says so itself");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 0, "nobody begins");
	world_hold(&w, b, true);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "until it is released");
	world_done(&w);
}

static void test_preempted(void)
{
	struct test_world w;
	uint64_t a, b, c;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 3});
	b = member_submit(&w, (struct member){.cardinality = 3});
	c = member_submit(&w, (struct member){.cardinality = 3, .no_requeue = true});
	world_decide(&w, a, 0, "n1 n2 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_preempt(&w, a, 0);
	is_int(world_orders(&w, ORDER_KILL), 3, "who preempts one preempts all");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the first waits again");
	is_str(world_reason(&w, a), "gang g goes back whole: 2 of it are still being ended",
	       "for the others to end");
	world_decide(&w, a, 0, "n1");
	is_int(world_leased(&w), 0, "and does not begin before");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 2, c, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_ended_as(&w, c, 0), JOB(PREEMPTED), "one that is not to run again has ended");
	world_decide(&w, a, 0, "n2 n2");
	is_int(world_leased(&w), 2, "the others begin again together");
	world_done(&w);
}

/* Its node is lost, and proves it by another boot. */
static void test_goes_back(void)
{
	struct test_world w;
	uint64_t a, b, c;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 3});
	b = member_submit(&w, (struct member){.cardinality = 3});
	c = member_submit(&w, (struct member){.cardinality = 3});
	world_decide(&w, a, 0, "n1 n2 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_started(&w, 2, b, 0, 0, 1);
	world_started(&w, 2, c, 0, 0, 1);
	world_node(&w, 1, "n1", 4, "boot2", 1);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the job of a lost node waits again");
	is_int(world_state(&w, b, 0), JOB(COMPLETING), "and its siblings are ended");
	is_str(world_reason(&w, b),
	       "job 1 of its gang waits again: attempt 1: node n1 was restarted",
	       "with the reason");
	world_ended(&w, 2, b, 0, 0, 1, END(CANCELLED), 0);
	is_int(world_state(&w, b, 0), JOB(PENDING), "one waits again");
	world_ended(&w, 2, c, 0, 0, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, c, 0), JOB(COMPLETED), "one had done its work just then");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "those who are left begin again");
	world_ended(&w, 2, b, 0, 0, 2, END(REFUSED), 0);
	is_int(world_state(&w, a, 0), JOB(COMPLETING),
	       "a node that refuses one sends all back, too");
	world_cancel(&w, TEST_USER, a);
	world_ended(&w, 1, a, 0, 0, 2, END(CANCELLED), 0);
	is_int(world_ended_as(&w, a, 0), JOB(CANCELLED), "on the way back it can be cancelled");
	world_decide(&w, b, 0, "n1");
	is_int(world_leased(&w), 1, "and the last one is a gang of one");
	world_done(&w);
}

/* Somebody of it is on a silent node. */
static void test_silent(void)
{
	struct test_world w;
	uint64_t a, b;

	members_begin(&w);
	a = member_submit(&w, (struct member){.cardinality = 2});
	b = member_submit(&w, (struct member){.cardinality = 2});
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
	is_int(world_leased(&w), 2, "and both begin again");
	world_done(&w);
}

/* Room that others have yet. */
static void test_promised(void)
{
	struct test_world w;
	uint64_t x, y, a, b;

	members_begin(&w);
	x = member_submit(&w, (struct member){.no_gang = true, .cpus = 4});
	y = member_submit(&w, (struct member){.no_gang = true, .cpus = 4});
	a = member_submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	b = member_submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_decide(&w, y, 0, "n2");
	world_started(&w, 2, y, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_preempt(&w, y, 0);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "a gang is promised the room of two");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "which they have yet");
	world_ended(&w, 1, x, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "one's room does not do");
	world_ended(&w, 2, y, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "with the other's all of it is ordered");

	world_preempt(&w, a, 0);
	world_decide(&w, x, 0, "n1");
	is_int(world_leased(&w), 1, "somebody is promised the room of one of a gang");
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

	members_begin(&w);
	x = member_submit(&w, (struct member){.no_gang = true, .cpus = 4});
	a = member_submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	b = member_submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the one with room waits for the other");
	is_str(world_reason(&w, b), "waits for room that is promised to it", "and says so");
	world_preempt(&w, a, 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "a promise that is preempted is void");
	is_int(world_state(&w, b, 0), JOB(PENDING), "for all of them");
	world_decide(&w, a, 0, "n1 n2");
	world_cancel(&w, TEST_USER, b);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED), "one of a promised gang is cancelled");
	is_int(world_state(&w, a, 0), JOB(PENDING), "the other waits");
	is_str(world_reason(&w, a),
	       "gang g lost a member: submit another with the same gang id, or cancel the rest",
	       "for another: nothing of it had begun");
	c = member_submit(&w, (struct member){.cardinality = 2, .cpus = 4});
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "with which it is promised the room again");
	world_closed(&w, 2);
	world_tick(&w, 61000000);
	is_int(world_state(&w, a, 0), JOB(PENDING), "a node that falls silent takes it from all");
	is_int(world_state(&w, c, 0), JOB(PENDING), "of them");
	world_done(&w);
}

int main(void)
{
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
	return done();
}
