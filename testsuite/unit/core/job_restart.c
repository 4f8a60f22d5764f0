/*
 * Running jobs that are restarted with another template: one record begins it, the tasks end with their
 * grace period, and the job waits and runs with the change. Nothing starts in between, over restarts of
 * the controller and in the scheduler.
 */
#include "core/state/state.h"
#include "fed_sched.h"
#include "fixture.h"
#include "job_change.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name)   ARMADA__JOB_STATE__JOB_##name
#define END(name)   ARMADA__END_CAUSE__END_##name
#define EVENT(name) ARMADA__JOB_EVENT_KIND__JOB_EVENT_##name
#define LOG(name)   ARMADA__EVENT__KIND_##name

static void two_nodes(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
}

static uint64_t run_two(struct test_world *w)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	spec_init(&spec, &group);
	group.replicas = 2;
	id = world_submit(w, &spec);
	world_decide(w, id, 0, "n1 n2");
	world_started(w, 1, id, 0, 0, 1);
	world_started(w, 2, id, 0, 1, 1);
	return id;
}

static const struct job *job(const struct test_world *w, uint64_t id)
{
	return job_find(core_state(w->core), id);
}

static int64_t cpus(const struct test_world *w, uint64_t id)
{
	return job(w, id)->spec->request.amount[0];
}

static struct change *restarting(struct change *x)
{
	x->m.restart = true;
	return x;
}

static void end_both(struct test_world *w, uint64_t id, uint32_t attempt)
{
	world_ended(w, 1, id, 0, 0, attempt, END(CANCELLED), 0);
	world_ended(w, 2, id, 0, 1, attempt, END(CANCELLED), 0);
}

static void test_plain(void)
{
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = run_two(&w);
	has_str(change(&w, change_cpus(&x, id, 2)), "--restart would restart it whole",
		"a template of a running job is refused with the way");
	has_str(change(&w, change_tasks(&x, id, 3)), "--restart would restart it whole",
		"so is its number of tasks");
	event_notes_clear(w.events);
	is_str(change(&w, restarting(change_cpus(&x, id, 2))), "", "with a restart it is accepted");
	ok(world_event(&w, LOG(JOB_RESTARTING)) && world_event(&w, LOG(ELEMENT_ENDING)),
	   "one record has both the change and the ends");
	is_int(world_orders(&w, ORDER_KILL), 2, "the tasks are ended");
	is_str(event_notes_kinds(w.events, id), "updated ending", "the job events tell both");
	has_str(event_notes_last(w.events, EVENT(ENDING))->reason, "restarted with changes by ann",
		"with the reason");
	is_int(cpus(&w, id), 1000, "the running tasks keep what they have");
	has_str(change(&w, restarting(change_cpus(&x, id, 3))), "being restarted with an earlier",
		"a second change waits");
	world_ended(&w, 1, id, 0, 0, 1, END(CANCELLED), 0);
	ok(!world_event(&w, LOG(JOB_UPDATED)), "the first end changes nothing");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	ok(job(&w, id) && job(&w, id)->next, "a new controller knows of the restart");
	event_notes_clear(w.events);
	world_ended(&w, 2, id, 0, 1, 1, END(CANCELLED), 0);
	is_str(event_notes_kinds(w.events, id), "usage requeued", "the last end requeues it");
	is_int(cpus(&w, id), 2000, "the change is made");
	is_str(world_row(&w, id)->reason_word, "Restarting", "the job waits with this reason");
	is_int(job(&w, id)->elements[0]->failures, 0, "no failure is counted");
	world_decide(&w, id, 0, "n1 n1");
	is_int(job(&w, id)->elements[0]->attempt, 2, "it runs under a new attempt");
	is_int(world_orders(&w, ORDER_LAUNCH), 2, "with both tasks");
	world_done(&w);
}

static void test_tasks(void)
{
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = run_two(&w);
	event_notes_clear(w.events);
	is_str(change(&w, restarting(change_tasks(&x, id, 3))), "", "another number of tasks");
	is_str(event_notes_kinds(w.events, id), "scaled ending", "is a restart, too");
	end_both(&w, id, 1);
	world_decide(&w, id, 0, "n1 n1");
	is_int(world_state(&w, id, 0), JOB(PENDING), "it needs more nodes than before");
	world_decide(&w, id, 0, "n1 n1 n2");
	is_int(world_row(&w, id)->tasks, 3, "it starts with the new number");
	change_init(&x, id);
	change_script(restarting(&x), "#!/bin/sh\necho new\n");
	is_str(change(&w, &x), "", "a program during the setup");
	world_ended(&w, 1, id, 0, 0, 2, END(CANCELLED), 0);
	world_ended(&w, 1, id, 0, 1, 2, END(CANCELLED), 0);
	world_ended(&w, 2, id, 0, 2, 2, END(CANCELLED), 0);
	is_int(job(&w, id)->spec->script->bytes->len, 19, "is there for the next attempt");
	world_done(&w);
}

static void test_refused(void)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = run_two(&w);
	has_str(change(&w, restarting(change_cpus(&x, id, 64))), "more than any node has",
		"a template that no node can hold");
	ok(!job(&w, id)->next && world_state(&w, id, 0) == JOB(RUNNING), "the job runs on");
	change_cpus(&x, id, 2);
	x.spec.priority = 1;
	has_str(change(&w, restarting(change_field(&x, FIELD(PRIORITY)))),
		"priority: it changes at once", "a change that needs no restart");
	change_cpus(&x, id, 2);
	x.spec.queue = (char *)"ann";
	has_str(change(&w, restarting(change_field(&x, FIELD(QUEUE)))),
		"queue: elements of the job run", "a change that no restart makes");
	has_str(change_as(&w, OTHER_USER, restarting(change_cpus(&x, id, 2))), "it belongs to ann",
		"another user");
	world_cancel(&w, TEST_USER, id);
	has_str(change(&w, restarting(change_cpus(&x, id, 2))), "it is being cancelled",
		"a cancelled job");
	spec_init(&spec, &group);
	spec.no_requeue = true;
	id = world_submit(&w, &spec);
	world_decide(&w, id, 0, "n1");
	world_started(&w, 1, id, 0, 0, 1);
	has_str(change(&w, restarting(change_cpus(&x, id, 2))), "add --requeue",
		"a job that is never requeued");
	change_cpus(&x, id, 2);
	is_str(change(&w, restarting(change_field(&x, FIELD(REQUEUE)))), "",
	       "unless it is allowed");
	world_ended(&w, 1, id, 0, 0, 1, END(CANCELLED), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "then it waits again");
	is_int(cpus(&w, id), 2000, "with the change");
	world_done(&w);
}

/* The elements of an array that wait must not start before those that run have ended. */
static void test_array(void)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	spec_init(&spec, &group);
	range.last = 3;
	spec.array = ranges;
	spec.n_array = 1;
	id = world_submit(&w, &spec);
	for (uint32_t i = 0; i < 2; i++) {
		world_decide(&w, id, i, "n1");
		world_started(&w, 1, id, i, 0, 1);
	}
	has_str(change(&w, change_cpus(&x, id, 2)), "elements of the job run; --restart",
		"a running array is refused with the way");
	is_str(change(&w, restarting(change_cpus(&x, id, 2))), "", "with a restart it is accepted");
	is_int(world_orders(&w, ORDER_KILL), 2, "both running elements are ended");
	world_decide(&w, id, 2, "n2");
	is_int(world_state(&w, id, 2), JOB(PENDING), "no other element starts");
	is_str(world_row(&w, id)->reason_word, "Restarting", "the waiting ones have the reason");
	world_ended(&w, 1, id, 0, 0, 1, END(CANCELLED), 0);
	is_int(cpus(&w, id), 1000, "the last one decides when the change is made");
	world_cancel(&w, TEST_USER, id);
	is_int(cpus(&w, id), 1000, "a cancel in between");
	world_ended(&w, 1, id, 1, 0, 1, END(CANCELLED), 0);
	ok(!job(&w, id), "ends the job");
	world_done(&w);
}

/* A job that ends by itself meanwhile; and a snapshot in the middle, by world_done(). */
static void test_ends(void)
{
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	id = run_two(&w);
	change(&w, restarting(change_cpus(&x, id, 2)));
	world_ended(&w, 1, id, 0, 0, 1, END(EXITED), 0);
	world_ended(&w, 2, id, 0, 1, 1, END(EXITED), 0);
	is_int(world_ended_as(&w, id, 0), JOB(COMPLETED), "a job that completes before the kill");
	id = run_two(&w);
	change(&w, restarting(change_cpus(&x, id, 2)));
	world_ended(&w, 1, id, 0, 0, 1, END(LOST), 0);
	world_ended(&w, 2, id, 0, 1, 1, END(CANCELLED), 0);
	is_int(job(&w, id)->elements[0]->failures, 0,
	       "a node that fails meanwhile counts for nothing");
	id = run_two(&w);
	change_script(change_init(&x, id), "#!/bin/sh\necho kept\n");
	is_str(change(&w, restarting(&x)), "", "a restart is under way at the end");
	world_done(&w);
}

/* The starts of a round, by number. */
static size_t starts(struct test_world *w, struct fed_sched *p)
{
	struct sched_round round = {.now_us = w->wall_us, .seed = 1};
	struct sched_result r;
	size_t n;

	sched_run_round(p->rig.s, &round, &r);
	n = r.decision_count;
	sched_result_done(&r);
	return n;
}

static void test_scheduler(void)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *ranges[] = {&range};
	struct fed_sched live, fresh;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	struct test_world w;
	struct change x;
	uint64_t id;

	two_nodes(&w);
	fed_sched_init(&live, &w, (struct rig_policy){0});
	spec_init(&spec, &group);
	range.last = 1;
	spec.array = ranges;
	spec.n_array = 1;
	id = world_submit(&w, &spec);
	fed_sched_apply(&live, &w);
	world_decide(&w, id, 0, "n1");
	fed_sched_apply(&live, &w);
	is_int((long long)starts(&w, &live), 1, "the other element would start");
	change(&w, restarting(change_cpus(&x, id, 3)));
	fed_sched_apply(&live, &w);
	is_int((long long)starts(&w, &live), 0, "not during the restart");
	fed_sched_init(&fresh, &w, (struct rig_policy){0});
	is_int((long long)starts(&w, &fresh), 0, "nor in a scheduler that is filled anew");
	fed_sched_done(&fresh);
	world_ended(&w, 1, id, 0, 0, 1, END(CANCELLED), 0);
	fed_sched_apply(&live, &w);
	is_int((long long)starts(&w, &live), 2, "both start with the change");
	world_decide(&w, id, 0, "n1");
	fed_sched_apply(&live, &w);
	world_decide(&w, id, 1, "n2");
	fed_sched_apply(&live, &w);
	spec_init(&spec, &group);
	group.replicas = 3;
	world_submit(&w, &spec);
	fed_sched_apply(&live, &w);
	is_int((long long)starts(&w, &live), 0, "their new requests count");
	fed_sched_done(&live);
	world_done(&w);
}

int main(void)
{
	test_plain();
	test_tasks();
	test_refused();
	test_array();
	test_ends();
	test_scheduler();
	return done();
}
