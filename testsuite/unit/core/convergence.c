/*
 * The scheduler, its feed and the core together, with simulated nodes that obey orders. The tests
 * check which jobs are preempted for which, and that preemption ends when no more jobs are
 * submitted.
 */
#include "unit/sched/rig.h"
#include "feed/sched_feed.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/splitmix.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

enum { MAX_NODES = 6, GRACE = 3 /* rounds that a preempted task takes to end */ };

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const struct sched_class classes[] = {
	{.name = "armada-default", .priority = 1000, .urgency_preemptible = true},
	{.name = "armada-preemptible",
	 .priority = 1000,
	 .fair_share_preemptible = true,
	 .urgency_preemptible = true},
	{.name = "urgent", .priority = 2000},
};
static char *const ann[] = {(char *)"ann"};
#define QUEUE(n, factor)                                                                           \
	{                                                                                          \
		QUEUE_SPEC_BEGIN, .name = (char *)n, .priority_factor = factor,                    \
				  .owners = (char **)ann, .n_owners = 1                            \
	}
static const Armada__QueueSpec queues[] = {QUEUE("a", 1), QUEUE("b", 1), QUEUE("c", 2)};

/* An order for a node, and the round in which the node obeys it. */
struct errand {
	struct order order;
	uint64_t conn;
	int round;
};

struct play {
	struct test_world w;
	struct rig rig;
	struct sched_feed *feed;
	struct errand errands[4096];
	size_t errand_count;
	struct task_key running[1024]; /* what the nodes run, by conn */
	uint64_t running_on[1024];
	size_t running_count;
	int used[MAX_NODES + 1], cpus; /* of each node */
	int cpus_of[4096];             /* by job: of one task */
	int round, preempted, pending, released, started;
	size_t decided; /* in the last round, before the core checked them */
};

static void follow(struct play *p)
{
	const Armada__Record *r = p->w.out.decoded;

	if (r)
		sched_feed_apply(p->feed, r);
	for (size_t i = 0; r && i < r->n_events; i++) {
		const Armada__Event *ev = r->events[i];

		p->preempted += ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_ENDING &&
				ev->element_ending->why == ARMADA__END_REASON__ENDING_PREEMPT;
		p->started += ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED;
		p->pending += ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_LEASED &&
			      ev->element_leased->lease_pending;
		p->released += ev->kind_case == ARMADA__EVENT__KIND_ELEMENT_RELEASED;
	}
	for (size_t i = 0; i < p->w.out.effect_count; i++) {
		const struct effect *e = &p->w.out.effects[i];

		if (e->kind != EFFECT_ORDER || p->errand_count == ARRAY_SIZE(p->errands))
			continue;
		p->errands[p->errand_count++] = (struct errand){
			e->order, e->conn, p->round + (e->order.kind == ORDER_KILL ? GRACE : 0)};
	}
}

static void start(struct play *p, const struct errand *x)
{
	const struct task_key *k = &x->order.key;

	for (size_t i = 0; i < p->running_count; i++)
		if (task_key_equal(&p->running[i], k))
			return;
	p->running[p->running_count] = *k;
	p->running_on[p->running_count++] = x->conn;
	p->used[x->conn] += p->cpus_of[k->job];
	if (p->used[x->conn] > p->cpus)
		ok(false, "I6: node %d runs %d of %d cpus", (int)x->conn, p->used[x->conn],
		   p->cpus);
	world_started(&p->w, x->conn, k->job, k->element, k->rank, k->attempt);
	follow(p);
}

static void stop(struct play *p, const struct errand *x)
{
	const struct task_key *k = &x->order.key;

	for (size_t i = 0; i < p->running_count; i++) {
		if (!task_key_equal(&p->running[i], k))
			continue;
		p->running_count--;
		p->running[i] = p->running[p->running_count];
		p->running_on[i] = p->running_on[p->running_count];
		p->used[x->conn] -= p->cpus_of[k->job];
		break;
	}
	world_ended(&p->w, x->conn, k->job, k->element, k->rank, k->attempt, END(PREEMPTED), 0);
	follow(p);
}

static void obey(struct play *p)
{
	for (size_t i = 0; i < p->errand_count;) {
		struct errand x = p->errands[i];

		if (x.round > p->round) {
			i++;
			continue;
		}
		memmove(&p->errands[i], &p->errands[i + 1], (--p->errand_count - i) * sizeof(x));
		if (x.order.kind == ORDER_LAUNCH)
			start(p, &x);
		else
			stop(p, &x);
	}
}

static void play_round(struct play *p)
{
	struct sched_round round = {.now_us = p->w.wall_us, .seed = (uint64_t)p->round};
	struct input in = {.kind = INPUT_DECISIONS};
	struct sched_result result;

	p->round++;
	sched_run_round(p->rig.s, &round, &result);
	in.decisions = &result;
	p->decided = result.decision_count;
	world_feed(&p->w, &in);
	follow(p);
	sched_result_done(&result);
	obey(p);
}

static void play_rounds(struct play *p, int n)
{
	while (n-- > 0)
		play_round(p);
}

static struct play *play_new(int nodes, int cpus)
{
	struct play *p = xcalloc(1, sizeof(*p));
	struct input in = {.kind = INPUT_POLICY};

	p->cpus = cpus;
	world_init(&p->w);
	p->w.policy.classes = classes;
	p->w.policy.class_count = ARRAY_SIZE(classes);
	p->w.policy.queues = queues;
	p->w.policy.queue_count = ARRAY_SIZE(queues);
	in.policy = &p->w.policy;
	world_feed(&p->w, &in);
	for (int i = 1; i <= nodes; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%d", i);
		world_node(&p->w, (uint64_t)i, name, cpus, "boot", 1);
	}
	rig_init_fairshare(&p->rig, classes, ARRAY_SIZE(classes), 1.0);
	p->feed = sched_feed_new(p->rig.s, resources, ARRAY_SIZE(resources));
	sched_feed_fill(p->feed, p->w.core);
	return p;
}

/* A scheduler with a feed that is filled from the core. */
static void new_feed(struct play *p)
{
	sched_feed_free(p->feed);
	rig_done(&p->rig);
	memset(&p->rig, 0, sizeof(p->rig));
	rig_init_fairshare(&p->rig, classes, ARRAY_SIZE(classes), 1.0);
	p->feed = sched_feed_new(p->rig.s, resources, ARRAY_SIZE(resources));
	sched_feed_fill(p->feed, p->w.core);
}

static void play_done(struct play *p)
{
	sched_feed_free(p->feed);
	rig_done(&p->rig);
	world_done(&p->w);
	free(p);
}

static uint64_t submit(struct play *p, const char *queue, const char *class, int cpus,
		       uint32_t nodes, uint32_t elements)
{
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *array[] = {&range};
	Armada__Resource cpu, *list[1];
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	spec_init(&spec, &group);
	spec_cpus(&group, cpus, &cpu, list);
	group.replicas = nodes;
	spec.nodes = nodes > 1 ? nodes : 0;
	spec.queue = (char *)queue;
	spec.priority_class = (char *)class;
	range.last = elements - 1;
	if (elements > 1) {
		spec.array = array;
		spec.n_array = 1;
	}
	id = world_submit(&p->w, &spec);
	follow(p);
	if (!id)
		bail("refused: %s", world_error(&p->w));
	p->cpus_of[id] = cpus;
	return id;
}

/* The number of running tasks of the job. */
static int running(const struct play *p, uint64_t job)
{
	int n = 0;

	for (size_t i = 0; i < p->running_count; i++)
		n += p->running[i].job == job;
	return n;
}

static void test_halves(void)
{
	struct play *p = play_new(4, 4);
	uint64_t a = submit(p, "a", "armada-preemptible", 1, 1, 16), b;

	play_round(p);
	is_int(running(p, a), 16, "one queue fills the cluster");
	b = submit(p, "b", "armada-preemptible", 1, 1, 16);
	play_round(p);
	is_int(p->preempted, 8, "half of its jobs are preempted for another queue");
	is_int(p->pending, 8, "the jobs of the other queue have pending leases");
	is_int(running(p, b), 0, "they do not run yet");
	play_round(p);
	new_feed(p);
	play_round(p);
	is_int(p->preempted, 8, "no further job is preempted meanwhile, by a new scheduler either");
	play_rounds(p, GRACE);
	is_int(running(p, a), 8, "half of the first jobs run in the end");
	is_int(running(p, b), 8, "half of the second jobs run too");
	is_int(p->released, 8, "all pending leases were released");
	play_rounds(p, 50);
	is_int(p->preempted, 8, "no job is preempted in the next 50 rounds");
	is_int(p->started, 24, "no job is started");
	play_done(p);
}

static void test_urgent(void)
{
	struct play *p = play_new(2, 4);
	uint64_t a = submit(p, "a", "armada-default", 2, 1, 4), b;

	play_round(p);
	is_int(running(p, a), 4, "a job that is not preemptible for fair share fills the cluster");
	b = submit(p, "b", "armada-preemptible", 2, 1, 2);
	play_rounds(p, 10);
	is_int(p->preempted, 0, "no job of its class preempts it");
	b = submit(p, "b", "urgent", 4, 2, 1);
	play_round(p);
	is_int(p->preempted, 4, "an urgent gang preempts it");
	play_rounds(p, GRACE + 1);
	is_int(running(p, b), 2, "the gang runs when they have ended");
	play_rounds(p, 50);
	is_int(p->preempted, 4, "no further job is preempted");
	play_done(p);
}

static void cancel(struct play *p, uint64_t id)
{
	world_cancel(&p->w, TEST_USER, id);
	follow(p);
}

/* A job is not preempted if it is being ended already, or if its end could not be proved. */
static void test_pinned(void)
{
	struct play *p = play_new(1, 4);
	uint64_t a = submit(p, "a", "armada-preemptible", 4, 1, 1), b;

	play_round(p);
	cancel(p, a);
	b = submit(p, "b", "urgent", 4, 1, 1);
	play_round(p);
	is_int(p->decided, 0, "a job that is being cancelled is not preempted");
	new_feed(p);
	play_round(p);
	is_int(p->decided, 0, "nor by a new scheduler");
	play_rounds(p, GRACE);
	is_int(running(p, b), 1, "the urgent job runs when it has ended");
	play_done(p);

	p = play_new(2, 4);
	a = submit(p, "a", "armada-preemptible", 4, 2, 1);
	play_round(p);
	world_closed(&p->w, 1);
	follow(p);
	p->w.steady_us += 30000000;
	world_started(&p->w, 2, a, 0, 1, 1); /* the other node is connected */
	follow(p);
	world_tick(&p->w, 31000000);
	follow(p);
	is_int(world_state(&p->w, a, 0), JOB(UNKNOWN), "half of a gang is on a lost node");
	b = submit(p, "b", "urgent", 4, 1, 1);
	play_round(p);
	is_int(p->decided, 0, "the gang is not preempted, as nothing would prove its end");
	world_node(&p->w, 1, "n1", 4, "boot", 1);
	follow(p);
	play_round(p);
	is_int(p->preempted, 1, "it is preempted when the node is back");
	play_done(p);
}

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return splitmix_next(seed) % n;
}

static void submit_some(struct play *p, uint64_t *seed)
{
	for (uint64_t n = 1 + below(seed, 6); n > 0; n--)
		submit(p, queues[below(seed, ARRAY_SIZE(queues))].name,
		       classes[below(seed, ARRAY_SIZE(classes))].name, (int)(1 + below(seed, 3)),
		       (uint32_t)(below(seed, 4) ? 1 : 2), (uint32_t)(1 + below(seed, 5)));
}

/* In random worlds, preemption ends when no more jobs are submitted. */
static bool settles(uint64_t seed, int *preempted)
{
	struct play *p = play_new((int)(2 + below(&seed, 4)), (int)(3 + below(&seed, 4)));
	int before;
	bool calm;

	for (int i = 0; i < 8; i++) {
		submit_some(p, &seed);
		play_rounds(p, (int)below(&seed, 5));
		if (!below(&seed, 4))
			new_feed(p);
	}
	play_rounds(p, 10 * GRACE);
	before = p->preempted + p->started;
	play_rounds(p, 50);
	calm = p->preempted + p->started == before;
	*preempted += p->preempted;
	play_done(p);
	return calm;
}

static void test_random(void)
{
	int preempted = 0;

	for (uint64_t seed = 1; seed <= 60; seed++)
		ok(settles(seed, &preempted), "in random world %d preemption ends", (int)seed);
	ok(preempted > 60, "the worlds had preemptions: %d", preempted);
}

int main(void)
{
	test_halves();
	test_urgent();
	test_pinned();
	test_random();
	return done();
}
