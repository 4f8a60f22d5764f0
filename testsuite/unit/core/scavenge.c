/*
 * --scavenge: jobs that others may always preempt. What they may not ask for, the reason of one that was
 * preempted, and the counts of the rounds.
 */
#include "fixture.h"
#include "sched/why.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

static uint64_t submit(struct test_world *w, bool scavenge, bool alone, const char *gang)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec.scavenge = scavenge;
	spec.exclusive = alone;
	spec.gang_id = (char *)gang;
	spec.gang_cardinality = *gang ? 2 : 0;
	return world_submit(w, &spec);
}

static void test_refusals(void)
{
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	ok(!submit(&w, true, true, "") && strstr(world_error(&w), "so it cannot scavenge"),
	   "whole nodes are refused: %s", world_error(&w));
	ok(!submit(&w, true, false, "g") && strstr(world_error(&w), "not for a gang of jobs"),
	   "a gang of jobs is refused: %s", world_error(&w));
	ok(submit(&w, false, true, "") && submit(&w, false, false, "g"),
	   "a job that does not scavenge may have both");
	world_done(&w);
}

/* The value of a property of the rounds. */
static double property(struct test_world *w, const char *name)
{
	Armada__PropertiesRequest m = ARMADA__PROPERTIES_REQUEST__INIT;
	const Armada__PropertiesReply *r;

	world_send(w, TEST_USER, MSG_PROPERTIES, &m);
	r = world_reply(w, MSG_PROPERTIES_REPLY);
	for (size_t i = 0; r && i < r->n_rows; i++)
		if (strcmp(r->rows[i]->name, name) == 0)
			return r->rows[i]->value;
	return -1;
}

static void test_preempted(void)
{
	struct sched_decision d = {
		.kind = SCHED_PREEMPT, .why = "scavenging", .text = "made room for job 2"};
	const struct sched_result result = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &result};
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	d.job = submit(&w, true, false, "");
	ok(world_row(&w, d.job)->scavenge, "a listing shows that a job scavenges");
	d.for_job = submit(&w, false, false, "");
	ok(!world_row(&w, d.for_job)->scavenge, "and that another one does not");
	world_decide(&w, d.job, 0, "n1");
	world_started(&w, 1, d.job, 0, 0, 1);
	world_feed(&w, &in);
	is_int(world_state(&w, d.job, 0), JOB(COMPLETING), "it is preempted");
	is_int((int)property(&w, "preempted_scavenging"), 1, "the round counts it");
	is_int((int)property(&w, "preempted_fair_share_total"), 0,
	       "it does not count as preempted for fair share");
	is_int((int)property(&w, "preempted_urgency_total"), 0, "nor for urgency");
	is_int((int)property(&w, "preempted_scavenging_total"), 1, "the sum counts it, too");
	world_ended(&w, 1, d.job, 0, 0, 1, ARMADA__END_CAUSE__END_PREEMPTED, 0);
	is_int(world_state(&w, d.job, 0), JOB(PENDING), "it waits again");
	is_str(world_row(&w, d.job)->reason_word, why_word(WHY_SCAVENGE), "with its reason");
	is_str(world_reason(&w, d.job), "scavenging preemption: made room for job 2",
	       "and the text of the round");
	world_done(&w);
}

int main(void)
{
	test_refusals();
	test_preempted();
	return done();
}
