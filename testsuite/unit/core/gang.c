/*
 * Gangs of jobs: when they start, minimums, lost and held members, preemption, requeue as a
 * whole, lost nodes, and pending leases.
 */
#include "gang_members.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

static const struct {
	struct gang_member jobs[4];
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
	 NULL}, /* members of 3 and 1 cpus fit on one node, the member of 4 on the other */
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
	 "3 tasks like those of train must start together; the 2 nodes it may use hold at most 2"},
	{{{.cardinality = 2, .tasks = 2, .nodes = 2}, {.cardinality = 2, .cpus = 2, .name = "b"}},
	 2,
	 "its members must be on 3 different nodes; the 2 nodes it may use are 2"},
};

/* A gang that could never start is refused with its last member. */
static void test_whole(void)
{
	struct test_world w;

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		uint64_t id;

		gang_members_begin(&w);
		id = gang_members_submit(&w, whole[i].jobs, whole[i].count);
		if (whole[i].says)
			ok(!id && strstr(world_error(&w), whole[i].says), "refused: %s",
			   whole[i].says);
		else
			ok(id, "a gang that may fit is accepted");
		if (!strstr(world_error(&w), whole[i].says ? whole[i].says : ""))
			diag("%s", world_error(&w));
		world_done(&w);
	}
	gang_members_begin(&w);
	gang_member_submit(&w, (struct gang_member){.cardinality = 2, .tasks = 4});
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 2, .tasks = 6}) &&
		   strstr(world_error(&w), "gang g, whole with this job (train): cpu: 10 at once"),
	   "pending members count too");
	w.policy.hold_impossible = true;
	ok(gang_member_submit(&w, (struct gang_member){.cardinality = 2, .tasks = 6}),
	   "with hold_impossible it is accepted");
	world_done(&w);
}

/* A gang whose members would be like the first one is refused with the first. */
static void test_first(void)
{
	struct test_world w;

	gang_members_begin(&w);
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 3, .cpus = 3}),
	   "a member is refused if three like it cannot start together");
	has_str(world_error(&w),
		"gang g, if each later member asks for as much as this job (train) (submit unequal "
		"members in one request, or a small one first): cpu: 9 at once is more than",
		"... with the numbers and a way out");
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 3, .exclusive = true}),
	   "three exclusive members do not fit on two nodes");
	ok(gang_member_submit(&w, (struct gang_member){.cardinality = 3, .cpus = 3, .min = 2}),
	   "two of three would fit, and two are enough");
	ok(gang_member_submit(&w, (struct gang_member){.cardinality = 3, .cpus = 2, .id = "h"}) &&
		   gang_member_submit(&w,
				      (struct gang_member){.cardinality = 3, .cpus = 4, .id = "h"}),
	   "after a small member a large one is accepted");
	world_done(&w);
}

/* Rewrites the records as an early release wrote them: a gang is in one job set. */
static void make_records_old(struct test_world *w)
{
	for (size_t i = 0; i < w->record_count; i++) {
		Armada__Record *r =
			armada__record__unpack(NULL, w->records[i].len, w->records[i].data);

		for (size_t k = 0; k < r->n_events; k++)
			if (r->events[k]->kind_case == ARMADA__EVENT__KIND_JOB_SUBMITTED)
				r->events[k]->job_submitted->spec->gang_of_queue = false;
		w->records[i].data =
			xrealloc(w->records[i].data, armada__record__get_packed_size(r));
		w->records[i].len = armada__record__pack(r, w->records[i].data);
		armada__record__free_unpacked(r, NULL);
	}
}

static void test_early_release(void)
{
	struct test_world w;
	uint64_t a, b;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .job_set = "one"});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .job_set = "two"});
	make_records_old(&w);
	world_restart(&w);
	is_str(world_reason(&w, b), "gang g waits for 2 of its 3 members",
	       "gangs of an early release are in one job set");
	gang_member_submit(&w, (struct gang_member){.cardinality = 3, .job_set = "one"});
	is_str(world_reason(&w, a), "gang g waits for 1 of its 3 members",
	       "a new member joins the one of its set");
	is_str(world_reason(&w, b), "gang g waits for 2 of its 3 members", "... and not the other");
	world_done(&w);
}

static void test_timeout(void)
{
	struct test_world w;
	uint64_t a, b;

	gang_members_begin(&w);
	w.policy.gang_timeout_us = INT64_C(3600000000);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	world_tick(&w, INT64_C(1800000000));
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .job_set = "other"});
	world_tick(&w, INT64_C(3000000000));
	is_str(world_row(&w, a)->reason_word, "GangIncomplete",
	       "the time counts from the last submission");
	world_tick(&w, INT64_C(1000000000));
	is_str(world_row(&w, b)->reason_word, "GangTimeout",
	       "a gang that lacks members for long is held");
	has_str(world_reason(&w, a), "gang g had 2 of its 3 members for longer than",
		"... with the numbers");
	world_hold(&w, a, true);
	has_str(world_reason(&w, a), "gang g had 2 of its 3", "its owner cannot release it");
	world_restart(&w);
	is_str(world_row(&w, b)->reason_word, "GangTimeout", "a new controller holds it, too");
	gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	is_str(world_reason(&w, b), "waits for its turn", "the missing member releases it");
	w.policy.gang_timeout_us = 0;
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .id = "never"});
	world_tick(&w, INT64_C(90000000000));
	is_str(world_row(&w, a)->reason_word, "GangIncomplete", "0 is never");
	world_done(&w);
}

static void test_begins(void)
{
	struct test_world w;
	uint64_t a, b, c;

	gang_members_begin(&w);
	w.policy.hold_impossible = true;
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .cpus = 3});
	is_str(world_reason(&w, a), "gang g waits for 2 of its 3 members",
	       "the first of three members waits");
	is_str(world_row(&w, a)->reason_word, "GangIncomplete",
	       "its reason word is GangIncomplete");
	is_str(world_row(&w, a)->gang_id, "g", "its gang is shown");
	is_int(world_row(&w, a)->gang_cardinality, 3, "its cardinality is shown");
	world_decide(&w, a, 0, "n1");
	is_int(world_leased(&w), 0, "a decision for an incomplete gang is refused");
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .cpus = 3});
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .cpus = 1});
	is_str(world_reason(&w, b), "waits for its turn", "a complete gang waits for room");
	world_decide(&w, a, 0, "n1");
	is_int(world_leased(&w), 0, "a decision for too few members is refused");
	world_decide(&w, b, 0, "n1 n2 n1");
	is_int(world_leased(&w), 0, "a decision that starts with another member is refused");
	world_decide(&w, a, 0, "n1 n1 n2");
	is_int(world_leased(&w), 0, "a decision without room for all members is refused");
	world_decide(&w, a, 0, "n1 n2 n3");
	is_int(world_leased(&w), 0, "a decision with an unknown node is refused");
	world_decide(&w, a, 0, "n1 - n1");
	is_int(world_leased(&w), 0, "a decision that leaves a member out is refused");
	world_decide(&w, a, 0, "n1 n2 n1");
	is_int(world_leased(&w), 3, "all members are leased in one record");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "their launch orders are sent");
	is_str(world_row(&w, b)->nodes[0], "n2", "each member is on its node of the decision");
	is_str(world_row(&w, c)->nodes[0], "n1", "the last member too");
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 3}) &&
		   strstr(world_error(&w), "comes too late: the gang has started (1, 2, 3)"),
	   "another member is refused when the gang has started");
	world_started(&w, 1, a, 0, 0, 1);
	world_ended(&w, 1, a, 0, 0, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, a, 0), JOB(COMPLETED), "a member completes by itself");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the others continue");
	world_ended(&w, 2, b, 0, 0, 1, END(EXITED), 1);
	is_int(world_ended_as(&w, b, 0), JOB(FAILED), "a member fails by itself");
	is_int(world_state(&w, c, 0), JOB(CONFIGURING), "the last one continues");
	world_done(&w);
}

/* Members of several tasks, some on distinct nodes. */
static void test_shapes(void)
{
	struct test_world w;
	uint64_t a, b;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .tasks = 2});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .tasks = 3});
	world_decide(&w, a, 0, "n1 n2 n2 n2 n1");
	is_int(world_leased(&w), 2, "members of several tasks start together");
	is_int(world_orders(&w, ORDER_LAUNCH), 5, "all their tasks are launched");
	is_int((int)world_row(&w, b)->n_nodes, 3, "each member has its own nodes");
	is_str(world_row(&w, b)->nodes[2], "n1", "the nodes are in the order of its tasks");
	world_done(&w);

	gang_members_begin(&w);
	w.policy.hold_impossible = true;
	world_node(&w, 3, "n3", 4, "boot1", 3);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .tasks = 2, .nodes = 2});
	gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n1 n3");
	is_int(world_leased(&w), 0,
	       "a decision with two tasks of one member on the same node is refused");
	world_decide(&w, a, 0, "n1 n2 n3");
	is_int(world_leased(&w), 2, "the gang starts with distinct nodes");
	world_done(&w);

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .exclusive = true});
	gang_member_submit(&w, (struct gang_member){.cardinality = 2, .exclusive = true});
	world_decide(&w, a, 0, "n1 n1");
	is_int(world_leased(&w), 0,
	       "a decision with exclusive members on the same node is refused");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "exclusive members start on nodes of their own");
	world_done(&w);
}

static void test_minimum(void)
{
	struct test_world w;
	uint64_t a, b, c;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, a, 0, "n1 - -");
	is_int(world_leased(&w), 0, "a decision for fewer members than the minimum is refused");
	world_decide(&w, a, 0, "- n1 n2");
	is_int(world_leased(&w), 2, "as many members as the minimum start");
	is_int(world_ended_as(&w, a, 0), JOB(FAILED), "a member that was left out has failed");
	is_int(world_state(&w, b, 0), JOB(CONFIGURING), "the others start");
	world_preempt(&w, b, 0);
	world_ended(&w, 1, b, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 2, c, 0, 0, 1, END(PREEMPTED), 0);
	world_decide(&w, b, 0, "n2 n1");
	is_int(world_leased(&w), 2, "afterwards the remaining members are the gang");
	world_done(&w);
}

/*
 * A pending lease that leaves a member out is withdrawn: the remaining members must not wait for
 * ever.
 */
static void test_minimum_pending(void)
{
	struct test_world w;
	uint64_t x, a, b, c;

	gang_members_begin(&w);
	x = gang_member_submit(&w, (struct gang_member){.no_gang = true, .cpus = 4});
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_decide(&w, a, 0, "- n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the minimum has a pending lease");
	is_int(world_ended_as(&w, a, 0), JOB(FAILED), "the member that was left out has failed");
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3}) &&
		   strstr(world_error(&w), "comes too late"),
	   "no new member may take its place");
	world_preempt(&w, b, 0);
	is_int(world_state(&w, c, 0), JOB(PENDING), "the pending lease is withdrawn");
	is_str(world_reason(&w, c), "urgency preemption: for a more urgent job",
	       "the reason is the preemption, not a missing member");
	world_ended(&w, 1, x, 0, 0, 1, END(PREEMPTED), 0);
	world_decide(&w, b, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "the remaining members start");
	world_done(&w);
}

static void test_lost_member(void)
{
	struct test_world w;
	uint64_t a, b, c;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	world_cancel(&w, TEST_USER, a);
	is_str(world_reason(&w, b),
	       "gang g lost a member: submit another with the same gang id, or cancel the rest",
	       "a pending gang waits for a replacement of a cancelled member");
	world_decide(&w, b, 0, "n1");
	is_int(world_leased(&w), 0, "the gang does not start without it");
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	is_str(world_reason(&w, b), "waits for its turn", "a new member takes its place");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 0, "a decision for the cancelled member is refused");
	world_decide(&w, b, 0, "n1 n2");
	is_int(world_leased(&w), 2, "the gang starts");
	world_cancel(&w, TEST_USER, b);
	is_int(world_state(&w, c, 0), JOB(CONFIGURING), "a cancelled running member ends alone");
	world_done(&w);
}

static void test_held(void)
{
	struct test_world w;
	uint64_t a, b;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .hold = true});
	is_str(world_reason(&w, a), "job 2 of its gang g is held", "a held member holds the gang");
	is_str(world_row(&w, a)->reason_word, "Held", "the reason word is Held");
	is_str(world_reason(&w, b), "held, until actl release",
	       "the held member has its own reason");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 0, "a decision for the held gang is refused");
	world_hold(&w, b, true);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "the gang starts when the member is released");
	world_done(&w);
}

static void test_preempted(void)
{
	struct test_world w;
	uint64_t a, b, c;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .no_requeue = true});
	world_decide(&w, a, 0, "n1 n2 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_preempt(&w, a, 0);
	is_int(world_orders(&w, ORDER_KILL), 3, "the preemption of one member preempts all");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the first member is pending again");
	is_str(world_reason(&w, a),
	       "gang g is requeued as a whole: 2 of its members are still being ended",
	       "its reason is that the others are still being ended");
	world_decide(&w, a, 0, "n1");
	is_int(world_leased(&w), 0, "it does not start before they have ended");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	world_ended(&w, 2, c, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_ended_as(&w, c, 0), JOB(PREEMPTED), "a member without requeue has ended");
	world_decide(&w, a, 0, "n2 n2");
	is_int(world_leased(&w), 2, "the others start again together");
	world_done(&w);
}

/* The node of a member is lost; another boot id proves that its tasks are dead. */
static void test_goes_back(void)
{
	struct test_world w;
	uint64_t a, b, c;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	world_decide(&w, a, 0, "n1 n2 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_started(&w, 2, b, 0, 0, 1);
	world_started(&w, 2, c, 0, 0, 1);
	world_node(&w, 1, "n1", 4, "boot2", 1);
	is_int(world_state(&w, a, 0), JOB(PENDING),
	       "the member on the restarted node is pending again");
	is_int(world_state(&w, b, 0), JOB(COMPLETING), "the other members are ended");
	is_str(world_reason(&w, b),
	       "job 1 of its gang waits again: attempt 1: node n1 was restarted",
	       "their reason names the node");
	world_ended(&w, 2, b, 0, 0, 1, END(CANCELLED), 0);
	is_int(world_state(&w, b, 0), JOB(PENDING), "an ended member is pending again");
	world_ended(&w, 2, c, 0, 0, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, c, 0), JOB(COMPLETED),
	       "a member that exited meanwhile has completed");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "the remaining members start again");
	world_ended(&w, 2, b, 0, 0, 2, END(REFUSED), 0);
	is_int(world_state(&w, a, 0), JOB(COMPLETING), "a refused launch requeues the gang too");
	world_cancel(&w, TEST_USER, a);
	world_ended(&w, 1, a, 0, 0, 2, END(CANCELLED), 0);
	is_int(world_ended_as(&w, a, 0), JOB(CANCELLED),
	       "a member can be cancelled while the gang is requeued");
	world_decide(&w, b, 0, "n1");
	is_int(world_leased(&w), 1, "the last member is a gang of one");
	world_done(&w);
}

/* A member is on a lost node. */
static void test_silent(void)
{
	struct test_world w;
	uint64_t a, b;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n2");
	world_started(&w, 1, a, 0, 0, 1);
	world_started(&w, 2, b, 0, 0, 1);
	world_closed(&w, 2);
	w.steady_us += 59000000;
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_tick(&w, 2000000);
	is_int(world_state(&w, b, 0), JOB(UNKNOWN), "the member on the lost node is unknown");
	is_int(world_state(&w, a, 0), JOB(RUNNING), "the other member continues");
	world_preempt(&w, a, 0);
	ok(!world_orders(&w, ORDER_KILL), "such a gang is not preempted");
	world_ended(&w, 1, a, 0, 0, 1, END(LOST), 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "the other member is lost and pending");
	is_int(world_state(&w, b, 0), JOB(COMPLETING), "so the unknown member is to end");
	world_node(&w, 3, "n2", 4, "boot2", 2);
	is_int(world_state(&w, b, 0), JOB(PENDING), "it is pending when its node is back");
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "both start again");
	world_done(&w);
}

/* A pending lease on room that running jobs still use. */
static void test_pending(void)
{
	struct test_world w;
	uint64_t x, y, a, b;

	gang_members_begin(&w);
	x = gang_member_submit(&w, (struct gang_member){.no_gang = true, .cpus = 4});
	y = gang_member_submit(&w, (struct gang_member){.no_gang = true, .cpus = 4});
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .cpus = 4});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .cpus = 4});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_decide(&w, y, 0, "n2");
	world_started(&w, 2, y, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_preempt(&w, y, 0);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "a gang gets a pending lease on the room of two jobs");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "no order is sent while the jobs run");
	world_ended(&w, 1, x, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the room of one job is not enough");
	world_ended(&w, 2, y, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 2,
	       "with the room of both the whole gang is ordered");

	world_preempt(&w, a, 0);
	world_decide(&w, x, 0, "n1");
	is_int(world_leased(&w), 1, "a job gets a pending lease on the room of a gang member");
	world_ended(&w, 1, a, 0, 0, 1, END(PREEMPTED), 0);
	is_int(world_orders(&w, ORDER_LAUNCH), 1, "it is ordered when that member has ended");
	world_ended(&w, 2, b, 0, 0, 1, END(PREEMPTED), 0);
	world_done(&w);
}

/* A pending lease of a gang is withdrawn as a whole. */
static void test_withdrawn(void)
{
	struct test_world w;
	uint64_t x, a, b, c;

	gang_members_begin(&w);
	x = gang_member_submit(&w, (struct gang_member){.no_gang = true, .cpus = 4});
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .cpus = 4});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .cpus = 4});
	world_decide(&w, x, 0, "n1");
	world_started(&w, 1, x, 0, 0, 1);
	world_preempt(&w, x, 0);
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_orders(&w, ORDER_LAUNCH), 0, "the member with room waits for the other");
	is_str(world_reason(&w, b), "waits for the room of its pending lease",
	       "the reason names the pending lease");
	world_preempt(&w, a, 0);
	is_int(world_state(&w, a, 0), JOB(PENDING), "a preempted pending lease is withdrawn");
	is_int(world_state(&w, b, 0), JOB(PENDING), "it is withdrawn for all members");
	world_decide(&w, a, 0, "n1 n2");
	world_cancel(&w, TEST_USER, b);
	is_int(world_ended_as(&w, b, 0), JOB(CANCELLED),
	       "a member with a pending lease is cancelled");
	is_int(world_state(&w, a, 0), JOB(PENDING), "the other member is pending");
	is_str(world_reason(&w, a),
	       "gang g lost a member: submit another with the same gang id, or cancel the rest",
	       "it waits for a new member, as the gang had not started");
	c = gang_member_submit(&w, (struct gang_member){.cardinality = 2, .cpus = 4});
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 2, "with the new member the gang gets a pending lease again");
	world_closed(&w, 2);
	world_tick(&w, 61000000);
	is_int(world_state(&w, a, 0), JOB(PENDING), "a lost node withdraws the pending lease");
	is_int(world_state(&w, c, 0), JOB(PENDING), "it withdraws it for all members");
	world_done(&w);
}

int main(void)
{
	test_whole();
	test_first();
	test_timeout();
	test_early_release();
	test_begins();
	test_shapes();
	test_minimum();
	test_minimum_pending();
	test_lost_member();
	test_held();
	test_preempted();
	test_goes_back();
	test_silent();
	test_pending();
	test_withdrawn();
	return done();
}
