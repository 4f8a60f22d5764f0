/*
 * Gangs of jobs in the model of the scheduler. In random worlds, a feed that applies each record
 * and a feed that is filled from the present state make the same rounds; gangs start as a whole;
 * and all jobs end.
 */
#include "unit/sched/rig.h"
#include "feed/sched_feed.h"
#include "sched/round/state.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/splitmix.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

enum { NODES = 3, STEPS = 120, WORLDS = 60, JOBS_MAX = 1000, RUNS_MAX = 4096 };

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const struct sched_class classes[] = {
	{.name = "armada-default", .priority = 1000, .urgency_preemptible = true},
	{.name = "urgent", .priority = 2000},
};

struct fed_sched {
	struct rig rig;
	struct sched_feed *feed;
};

struct run {
	struct task_key key;
	uint64_t conn;
	bool killed;
};

struct play {
	struct test_world w;
	struct fed_sched live;
	struct run runs[RUNS_MAX];
	size_t run_count;
	uint64_t seed, last_job;
	const char *preempt; /* NULL: none */
	int gang, boot;
	int together; /* number of gangs that started */
};

static uint64_t below(struct play *p, uint64_t n)
{
	return splitmix_next(&p->seed) % n;
}

/*
 * Makes a scheduler that is filled from this core. It makes no reservations, because reservations
 * depend on earlier rounds.
 */
static void fed_sched_of(struct play *p, const struct core *core, struct fed_sched *to)
{
	const struct rig_policy policy = {.classes = classes,
					  .class_count = ARRAY_SIZE(classes),
					  .options = {{"backfill", 0, NULL, 0}},
					  .option_count = 1,
					  .preempt = p->preempt,
					  .partial_gangs = true};

	memset(to, 0, sizeof(*to));
	rig_init_policy(&to->rig, &policy);
	to->feed = sched_feed_new(to->rig.s, resources, ARRAY_SIZE(resources));
	sched_feed_fill(to->feed, core);
}

static void fed_sched_init(struct play *p, struct fed_sched *to)
{
	fed_sched_of(p, p->w.core, to);
}

static void fed_sched_done(struct fed_sched *d)
{
	sched_feed_free(d->feed);
	rig_done(&d->rig);
}

static void take_order(struct play *p, const struct effect *e)
{
	for (size_t i = 0; i < p->run_count; i++) {
		if (!task_key_equal(&p->runs[i].key, &e->order.key))
			continue;
		p->runs[i].killed |= e->order.kind == ORDER_KILL;
		return;
	}
	if (p->run_count == RUNS_MAX)
		bail("too many runs");
	p->runs[p->run_count++] = (struct run){e->order.key, e->conn, e->order.kind == ORDER_KILL};
}

/* The number of leases of a gang in a record is the number that the record gives. */
static void check_leases(struct play *p, const Armada__Record *r)
{
	uint32_t leased = 0, members = 0;

	for (size_t i = 0; i < r->n_events; i++) {
		const Armada__Event *ev = r->events[i];

		if (ev->kind_case != ARMADA__EVENT__KIND_ELEMENT_LEASED ||
		    !ev->element_leased->gang_members)
			continue;
		if (leased == members) {
			leased = 0;
			members = ev->element_leased->gang_members;
			p->together++;
		}
		leased++;
		if (ev->element_leased->gang_members != members)
			ok(false, "I7: a gang of %u beside one of %u", members,
			   ev->element_leased->gang_members);
	}
	if (leased != members)
		ok(false, "I7: %u of %u members were leased", leased, members);
}

static void follow(struct play *p)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__Record *r = NULL;

	/* the record is unpacked again, because the data of the input was freed */
	if (p->w.out.record)
		r = msg_unpack_own(&armada__record__descriptor, p->w.out.record,
				   p->w.out.record_len, arena);
	if (r) {
		sched_feed_apply(p->live.feed, r);
		check_leases(p, r);
	}
	for (size_t i = 0; i < p->w.out.effect_count; i++)
		if (p->w.out.effects[i].kind == EFFECT_ORDER)
			take_order(p, &p->w.out.effects[i]);
}

/* The second of two groups. */
struct second {
	Armada__TaskGroup group, *groups[2];
	Armada__Resource cpu, *list[1];
};

/*
 * Submits a single job: it may have two groups, or tasks on distinct nodes, and may continue when a
 * task fails.
 */
static void draw_groups(struct play *p, Armada__JobSpec *spec, struct second *more)
{
	Armada__TaskGroup *first = spec->groups[0];

	first->replicas = 1 + (uint32_t)below(p, 3);
	if (below(p, 2)) {
		first->name = (char *)"first";
		armada__resource__init(&more->cpu);
		more->cpu = *first->resources[0];
		more->cpu.amount = (int64_t)(1 + below(p, 2)) * 1000;
		more->list[0] = &more->cpu;
		more->group = *first;
		more->group.name = (char *)"second";
		more->group.replicas = 1 + (uint32_t)below(p, 2);
		more->group.resources = more->list;
		more->group.service = !below(p, 3);
		more->groups[0] = first;
		more->groups[1] = &more->group;
		spec->groups = more->groups;
		spec->n_groups = 2;
	} else if (below(p, 2)) {
		spec->nodes = first->replicas;
	}
	spec->min_available = (uint32_t)below(p, first->replicas + 1);
	spec->on_task_failure = (Armada__TaskFailure)below(p, 3);
	spec->no_requeue = spec->no_requeue && !spec->on_task_failure;
}

static void submit(struct play *p, uint32_t cardinality, uint32_t min, int gang)
{
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *list[] = {&cpu};
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct second more;
	char name[16];
	uint64_t id;

	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = (int64_t)(1 + below(p, 2)) * 1000;
	group.resources = list;
	group.n_resources = 1;
	group.replicas = below(p, 5) ? 1 : 2;
	snprintf(name, sizeof(name), "g%d", gang);
	spec.priority_class = (char *)(gang % 5 ? "armada-default" : "urgent");
	spec.gang_id = (char *)(cardinality ? name : "");
	spec.gang_cardinality = cardinality;
	spec.gang_min = min;
	spec.hold = !below(p, 12);
	spec.no_requeue = !below(p, 12);
	if (!cardinality)
		draw_groups(p, &spec, &more);
	id = world_submit(&p->w, &spec);
	follow(p);
	if (id)
		p->last_job = id;
}

static void submit_some(struct play *p)
{
	uint32_t cardinality = 1 + (uint32_t)below(p, 4);
	uint32_t min = below(p, 3) ? 0 : 1 + (uint32_t)below(p, cardinality);
	int gang = ++p->gang;

	for (uint32_t i = 0; i < cardinality; i++)
		if (below(p, 10))
			submit(p, cardinality, min, gang);
	if (below(p, 2))
		submit(p, 0, 0, gang);
}

static void cancel(struct play *p, uint64_t id)
{
	world_cancel(&p->w, TEST_USER, id);
	follow(p);
}

static void hold(struct play *p, uint64_t id, bool release)
{
	world_hold(&p->w, id, release);
	follow(p);
}

static void end_run(struct play *p, size_t at)
{
	static const struct {
		Armada__EndCause cause;
		int code;
	} ends[] = {{END(EXITED), 0}, {END(EXITED), 0}, {END(EXITED), 2}, {END(REFUSED), 0}};
	struct run run = p->runs[at];
	uint64_t how = below(p, ARRAY_SIZE(ends));

	p->runs[at] = p->runs[--p->run_count];
	if (run.killed)
		world_ended(&p->w, run.conn, run.key.job, run.key.element, run.key.rank,
			    run.key.attempt, below(p, 4) ? END(CANCELLED) : END(EXITED), 0);
	else
		world_ended(&p->w, run.conn, run.key.job, run.key.element, run.key.rank,
			    run.key.attempt, ends[how].cause, ends[how].code);
	follow(p);
}

static void start_run(struct play *p, size_t at)
{
	const struct run *run = &p->runs[at];

	world_started(&p->w, run->conn, run->key.job, run->key.element, run->key.rank,
		      run->key.attempt);
	follow(p);
}

/* The machine restarts with another boot id: all tasks there are lost. */
static void restart_node(struct play *p)
{
	uint64_t conn = 1 + below(p, NODES);
	char name[16], boot[16];

	snprintf(name, sizeof(name), "n%d", (int)conn);
	snprintf(boot, sizeof(boot), "boot%d", ++p->boot);
	for (size_t i = 0; i < p->run_count;)
		if (p->runs[i].conn == conn)
			p->runs[i] = p->runs[--p->run_count];
		else
			i++;
	world_node(&p->w, conn, name, 4, boot, (uint8_t)conn);
	follow(p);
}

static void play_round(struct play *p)
{
	struct sched_round round = {.now_us = p->w.wall_us, .seed = 1};
	struct input in = {.kind = INPUT_DECISIONS};
	struct sched_result result;

	sched_run_round(p->live.rig.s, &round, &result);
	in.decisions = &result;
	world_feed(&p->w, &in);
	follow(p);
	sched_result_done(&result);
}

static void preempt_some(struct play *p)
{
	world_preempt(&p->w, 1 + below(p, p->last_job + 1), 0);
	follow(p);
}

static void act(struct play *p)
{
	uint64_t what = below(p, 16), job = 1 + below(p, p->last_job + 1);

	if (what < 3)
		submit_some(p);
	else if (what == 3)
		cancel(p, job);
	else if (what == 4)
		hold(p, job, below(p, 2));
	else if (what == 5)
		restart_node(p);
	else if (what == 6)
		preempt_some(p);
	else if (what < 10 && p->run_count)
		end_run(p, below(p, p->run_count));
	else if (what < 13 && p->run_count)
		start_run(p, below(p, p->run_count));
	else
		play_round(p);
}

static char *round_of(struct play *p, struct fed_sched *d)
{
	struct sched_round round = {.now_us = p->w.wall_us, .seed = 1};
	struct buf out = {0};
	struct sched_result result;
	char *decisions;

	sched_run_round(d->rig.s, &round, &result);
	decisions = rig_decisions(&result);
	buf_addf(&out, "%s;", decisions);
	for (size_t i = 0; i < result.share_count; i++)
		buf_addf(&out, " %s: wants %ld, has %ld", result.shares[i].queue,
			 (long)result.shares[i].demand[0], (long)result.shares[i].allocated[0]);
	for (size_t i = 0; i < d->rig.s->model.users.count; i++)
		if (d->rig.s->model.users.list[i].name)
			buf_addf(&out, "; %s has %ld running", d->rig.s->model.users.list[i].name,
				 (long)d->rig.s->model.users.list[i].spending.now.running);
	free(decisions);
	sched_result_done(&result);
	return (char *)out.data;
}

/* The rounds of the applied feed and of a new one. */
static bool is_same(struct play *p)
{
	struct fed_sched fresh;
	CLEANUP_FREE char *live = round_of(p, &p->live), *now = NULL;
	bool same;

	fed_sched_init(p, &fresh);
	now = round_of(p, &fresh);
	same = strcmp(live, now) == 0;
	if (!same)
		diag("followed: %s\nfilled: %s", live, now);
	fed_sched_done(&fresh);
	return same;
}

/* Releases all jobs and ends their tasks until no job is left. */
static void drain(struct play *p)
{
	for (int i = 0; i < 400 && !core_idle(p->w.core); i++) {
		for (uint64_t id = 1; id <= p->last_job && i == 0; id++)
			hold(p, id, true);
		play_round(p);
		while (p->run_count)
			end_run(p, 0);
		/* an incomplete gang never starts, so it is cancelled */
		for (uint64_t id = 1; id <= p->last_job && i > 50; id++)
			cancel(p, id);
	}
}

static struct play *play_new(uint64_t seed, const char *preempt)
{
	struct play *p = xcalloc(1, sizeof(*p));
	struct input in = {.kind = INPUT_POLICY, .policy = &p->w.policy};

	p->seed = seed;
	p->preempt = preempt;
	world_init(&p->w);
	p->w.policy.classes = classes;
	p->w.policy.class_count = ARRAY_SIZE(classes);
	world_feed(&p->w, &in);
	for (int i = 1; i <= NODES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%d", i);
		world_node(&p->w, (uint64_t)i, name, 4, "boot", (uint8_t)i);
	}
	fed_sched_init(p, &p->live);
	return p;
}

static void play_done(struct play *p)
{
	fed_sched_done(&p->live);
	world_done(&p->w);
	free(p);
}

static void test_world(uint64_t seed, int *together)
{
	struct play *p = play_new(seed, NULL);
	int step = 0;

	for (; step < STEPS; step++) {
		act(p);
		if (!is_same(p))
			break;
	}
	is_int(step, STEPS, "world %d: both feeds agree at every step", (int)seed);
	drain(p);
	ok(core_idle(p->w.core), "world %d: all jobs end", (int)seed);
	*together += p->together;
	play_done(p);
}

/* Each job takes one whole node. */
static uint64_t submit_node(struct play *p, const char *class, uint32_t cardinality, bool hold)
{
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *list[] = {&cpu};
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = 4000;
	group.resources = list;
	group.n_resources = 1;
	spec.priority_class = (char *)class;
	spec.gang_id = (char *)(cardinality ? "g" : "");
	spec.gang_cardinality = cardinality;
	spec.hold = hold;
	p->last_job = world_submit(&p->w, &spec);
	follow(p);
	return p->last_job;
}

static void is_round(struct play *p, struct fed_sched *d, const char *want, const char *what)
{
	CLEANUP_FREE char *got = round_of(p, d);

	got[strcspn(got, ";")] = '\0';
	is_str(got, want, "%s", what);
}

/* A gang on all three nodes. */
static struct play *play_full(const char *preempt)
{
	struct play *p = play_new(1, preempt);

	for (int i = 0; i < NODES; i++)
		submit_node(p, "armada-default", NODES, false);
	play_round(p);
	for (size_t i = 0; i < p->run_count; i++)
		start_run(p, i);
	return p;
}

static void test_held(void)
{
	struct play *p = play_new(1, NULL);

	submit_node(p, "armada-default", 2, false);
	submit_node(p, "armada-default", 2, true);
	is_round(p, &p->live, "", "a gang with a held member does not start");
	hold(p, 2, true);
	is_round(p, &p->live, "1.0@n1,n2", "the gang starts when the member is released");
	play_done(p);
}

/* The room of a preempted job can be leased. */
static void test_yields(void)
{
	struct play *p = play_full(NULL);

	submit_node(p, "armada-default", 0, false);
	is_round(p, &p->live, "", "a gang has all nodes");
	world_preempt(&p->w, 1, 0);
	follow(p);
	is_round(p, &p->live, "4.0@n1", "the room of a preempted gang can be assigned");
	play_done(p);
}

/* A gang with a member that is being ended is not preempted, because that frees no room earlier. */
static void test_pinned(void)
{
	struct play *p = play_full("urgency");

	submit_node(p, "urgent", 0, false);
	is_round(p, &p->live, "-3.0 4.0@n1", "a gang is preempted for a more urgent job");
	cancel(p, 2);
	is_round(p, &p->live, "", "a gang with a member that is being ended is not preempted");
	end_run(p, 1);
	is_round(p, &p->live, "4.0@n2", "the urgent job gets the room when the member has ended");
	play_done(p);
}

static void restore_chunk(void *arg, const void *data, size_t len)
{
	struct err err;

	if (core_restore(arg, data, len, &err) < 0)
		ok(false, "restore: %s", err.text);
}

/*
 * A restarted controller knows that the gang had started, so that its remaining members are
 * complete.
 */
static void test_begun(void)
{
	struct play *p = play_full(NULL);
	struct core *copy = core_new(&p->w.policy);
	struct fed_sched restored;

	world_ended(&p->w, 1, 1, 0, 0, 1, END(EXITED), 0);
	follow(p);
	world_preempt(&p->w, 2, 0);
	follow(p);
	world_ended(&p->w, 2, 2, 0, 0, 1, END(PREEMPTED), 0);
	follow(p);
	world_ended(&p->w, 3, 3, 0, 0, 1, END(PREEMPTED), 0);
	follow(p);
	is_round(p, &p->live, "2.0@n1,n2", "two remaining members of three start again");
	core_snapshot(p->w.core, restore_chunk, copy);
	fed_sched_of(p, copy, &restored);
	is_round(p, &restored, "2.0@n1,n2", "they start from a restored snapshot too");
	fed_sched_done(&restored);
	core_free(copy);
	play_done(p);
}

int main(void)
{
	int together = 0;

	test_held();
	test_yields();
	test_pinned();
	test_begun();
	for (uint64_t seed = 1; seed <= WORLDS; seed++)
		test_world(seed, &together);
	ok(together > WORLDS, "gangs started: %d", together);
	return done();
}
