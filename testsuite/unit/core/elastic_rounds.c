/*
 * Elastic jobs and the scheduler, whose model follows the records: which tasks join, in which order and by
 * group, and which are taken back.
 */
#include "elastic_job.h"
#include "event_notes.h"
#include "tap/tap.h"

#define JOB(name)    ARMADA__JOB_STATE__JOB_##name
#define END(name)    ARMADA__END_CAUSE__END_##name
#define POLICY(name) ARMADA__TASK_FAILURE__TASK_FAILURE_##name

/* Minima first, then one task for each job in turn. */
static void test_turns(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t a, b, plain;

	cluster_init(&c, "progressive");
	elastic_init(&p, 8, 2);
	a = submit(&c, &p);
	elastic_init(&p, 8, 2);
	b = submit(&c, &p);
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	plain = submit(&c, &p);
	settle(&c);
	is_int(world_state(&c.w, plain, 0), JOB(RUNNING), "minima come first: a later job starts");
	is_str(counts(&c.w, a), "4/4/0/0", "then each job gets a task in turn: 2 + 2");
	is_str(counts(&c.w, b), "5/3/0/0", "and 2 + 1");
	has_str(world_reason(&c.w, b),
		"5 of 8 tasks wait for room: ", "the job says why the rest waits");
	end_single(&c, plain);
	settle(&c);
	is_str(counts(&c.w, b), "4/4/0/0",
	       "room that others leave goes to the job with fewer tasks");
	fed_sched_done(&c.live);
	fed_sched_init(&c.live, &c.w, (struct rig_policy){.preempt = "urgency"});
	round_of(&c);
	is_int(world_orders(&c.w, ORDER_LAUNCH), 0,
	       "a scheduler that is filled from the state agrees");
	cluster_done(&c);
}

static void test_groups(void)
{
	struct cluster c;
	struct elastic p;
	Armada__TaskGroup second, *groups[2] = {&p.group, &second};
	Armada__Resource cpu, *list[1];
	const Armada__JobRow *r;
	uint64_t id;

	cluster_init(&c, "progressive");
	elastic_init(&p, 2, 3);
	second = p.group;
	p.group.name = (char *)"ps";
	second.name = (char *)"worker";
	second.replicas = 4;
	spec_cpus(&second, 2, &cpu, list);
	p.spec.groups = groups;
	p.spec.n_groups = 2;
	id = submit(&c, &p);
	round_of(&c);
	is_int(world_orders(&c.w, ORDER_LAUNCH), 3,
	       "the first tasks of the groups are the minimum");
	start_launched(&c);
	settle(&c);
	r = world_row(&c.w, id);
	is_int(r->groups[0]->running, 2, "both tasks of the first group run");
	is_int(r->groups[1]->running, 3, "tasks of the second group join while there is room");
	is_int(r->groups[1]->pending, 1, "the last one waits");
	cluster_done(&c);
}

/* An elastic job whose groups have minima of their own: a has 1 of 3 tasks, b 2 of 3. */
static uint64_t submit_minima(struct test_world *w)
{
	struct elastic p;
	Armada__TaskGroup second, *groups[2] = {&p.group, &second};

	elastic_init(&p, 3, 0);
	p.group.name = (char *)"a";
	p.group.min_available = 1;
	second = p.group;
	second.name = (char *)"b";
	second.min_available = 2;
	p.spec.groups = groups;
	p.spec.n_groups = 2;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	return world_submit(w, &p.spec);
}

static void are_groups(struct test_world *w, uint64_t id, const char *want, const char *what)
{
	const Armada__JobRow *r = world_row(w, id);

	is_str(arena_printf(w->arena, "%u/%u %u/%u", r->groups[0]->pending, r->groups[0]->running,
			    r->groups[1]->pending, r->groups[1]->running),
	       want, "%s", what);
}

/* The first tasks of each group start together; the others join by group. */
static void test_group_minima(void)
{
	struct test_world w;
	uint64_t id;

	world_two(&w);
	id = submit_minima(&w);
	is_int(world_row(&w, id)->min_available, 3, "the minimum of the job is the sum");
	world_decide(&w, id, 0, "n1 n1 n1");
	is_int(world_orders(&w, ORDER_LAUNCH), 3, "the minimum of each group starts");
	for (uint32_t i = 0; i < 3; i++)
		world_started(&w, 1, id, 0, i, 1);
	are_groups(&w, id, "2/1 1/2", "one task is of the first group, and two of the second");
	world_decide(&w, extra(0, 2), 0, "n2");
	world_started(&w, 2, id, 0, 3, 2);
	are_groups(&w, id, "2/1 0/3", "the third extra task is of the second group");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	are_groups(&w, id, "2/1 0/3", "a restarted controller knows the groups");
	world_preempt(&w, extra(0, 2), 0);
	world_ended(&w, 2, id, 0, 3, 2, END(PREEMPTED), 0);
	is_int(world_state(&w, id, 0), JOB(RUNNING), "the job goes on without it");
	are_groups(&w, id, "2/1 1/2", "it waits again");
	world_decide(&w, extra(0, 0), 0, "n2");
	world_started(&w, 2, id, 0, 4, 3);
	are_groups(&w, id, "1/2 1/2", "the first extra task is of the first group");
	world_ended(&w, 1, id, 0, 1, 1, END(EXITED), 1);
	is_int(world_orders(&w, ORDER_KILL), 3,
	       "three tasks are left, but one of the second group: all are killed");
	world_ended(&w, 1, id, 0, 0, 1, END(GANG), 0);
	world_ended(&w, 1, id, 0, 2, 1, END(GANG), 0);
	world_ended(&w, 2, id, 0, 4, 3, END(GANG), 0);
	is_int(world_state(&w, id, 0), JOB(PENDING), "the whole job is pending");
	has_str(world_reason(&w, id), "1 good task is left in group b, at least 2 are needed",
		"the reason names the group");
	world_done(&w);
}

static void change_priority(struct cluster *c, uint64_t id)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__UpdateJobRequest__Field field = ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_PRIORITY;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;

	range.first = range.last = id;
	filter.ids = ranges;
	filter.n_ids = 1;
	m.filter = &filter;
	m.fields = &field;
	m.n_fields = 1;
	m.spec = &spec;
	spec.priority = 1;
	world_send(&c->w, TEST_USER, MSG_UPDATE_JOB, &m);
	fed_sched_apply(&c->live, &c->w);
}

/* A change of a job does not say whose job it is. */
static void test_changed(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id, other = 0;

	cluster_init(&c, "progressive");
	for (int i = 0; i < 7; i++) {
		elastic_init(&p, 1, 0);
		p.spec.elastic = 0;
		other = submit(&c, &p);
	}
	elastic_init(&p, 2, 1);
	p.spec.exclusive_user = true;
	p.spec.on_task_failure = POLICY(REPLACE_TASK);
	id = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, id), "1/1/0/0", "one task runs beside jobs of its user");
	change_priority(&c, id);
	end_single(&c, other);
	settle(&c);
	is_str(counts(&c.w, id), "0/2/0/0", "after a change the next one joins, for the same user");
	cluster_done(&c);
}

/* An order plugin may pass over tasks at first: they are tried once more. */
static void test_passed(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id;

	cluster_init(&c, "slices");
	elastic_init(&p, 4, 1);
	p.spec.scavenge = true;
	id = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, id), "0/4/0/0", "tasks that exceed the slice of their queue join, too");
	cluster_done(&c);
}

/* Both jobs give way. The extra task goes first, although the other job is younger. */
static void test_taken_first(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id, young, plain;

	cluster_init(&c, "progressive");
	elastic_init(&p, 4, 2);
	p.spec.scavenge = true;
	id = submit(&c, &p);
	settle(&c);
	elastic_init(&p, 4, 0);
	p.spec.elastic = 0;
	p.spec.scavenge = true;
	young = submit(&c, &p);
	settle(&c);
	is_str(counts(&c.w, young), "0/4/0/0", "a younger job that gives way, too, runs");
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	plain = submit(&c, &p);
	round_of(&c);
	is_int(world_orders(&c.w, ORDER_KILL), 1, "one task is taken back");
	ok(order_to(&c.w, ORDER_KILL, 3) != NULL, "it is the last one that joined");
	is_int(world_state(&c.w, id, 0), JOB(RUNNING), "its job goes on");
	is_int(world_state(&c.w, young, 0), JOB(RUNNING), "and so does the younger one");
	is_int(world_state(&c.w, plain, 0), JOB(CONFIGURING), "its room is for the new job");
	cluster_done(&c);
}

static void tick(struct cluster *c, int64_t seconds)
{
	world_tick(&c->w, seconds * 1000000);
	fed_sched_apply(&c->live, &c->w);
}

/* Starts the job of one task, and lets it end so. Its node is not known, so both report it. */
static void fail(struct cluster *c, uint64_t id, uint32_t attempt, Armada__EndCause cause)
{
	round_of(c);
	is_int(world_orders(&c->w, ORDER_LAUNCH), 1, "attempt %u starts", attempt);
	start_launched(c);
	event_notes_clear(c->w.events);
	for (uint64_t conn = 1; conn <= 2; conn++) {
		world_ended(&c->w, conn, id, 0, 0, attempt, cause, cause == END(EXITED));
		fed_sched_apply(&c->live, &c->w);
	}
	is_int(world_state(&c->w, id, 0), JOB(PENDING), "attempt %u is over", attempt);
}

/* The job pauses for so long, and starts after it. */
static void pauses(struct cluster *c, uint64_t id, int64_t seconds)
{
	const Armada__JobEvent *e =
		event_notes_last(c->w.events, ARMADA__JOB_EVENT_KIND__JOB_EVENT_REQUEUED);

	int64_t left_us = e ? e->not_before_us - c->w.wall_us : 0;

	ok(left_us > (seconds - 1) * 1000000 && left_us <= seconds * 1000000,
	   "the event requeued has the end of a pause of %d s", (int)seconds);
	is_int(world_row(&c->w, id)->begin_us, e ? e->not_before_us : 0, "so has the listing");
	tick(c, seconds - 1);
	round_of(c);
	is_int(world_orders(&c->w, ORDER_LAUNCH), 0, "it does not start before");
	event_notes_clear(c->w.events);
	tick(c, 1);
	is_str(event_notes_kinds(c->w.events, id), "queued", "then it waits for room only");
}

/* An element that fails by itself waits longer before each restart. */
static void test_pauses(void)
{
	struct cluster c;
	struct elastic p;
	uint64_t id;

	cluster_init(&c, "progressive");
	c.w.policy.restart_pause_us = 10000000;
	c.w.policy.restart_pause_max_us = 30000000;
	elastic_init(&p, 1, 0);
	p.spec.elastic = 0;
	p.spec.on_task_failure = POLICY(RESTART_JOB);
	id = submit(&c, &p);
	fail(&c, id, 1, END(EXITED));
	fail(&c, id, 2, END(LOST));
	fail(&c, id, 3, END(EXITED));
	has_str(world_reason(&c.w, id), "restarts in 10 s after 2 failures; attempt 3: exit code 1",
		"the third attempt pauses: the loss of a node does not count");
	world_decide(&c.w, id, 0, "n1");
	is_int(world_orders(&c.w, ORDER_LAUNCH), 0, "a decision of an older round is refused");
	pauses(&c, id, 10);
	fail(&c, id, 4, END(EXITED));
	world_restart(&c.w);
	world_node(&c.w, 1, "n1", 4, "boot1", 1);
	world_node(&c.w, 2, "n2", 4, "boot2", 2);
	fed_sched_done(&c.live);
	fed_sched_init(&c.live, &c.w, (struct rig_policy){.preempt = "urgency"});
	has_str(world_reason(&c.w, id), "restarts in 20 s after 3 failures",
		"each pause is twice as long, also after a restart of the controller");
	pauses(&c, id, 20);
	fail(&c, id, 5, END(EXITED));
	pauses(&c, id, 30);
	fail(&c, id, 6, END(EXITED));
	world_cancel(&c.w, TEST_USER, id);
	fed_sched_apply(&c.live, &c.w);
	is_int(world_ended_as(&c.w, id, 0), JOB(CANCELLED), "it is cancelled while it pauses");
	cluster_done(&c);
}

/* A step in the tasks that run, sent from a task of this attempt; in this rank, or in all of them. */
static void step(struct test_world *w, uint64_t job, uint32_t attempt, int64_t rank)
{
	static uint8_t payload[] = "run this";
	Armada__StepRequest m = ARMADA__STEP_REQUEST__INIT;
	Armada__IndexRange r = ARMADA__INDEX_RANGE__INIT, *ranks[] = {&r};

	m.job = job;
	m.attempt = attempt;
	m.payload.data = payload;
	m.payload.len = sizeof(payload);
	r.first = r.last = (uint32_t)rank;
	m.ranks = ranks;
	m.n_ranks = rank >= 0;
	world_send(w, TEST_USER, MSG_STEP, &m);
}

/* The ranks that run, as the row of the job has them. */
static const char *ranks_shown(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *r = world_row(w, job);
	char *text = arena_strdup(w->arena, "");

	for (size_t i = 0; r && r->n_groups && i < r->groups[0]->n_ranks; i++)
		text = arena_printf(w->arena, "%s%u-%u ", text, r->groups[0]->ranks[i]->first,
				    r->groups[0]->ranks[i]->last);
	return text;
}

/* A step runs in the tasks that run now, from a task of any attempt. */
static void test_steps(void)
{
	struct test_world w;
	struct elastic p;
	uint64_t id;

	world_two(&w);
	elastic_init(&p, 5, 2);
	id = run_elastic(&w, &p);
	is_str(ranks_shown(&w, id), "0-1 ", "the row has the ranks that run");
	for (uint32_t i = 0; i < 3; i++) {
		world_decide(&w, extra(0, i), 0, "n2");
		if (i < 2)
			world_started(&w, 2, id, 0, 2 + i, 2 + i);
	}
	is_str(ranks_shown(&w, id), "0-3 ", "also those that joined, but none that is set up");
	step(&w, id, 1, -1);
	is_int(world_orders(&w, ORDER_STEP), 4, "a step of the first task runs in all of them");
	step(&w, id, 3, -1);
	is_int(world_orders(&w, ORDER_STEP), 4, "so does one of a task that joined");
	step(&w, id, 9, -1);
	has_str(world_error(&w), "attempt 9 of job", "an attempt that no task has is refused");
	world_preempt(&w, extra(0, 0), 0);
	is_str(ranks_shown(&w, id), "0-1 3-3 ", "a task that is taken back is left out");
	step(&w, id, 1, -1);
	is_int(world_orders(&w, ORDER_STEP), 3, "the next step does without it");
	step(&w, id, 1, 2);
	has_str(world_error(&w), "task 2 of job", "a step in it is refused");
	has_str(world_error(&w), "has left the job: it was on node n2", "the error says why");
	world_ended(&w, 2, id, 0, 2, 2, END(PREEMPTED), 0);
	step(&w, id, 1, 2);
	has_str(world_error(&w), "has left the job: it was on node n2", "also after its end");
	world_done(&w);
}

int main(void)
{
	test_turns();
	test_groups();
	test_group_minima();
	test_changed();
	test_passed();
	test_taken_first();
	test_pauses();
	test_steps();
	return done();
}
