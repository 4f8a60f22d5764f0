/*
 * Room that is reserved for a gang: how much of it others use until the gang starts. First small worlds
 * with exact numbers, then a mixed workload of 2,000 jobs, played with and without jobs that scavenge.
 */
#include "sched/explain.h"
#include "sched/usage_history.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define SECONDS(n) ((int64_t)(n)*1000000)

struct world {
	struct rig rig;
	struct sched_result last;
	int64_t now_us;
};

static void begin(struct world *w, int nodes, int64_t cpus)
{
	*w = (struct world){0};
	rig_init(&w->rig);
	for (int i = 0; i < nodes; i++) {
		char name[24];
		struct sched_node n = {.name = name, .total = {cpus * 1000}, .schedulable = true};

		snprintf(name, sizeof(name), "n%d", i);
		sched_node_set(w->rig.s, &n);
	}
	sched_queue_set(w->rig.s, "a", 1, false);
	sched_queue_set(w->rig.s, "b", 1, false);
}

static void close_world(struct world *w)
{
	sched_result_done(&w->last);
	rig_done(&w->rig);
}

struct wish {
	uint64_t id;
	const char *queue;
	int64_t cpus, limit_s;
	uint32_t members;
	bool scavenges;
};

static void submit(struct world *w, const struct wish *a)
{
	struct sched_job j = {.id = a->id,
			      .queue = a->queue,
			      .class_name = "low",
			      .submit_us = w->now_us,
			      .request = {a->cpus * 1000},
			      .members = a->members,
			      .min_members = a->members,
			      .scavenge = a->scavenges,
			      .time_limit_us = SECONDS(a->limit_s)};

	sched_job_add(w->rig.s, &j);
	sched_wait(w->rig.s, a->id, 0, 0, 1);
}

static void play_round(struct world *w)
{
	struct sched_round in = {.now_us = w->now_us, .seed = 1};

	sched_result_done(&w->last);
	sched_now(w->rig.s, w->now_us);
	sched_run_round(w->rig.s, &in, &w->last);
}

/* A round at this time, whose decisions are accepted. */
static void go(struct world *w, int64_t at_s)
{
	w->now_us = SECONDS(at_s);
	play_round(w);
	for (size_t i = 0; i < w->last.decision_count; i++) {
		const struct sched_decision *d = &w->last.decisions[i];

		if (d->kind == SCHED_PREEMPT)
			sched_end(w->rig.s, d->job, d->element);
	}
	for (size_t i = 0; i < w->last.decision_count; i++) {
		const struct sched_decision *d = &w->last.decisions[i];

		if (d->kind == SCHED_START)
			sched_run(w->rig.s, d->job, d->element, d->nodes, w->now_us);
		else
			sched_wait(w->rig.s, d->job, d->element, d->element, 1);
	}
}

static void room_is(const struct world *w, const char *want, const char *what)
{
	const struct sched_reservation *v = w->last.reservation;
	char got[64] = "-";

	if (v)
		snprintf(got, sizeof(got), "%llu: %g %g %g", (unsigned long long)v->job, v->need,
			 v->idle, v->recovered);
	is_str(got, want, "%s", what);
}

static void explain(struct world *w, uint64_t job)
{
	struct sched_round in = {.now_us = w->now_us, .seed = 1};
	struct sched_explanation x;

	if (sched_explain(w->rig.s, job, &in, &x) == 0)
		sched_explanation_done(&x);
}

static void test_numbers(void)
{
	struct world w;

	begin(&w, 2, 8);
	submit(&w, &(struct wish){1, "a", 8, 100, 1, false});
	submit(&w, &(struct wish){2, "a", 1, 90, 1, false});
	go(&w, 0);
	submit(&w, &(struct wish){3, "a", 8, 100, 2, false});
	go(&w, 10);
	room_is(&w, "3: 1 0.4375 0",
		"jobs for whose end the gang waits are neither idle nor recovered room");
	submit(&w, &(struct wish){4, "a", 2, 50, 1, false});
	submit(&w, &(struct wish){5, "a", 2, 500, 1, false});
	go(&w, 20);
	room_is(&w, "3: 1 0.3125 0.125",
		"a job that ends before the start recovers room, from the first round on");
	explain(&w, 5);
	explain(&w, 3);
	go(&w, 30);
	room_is(&w, "3: 1 0.3125 0.125", "it does later, too, whatever was explained meanwhile");
	submit(&w, &(struct wish){6, "a", 4, 500, 1, true});
	go(&w, 40);
	room_is(&w, "3: 1 0.0625 0.375", "so does a job that scavenges");
	go(&w, 50);
	room_is(&w, "3: 1 0.0625 0.375", "and in the next round");
	sched_end(w.rig.s, 4, 0);
	go(&w, 70);
	room_is(&w, "3: 1 0.1875 0.25", "the room of a job that has ended is idle");
	sched_job_remove(w.rig.s, 4);
	sched_end(w.rig.s, 1, 0);
	sched_end(w.rig.s, 2, 0);
	go(&w, 100);
	ok(w.last.decision_count == 2, "the gang starts, and the scavenging job makes room");
	room_is(&w, "5: 0.125 0 0", "the next job finds nothing to recover");
	go(&w, 110);
	room_is(&w, "5: 0.125 0 0", "nor later");
	close_world(&w);
}

/* What the round starts before it makes the reservation is ahead of the gang; the rest uses its room. */
static void test_first_round(void)
{
	struct world w;

	begin(&w, 1, 8);
	submit(&w, &(struct wish){1, "a", 4, 100, 1, false});
	submit(&w, &(struct wish){2, "a", 2, 60, 1, false});
	submit(&w, &(struct wish){3, "a", 8, 100, 1, false});
	submit(&w, &(struct wish){4, "a", 1, 50, 1, false});
	go(&w, 0);
	room_is(&w, "3: 1 0.125 0.125", "only the job behind the gang recovers room");
	go(&w, 10);
	room_is(&w, "3: 1 0.125 0.125", "the next round knows it still");
	close_world(&w);
}

/* The gang needs a part of its nodes only; the rest is nobody's. */
static void test_part(void)
{
	struct world w;

	begin(&w, 2, 8);
	submit(&w, &(struct wish){1, "a", 6, 100, 1, false});
	go(&w, 0);
	submit(&w, &(struct wish){2, "a", 4, 100, 4, false});
	go(&w, 10);
	room_is(&w, "2: 1 0.625 0", "members of a gang share nodes");
	sched_unwait(w.rig.s, 2, 0, 0);
	submit(&w, &(struct wish){3, "a", 7, 100, 2, false});
	go(&w, 20);
	room_is(&w, "3: 0.875 0.5625 0", "only what the gang needs counts");
	submit(&w, &(struct wish){4, "a", 1, 0, 1, true});
	submit(&w, &(struct wish){5, "a", 2, 0, 1, true});
	go(&w, 30);
	room_is(&w, "3: 0.875 0.4375 0.125", "also of what others use");
	close_world(&w);
}

/* --- a mixed workload --- */

enum { JOBS = 2000, NODES = 16, CPUS = 16 };

struct load {
	struct wish wish;
	int64_t runs_s, arrives_s, ends_s; /* ends_s 0: it does not run */
	bool ended;
};

struct outcome {
	double used; /* useful work, as a part of the cluster until the last job has ended */
	double idle_s, recovered_s; /* reserved room: seconds of the whole cluster */
	uint64_t preempted;
};

static uint64_t draw(uint64_t *state, uint64_t low, uint64_t high)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return low + (*state >> 33) % (high - low + 1);
}

/*
 * One of eight jobs is a gang with whole nodes, three are single tasks, and four are small ones whose owners
 * do not know how long they run: their time limits are long. The latter may scavenge.
 */
static void make_load(struct load *list, bool scavenging)
{
	uint64_t random = 1;
	int64_t arrives_s = 0;

	for (uint64_t i = 0; i < JOBS; i++) {
		uint64_t kind = draw(&random, 0, 7), size = draw(&random, 0, 7);
		int64_t limit_s = (int64_t)draw(&random, 10, 60) * 60;
		int64_t percent = (int64_t)draw(&random, 40, 100);
		struct load *l = &list[i];

		arrives_s += (int64_t)draw(&random, 0, 60);
		*l = (struct load){.arrives_s = arrives_s, .runs_s = limit_s * percent / 100};
		l->wish = (struct wish){i + 1, size % 2 ? "a" : "b", 1 + (int64_t)size, limit_s, 1,
					false};
		if (kind == 0) {
			l->wish.cpus = CPUS;
			l->wish.members = 4 + (uint32_t)size;
		} else if (kind > 3) {
			l->wish.cpus = 1 + (int64_t)size / 2;
			l->wish.limit_s = 24 * 3600;
			l->wish.scavenges = scavenging;
		}
	}
}

/* The time of the next arrival or end; 0: there is none. */
static int64_t next_event(const struct load *list, size_t arrived)
{
	int64_t at_s = arrived < JOBS ? list[arrived].arrives_s : 0;

	for (size_t i = 0; i < arrived; i++)
		if (list[i].ends_s && (!at_s || list[i].ends_s < at_s))
			at_s = list[i].ends_s;
	return at_s;
}

static void end_due(struct world *w, struct load *list, size_t arrived, int64_t at_s)
{
	for (size_t i = 0; i < arrived; i++) {
		if (!list[i].ends_s || list[i].ends_s > at_s)
			continue;
		sched_end(w->rig.s, list[i].wish.id, 0);
		sched_job_remove(w->rig.s, list[i].wish.id);
		list[i].ends_s = 0;
		list[i].ended = true;
	}
}

static void note_decisions(const struct world *w, struct load *list, struct outcome *o,
			   int64_t at_s)
{
	for (size_t i = 0; i < w->last.decision_count; i++) {
		const struct sched_decision *d = &w->last.decisions[i];
		struct load *l = &list[d->job - 1];

		o->preempted += d->kind == SCHED_PREEMPT;
		l->ends_s = d->kind == SCHED_START ? at_s + l->runs_s : 0;
	}
}

static struct outcome play(bool scavenging)
{
	CLEANUP_FREE struct load *list = xcalloc(JOBS, sizeof(*list));
	struct outcome o = {0};
	struct world w;
	size_t arrived = 0, left = JOBS;
	int64_t at_s = 0, next_s;
	double work = 0;

	make_load(list, scavenging);
	begin(&w, NODES, CPUS);
	for (; (next_s = next_event(list, arrived)) != 0; at_s = next_s) {
		const struct sched_reservation *v = w.last.reservation;

		o.idle_s += v ? v->idle * (double)(next_s - at_s) : 0;
		o.recovered_s += v ? v->recovered * (double)(next_s - at_s) : 0;
		end_due(&w, list, arrived, next_s);
		w.now_us = SECONDS(next_s);
		for (; arrived < JOBS && list[arrived].arrives_s <= next_s; arrived++)
			submit(&w, &list[arrived].wish);
		go(&w, next_s);
		note_decisions(&w, list, &o, next_s);
	}
	for (size_t i = 0; i < JOBS; i++) {
		left -= list[i].ended;
		work += (double)(list[i].runs_s * list[i].wish.cpus * list[i].wish.members);
	}
	ok(!left, "all jobs have ended");
	o.used = work / ((double)at_s * NODES * CPUS);
	printf("# %s: %.2f %% of the cluster did useful work for %lld s; reserved room: %.0f s idle, %.0f s "
	       "(%.1f %%) used meanwhile; %llu preempted\n",
	       scavenging ? "with --scavenge" : "without", 100 * o.used, (long long)at_s, o.idle_s,
	       o.recovered_s, 100 * o.recovered_s / (o.idle_s + o.recovered_s),
	       (unsigned long long)o.preempted);
	close_world(&w);
	return o;
}

static void test_workload(void)
{
	struct outcome without = play(false), with = play(true);

	ok(!without.preempted && with.preempted, "only jobs that scavenge are preempted");
	ok(with.used > without.used,
	   "the cluster does more useful work with them, although preempted work is lost");
	ok(with.recovered_s / (with.idle_s + with.recovered_s) >
		   without.recovered_s / (without.idle_s + without.recovered_s),
	   "a larger share of the reserved room is used");
}

int main(void)
{
	test_numbers();
	test_first_round();
	test_part();
	test_workload();
	return done();
}
