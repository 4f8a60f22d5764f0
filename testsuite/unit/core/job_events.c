/*
 * Job events: each kind of the table is derived from what happens to jobs, with its fields; numbers of job
 * sets, also after a set was forgotten; ranges of large arrays. The fixture checks besides that numbers
 * have no gap, that no event has fields of other kinds, and that a replay derives the same events.
 */
#include "fixture.h"
#include "core/state/state.h"
#include "proto/update_table.h"
#include "tap/tap.h"

#include <string.h>

#define KIND(name) ARMADA__JOB_EVENT_KIND__JOB_EVENT_##name
#define END(name)  ARMADA__END_CAUSE__END_##name

static bool seen[64]; /* kinds, of all worlds */

static void begin(struct test_world *w)
{
	static const Armada__QueueSpec queue = {QUEUE_SPEC_BEGIN, .name = (char *)"open"};
	struct input in = {.kind = INPUT_POLICY};

	world_init(w);
	w->policy.max_requeues = 3;
	w->policy.queues = &queue;
	w->policy.queue_count = 1;
	in.policy = &w->policy;
	world_feed(w, &in);
	world_node(w, 1, "n1", 8, "boot", 1);
	world_node(w, 2, "n2", 8, "boot", 2);
}

/* The kinds of the events of the job since the last call. */
static const char *kinds(struct test_world *w, uint64_t job)
{
	for (int i = 0; i < 64; i++)
		seen[i] |= event_notes_last(w->events, (Armada__JobEventKind)i) != NULL;
	return event_notes_kinds(w->events, job);
}

static void forget(struct test_world *w)
{
	kinds(w, 0);
	event_notes_clear(w->events);
}

static void end(struct test_world *w)
{
	kinds(w, 0);
	world_done(w);
}

static uint64_t submit(struct test_world *w, const char *set, const char *name)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	spec.job_set = (char *)set;
	spec.name = (char *)name;
	spec.queue = (char *)"open";
	return world_submit(w, &spec);
}

static uint64_t run(struct test_world *w)
{
	uint64_t job = submit(w, "set", "job");

	world_decide(w, job, 0, "n1");
	world_started(w, 1, job, 0, 0, 1);
	return job;
}

static void test_plain(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = run(&w);
	is_str(kinds(&w, job), "submitted queued leased pending running", "a job that starts");
	e = event_notes_last(w.events, KIND(SUBMITTED));
	ok(e->number == 1 && strcmp(event_notes_set(w.events), "open/set") == 0,
	   "the first event of the set has number 1");
	ok(strcmp(e->user, "ann") == 0 && strcmp(e->name, "job") == 0 && e->tasks == 1 &&
		   e->count == 1 && e->uid == TEST_USER,
	   "submitted says what was submitted");
	e = event_notes_last(w.events, KIND(LEASED));
	ok(e->attempt == 1 && e->n_nodes == 1 && strcmp(e->nodes[0], "n1") == 0,
	   "leased names the nodes");
	forget(&w);
	world_ended(&w, 1, job, 0, 0, 1, END(EXITED), 0);
	is_str(kinds(&w, job), "usage succeeded", "a job that succeeds");
	e = event_notes_last(w.events, KIND(SUCCEEDED));
	ok(e->number == 7 && e->attempt == 1 && !e->n_elements, "its end is event 7 of the set");
	e = event_notes_last(w.events, KIND(USAGE));
	ok(e->start_us && e->end_us > e->start_us, "its use has the times");
	forget(&w);
	job = submit(&w, "set", "other");
	e = event_notes_last(w.events, KIND(SUBMITTED));
	is_int((long long)e->number, 8, "the next job of the set goes on with the numbers");
	submit(&w, "other set", "other");
	e = event_notes_last(w.events, KIND(SUBMITTED));
	is_int((long long)e->number, 1, "another set has numbers of its own");
	end(&w);
}

/* The end of a running job by this cause; and of a job that is not requeued. */
static void test_failures(void)
{
	static const struct {
		Armada__EndCause cause;
		int code;
		const char *kinds, *category, *fault;
	} rows[] = {
		{END(EXITED), 3, "usage failed", "error", "user"},
		{END(SIGNALED), 0, "usage failed", "error", "user"},
		{END(TIME_LIMIT), 0, "usage failed", "time_limit", "user"},
		{END(OUT_OF_MEMORY), 0, "usage failed", "oom", "user"},
		{END(LAUNCH_FAILED), 0, "usage failed", "launch_failed", "user"},
		{END(REFUSED), 0, "usage requeued", "node_lost", "system"}, /* it had started */
		{END(LOST), 0, "usage requeued", "node_lost", "system"},
		{END(NODE), 0, "usage requeued", "launch_failed", "system"},
		{END(SHUTDOWN), 0, "usage requeued", "node_lost", "system"},
		{END(LEASE), 0, "lease_expired usage requeued", "node_lost", "system"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const Armada__JobEvent *e;
		struct test_world w;
		uint64_t job;

		begin(&w);
		job = run(&w);
		forget(&w);
		world_ended(&w, 1, job, 0, 0, 1, rows[i].cause, rows[i].code);
		is_str(kinds(&w, job), rows[i].kinds, "cause %d: events", rows[i].cause);
		e = event_notes_last(w.events, KIND(FAILED));
		e = e ? e : event_notes_last(w.events, KIND(REQUEUED));
		ok(e && strcmp(failure_category_name(e->category), rows[i].category) == 0 &&
			   strcmp(fault_name(e->fault), rows[i].fault) == 0,
		   "cause %d: category and fault", rows[i].cause);
		is_int(e ? e->exit_code : -1, rows[i].code, "cause %d: exit code", rows[i].cause);
		end(&w);
	}
}

static void test_refused(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = submit(&w, "set", "job");
	world_decide(&w, job, 0, "n1");
	forget(&w);
	world_failed(&w, 1, job, 0, 0, 1, END(ACCOUNT), "no such user");
	is_str(kinds(&w, job), "requeued", "a task that never ran used nothing");
	e = event_notes_last(w.events, KIND(REQUEUED));
	ok(strcmp(failure_category_name(e->category), "account") == 0 && e->attempt == 1 &&
		   e->failures == 1,
	   "its node does not run tasks of its user");
	world_decide(&w, job, 0, "n2");
	forget(&w);
	world_failed(&w, 2, job, 0, 0, 2, END(REFUSED), "not now");
	e = event_notes_last(w.events, KIND(REQUEUED));
	is_str(failure_category_name(e->category), "rejected", "a refusal is a rejection");
	end(&w);
}

static void test_cancel(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	uint64_t job, waits;

	begin(&w);
	job = run(&w);
	waits = submit(&w, "set", "waits");
	forget(&w);
	world_cancel(&w, ADMIN_USER, waits);
	is_str(kinds(&w, waits), "cancelled", "a waiting job is cancelled at once");
	e = event_notes_last(w.events, KIND(CANCELLED));
	is_str(e->by, "root", "it says who cancelled");
	forget(&w);
	world_cancel(&w, TEST_USER, job);
	is_str(kinds(&w, job), "cancelling", "a running job is being cancelled");
	is_str(event_notes_last(w.events, KIND(CANCELLING))->by, "ann", "it says who cancels");
	forget(&w);
	world_restart(&w);
	world_node(&w, 1, "n1", 8, "boot", 1);
	world_ended(&w, 1, job, 0, 0, 1, END(CANCELLED), 0);
	e = event_notes_last(w.events, KIND(CANCELLED));
	is_str(e ? e->by : "", "ann", "also after a restart the end says who cancelled");
	end(&w);
}

static void preempt_for(struct test_world *w, uint64_t job, uint64_t other)
{
	struct sched_decision d = {.kind = SCHED_PREEMPT,
				   .job = job,
				   .for_job = other,
				   .why = "urgency",
				   .text = "made room for another"};
	struct sched_result r = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r};

	world_feed(w, &in);
}

static void test_preempt(void)
{
	const Armada__JobEvent *e;
	struct test_world w;
	uint64_t job, other;

	begin(&w);
	job = run(&w);
	other = world_submit_plain(&w);
	forget(&w);
	preempt_for(&w, job, other);
	is_str(kinds(&w, job), "preempting", "a job is being preempted");
	e = event_notes_last(w.events, KIND(PREEMPTING));
	ok(e->for_job == other && strcmp(e->for_queue, "ann") == 0 &&
		   strcmp(e->for_user, "ann") == 0,
	   "it says for whom, and for which queue");
	has_str(e->reason, "urgency", "it says why");
	forget(&w);
	world_ended(&w, 1, job, 0, 0, 1, END(PREEMPTED), 0);
	is_str(kinds(&w, job), "usage preempted requeued", "then it has been preempted, and waits");
	e = event_notes_last(w.events, KIND(PREEMPTED));
	ok(e->for_job == other && e->attempt == 1, "the end says for whom, too");
	end(&w);
}

/* A lease that waits for room is withdrawn when its own job is preempted. */
static void test_pending_lease(void)
{
	struct test_world w;
	uint64_t job, other;

	begin(&w);
	job = run(&w);
	for (int i = 0; i < 7; i++)
		world_decide(&w, world_submit_plain(&w), 0, "n1");
	other = submit(&w, "set", "other");
	preempt_for(&w, job, other);
	forget(&w);
	world_decide(&w, other, 0, "n1");
	is_str(kinds(&w, other), "leased", "a lease whose room is not free yet");
	forget(&w);
	world_hold(&w, other, false);
	is_str(kinds(&w, other), "requeued held", "it is withdrawn when the job is held");
	is_int(event_notes_last(w.events, KIND(REQUEUED))->attempt, 0, "there was no attempt");
	world_hold(&w, other, true);
	world_decide(&w, other, 0, "n1");
	forget(&w);
	world_ended(&w, 1, job, 0, 0, 1, END(PREEMPTED), 0);
	is_str(kinds(&w, other), "pending", "it is set up when the room is free");
	end(&w);
}

static void test_hold(void)
{
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = submit(&w, "set", "job");
	forget(&w);
	world_hold(&w, job, false);
	is_str(kinds(&w, job), "held", "a job is held");
	is_str(event_notes_last(w.events, KIND(HELD))->by, "ann", "it says who holds it");
	forget(&w);
	world_hold(&w, job, true);
	is_str(kinds(&w, job), "released queued", "a job is released");
	end(&w);
}

static void test_dependencies(void)
{
	Armada__Dependency dep = ARMADA__DEPENDENCY__INIT, *deps[] = {&dep};
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t first, job;

	begin(&w);
	first = run(&w);
	spec_init(&spec, &group);
	dep.type = ARMADA__DEPENDENCY_TYPE__DEPENDENCY_AFTEROK;
	dep.job = first;
	spec.dependencies = deps;
	spec.n_dependencies = 1;
	forget(&w);
	job = world_submit(&w, &spec);
	is_str(kinds(&w, job), "submitted", "a job that depends on another is not queued yet");
	forget(&w);
	world_ended(&w, 1, first, 0, 0, 1, END(EXITED), 0);
	is_str(kinds(&w, job), "queued", "it is when the other has ended");
	end(&w);
}

/* Changes one field of the job. */
static void update(struct test_world *w, uint64_t job, Armada__UpdateJobRequest__Field field,
		   Armada__JobSpec *spec)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;

	range.first = range.last = job;
	f.ids = ranges;
	f.n_ids = 1;
	m.filter = &f;
	m.spec = spec;
	m.fields = &field;
	m.n_fields = 1;
	world_send(w, ADMIN_USER, MSG_UPDATE_JOB, &m);
}

static void test_update(void)
{
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	Armada__TaskGroup group, *groups[] = {&group};
	const Armada__JobEvent *e;
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = submit(&w, "set", "job");
	forget(&w);
	spec.priority = 7;
	update(&w, job, UPDATE_FIELD(PRIORITY), &spec);
	is_str(kinds(&w, job), "reprioritised", "a new priority");
	e = event_notes_last(w.events, KIND(REPRIORITISED));
	ok(e->priority == 7 && e->old_priority == 0 && strcmp(e->by, "root") == 0,
	   "it says both priorities and who changed it");
	forget(&w);
	spec.comment = (char *)"new";
	update(&w, job, UPDATE_FIELD(COMMENT), &spec);
	is_str(kinds(&w, job), "updated", "a new comment");
	e = event_notes_last(w.events, KIND(UPDATED));
	ok(e->n_fields == 1 && strcmp(e->fields[0], "comment") == 0, "it says what was changed");
	world_submit_plain(&w); /* makes the queue ann */
	forget(&w);
	spec.queue = (char *)"ann";
	update(&w, job, UPDATE_FIELD(QUEUE), &spec);
	is_str(kinds(&w, job), "updated updated", "a new queue: an event in both sets");
	e = event_notes_last(w.events, KIND(UPDATED));
	ok(strcmp(e->from_queue, "open") == 0 && e->number == 1 &&
		   strcmp(event_notes_set(w.events), "ann/set") == 0,
	   "the set in the new queue begins with the job that came");
	forget(&w);
	armada__task_group__init(&group);
	group.replicas = 2;
	spec.groups = groups;
	spec.n_groups = 1;
	update(&w, job, UPDATE_FIELD(TASKS), &spec);
	is_str(kinds(&w, job), "scaled", "another number of tasks");
	e = event_notes_last(w.events, KIND(SCALED));
	ok(e->tasks == 2 && e->old_tasks == 1 && strcmp(e->by, "root") == 0,
	   "it says both numbers and who changed it");
	forget(&w);
	world_cancel(&w, TEST_USER, job);
	e = event_notes_last(w.events, KIND(CANCELLED));
	ok(e->number == 3 && strcmp(event_notes_set(w.events), "ann/set") == 0,
	   "and later events of the job are there");
	end(&w);
}

static void requeue(struct test_world *w, uint64_t job)
{
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	Armada__RequeueRequest m = ARMADA__REQUEUE_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;

	range.first = range.last = job;
	f.ids = ranges;
	f.n_ids = 1;
	m.filter = &f;
	world_send(w, TEST_USER, MSG_REQUEUE, &m);
}

static void test_running(void)
{
	struct test_world w;
	uint64_t job;

	begin(&w);
	job = run(&w);
	forget(&w);
	world_suspend(&w, job, false);
	world_suspend(&w, job, true);
	is_str(kinds(&w, job), "suspended resumed", "a job is suspended and resumed");
	forget(&w);
	world_tick(&w, 70000000);
	is_str(kinds(&w, job), "unreachable", "its node is silent");
	forget(&w);
	world_node(&w, 1, "n1", 8, "boot", 1);
	is_str(kinds(&w, job), "reachable", "and answers again");
	forget(&w);
	requeue(&w, job);
	is_str(kinds(&w, job), "ending", "a user requeues the job");
	is_str(event_notes_last(w.events, KIND(ENDING))->by, "ann", "it says who");
	forget(&w);
	world_ended(&w, 1, job, 0, 0, 1, END(CANCELLED), 0);
	is_str(kinds(&w, job), "usage requeued", "the job waits again");
	is_str(event_notes_last(w.events, KIND(REQUEUED))->by, "ann", "at the request of ann");
	end(&w);
}

static void test_arrays(void)
{
	Armada__IndexRange all = ARMADA__INDEX_RANGE__INIT, *array[] = {&all};
	const Armada__JobEvent *e;
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t job;

	begin(&w);
	spec_init(&spec, &group);
	all.last = 999999;
	spec.array = array;
	spec.n_array = 1;
	job = world_submit(&w, &spec);
	e = event_notes_last(w.events, KIND(SUBMITTED));
	ok(e->n_elements == 1 && e->elements[0]->last == 999999 && e->count == 1000000,
	   "an array of a million elements is one event");
	world_decide(&w, job, 500, "n1");
	e = event_notes_last(w.events, KIND(LEASED));
	ok(e->n_elements == 1 && e->elements[0]->first == 500 && e->elements[0]->last == 500,
	   "an element starts");
	world_hold(&w, job, false);
	world_hold(&w, job, true);
	e = event_notes_last(w.events, KIND(QUEUED));
	ok(e->n_elements == 2 && e->elements[1]->first == 501, "the others are queued again");
	forget(&w);
	world_cancel(&w, TEST_USER, job);
	is_str(kinds(&w, job), "cancelled cancelling", "all others end in one event");
	e = event_notes_last(w.events, KIND(CANCELLED));
	ok(e->n_elements == 2 && e->elements[0]->last == 499 && e->elements[1]->last == 999999,
	   "with two ranges");
	end(&w);
}

static void test_forgotten(void)
{
	const Armada__JobEvent *e;
	struct test_world w;

	begin(&w);
	w.policy.max_sets = 2;
	world_cancel(&w, TEST_USER, submit(&w, "a", "job")); /* 3 events */
	world_cancel(&w, TEST_USER, submit(&w, "b", "job"));
	world_cancel(&w, TEST_USER, submit(&w, "a", "job")); /* 6 events; younger than b now */
	world_cancel(&w, TEST_USER, submit(&w, "c", "job"));
	is_int((long long)core_state(w.core)->idle_set_count, 3, "three sets are idle");
	forget(&w);
	world_restart(&w);
	submit(&w, "d", "job");
	is_int((long long)core_state(w.core)->idle_set_count, 2, "a new set drives the oldest out");
	is_int((long long)core_state(w.core)->forgotten_events, 3, "which had three events");
	e = event_notes_last(w.events, KIND(SUBMITTED));
	is_int((long long)e->number, 4, "a new set begins above them");
	submit(&w, "a", "job");
	e = event_notes_last(w.events, KIND(SUBMITTED));
	is_int((long long)e->number, 7, "a set in memory goes on");
	submit(&w, "b", "job");
	e = event_notes_last(w.events, KIND(SUBMITTED));
	is_int((long long)e->number, 4, "the forgotten one begins above its last event");
	w.policy.max_sets_of_user = 1;
	w.policy.max_sets = 0;
	world_cancel(&w, TEST_USER, submit(&w, "e", "job"));
	submit(&w, "f", "job");
	is_int((long long)job_sets_idle_of(core_state(w.core), TEST_USER), 1,
	       "a user has a bound of idle sets, too");
	end(&w);
}

static void test_deleted_queue(void)
{
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	Armada__QueueRequest make = ARMADA__QUEUE_REQUEST__INIT;
	const Armada__JobEvent *e;
	struct test_world w;
	Armada__JobSpec job;
	Armada__TaskGroup group;

	begin(&w);
	spec.name = (char *)"gone";
	make.spec = &spec;
	make.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &make);
	spec_init(&job, &group);
	job.queue = (char *)"gone";
	job.job_set = (char *)"set";
	world_cancel(&w, TEST_USER, world_submit(&w, &job));
	make.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_DELETE;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &make);
	is_int((long long)core_state(w.core)->idle_set_count, 0, "a queue takes its sets with it");
	make.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &make);
	spec_init(&job, &group);
	job.queue = (char *)"gone";
	job.job_set = (char *)"set";
	world_submit(&w, &job);
	e = event_notes_last(w.events, KIND(SUBMITTED));
	is_int((long long)e->number, 4, "a later queue of its name uses no number again");
	end(&w);
}

static void test_all_seen(void)
{
	size_t count;
	const struct job_event_kind *all = job_event_kinds(&count);

	for (size_t i = 0; i < count; i++)
		ok(seen[all[i].kind], "%s was derived", all[i].name);
}

int main(void)
{
	test_plain();
	test_failures();
	test_refused();
	test_cancel();
	test_preempt();
	test_pending_lease();
	test_hold();
	test_dependencies();
	test_update();
	test_running();
	test_arrays();
	test_forgotten();
	test_deleted_queue();
	test_all_seen();
	return done();
}
