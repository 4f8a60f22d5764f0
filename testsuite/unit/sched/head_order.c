/*
 * The order of jobs in a queue of many subqueues, while jobs come, leave, change and are held.
 *
 *	head_order [SEED]
 *
 * The jobs have hundreds of shapes, so that the sorted list of subqueues (model/head_list.h) is used: some
 * steps change a few first jobs, others so many that the list is merged, or the priorities of the classes.
 * After each step a round may start a few jobs. They must be the first ones of a plainly sorted array of all
 * jobs, and each subqueue with a ready job must be either sorted or loose.
 */
#include "sched/configure.h"
#include "sched/model/model.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 900, SHAPES = 400, STARTS = 5, STEPS = 400, CLASSES = 3 };

static struct sched_class classes[CLASSES] = {{"x", 0, false, false, {0}, false},
					      {"y", 1000, false, false, {0}, false},
					      {"z", 2000, false, false, {0}, false}};

struct plain_job {
	uint64_t id;
	bool there, held;
	int class;
	int64_t priority, submit_us, cpu;
};

struct world {
	struct rig rig;
	uint64_t random, last_id;
	struct plain_job jobs[JOBS];
	size_t merged, unmerged; /* rounds with a sorted list; with changes since it was sorted */
};

static uint32_t below(struct world *w, uint32_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 32) % n);
}

static struct sched_job described(const struct plain_job *j)
{
	return (struct sched_job){.id = j->id,
				  .queue = "q",
				  .class_name = classes[j->class].name,
				  .priority = j->priority,
				  .submit_us = j->submit_us,
				  .request = {j->cpu, 1},
				  .members = 1,
				  .min_members = 1};
}

static void submit(struct world *w, struct plain_job *j)
{
	struct sched_job described_job;

	*j = (struct plain_job){.id = ++w->last_id,
				.there = true,
				.class = (int)below(w, CLASSES),
				.priority = below(w, 4),
				.submit_us = below(w, 1000),
				.cpu = 1 + below(w, SHAPES)};
	described_job = described(j);
	sched_job_add(w->rig.s, &described_job);
	sched_wait(w->rig.s, j->id, 0, 0, 1);
}

static void change(struct world *w, struct plain_job *j)
{
	struct sched_job changed;

	switch (below(w, 4)) {
	case 0:
		sched_job_remove(w->rig.s, j->id);
		j->there = false;
		break;
	case 1:
		j->held = !j->held;
		sched_job_hold(w->rig.s, j->id, j->held);
		break;
	default:
		j->priority = below(w, 4);
		j->class = (int)below(w, CLASSES);
		j->cpu = 1 + below(w, SHAPES);
		changed = described(j);
		sched_job_change(w->rig.s, &changed);
	}
}

static void change_some(struct world *w, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct plain_job *j = &w->jobs[below(w, JOBS)];

		if (j->there)
			change(w, j);
		else
			submit(w, j);
	}
}

static const char *const resources[] = {"cpu", "memory", "gpu"};

static void swap_classes(struct world *w)
{
	int a = (int)below(w, CLASSES), b = (int)below(w, CLASSES);
	int64_t priority = classes[a].priority;
	struct err err;

	classes[a].priority = classes[b].priority;
	classes[b].priority = priority;
	if (sched_reconfigure(w->rig.s,
			      &(struct sched_config){.resources = resources,
						     .resource_count = ARRAY_SIZE(resources),
						     .classes = classes,
						     .class_count = CLASSES,
						     .limits = {.jobs_per_round = STARTS},
						     .fairness = &w->rig.fairness,
						     .order = &w->rig.order,
						     .preempt = &w->rig.preempt,
						     .select = &w->rig.select},
			      &err))
		bail("%s", err.text);
}

static int by_order(const void *a, const void *b)
{
	const struct plain_job *x = *(struct plain_job *const *)a,
			       *y = *(struct plain_job *const *)b;
	int64_t p = classes[x->class].priority, q = classes[y->class].priority;

	if (p != q)
		return p > q ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	if (x->submit_us != y->submit_us)
		return x->submit_us < y->submit_us ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Starts what the round decides, as if it ended at once. False: not the first jobs, or not in order. */
static bool round_in_order(struct world *w)
{
	struct sched_round in = {.now_us = 1};
	struct plain_job *list[JOBS];
	struct sched_result result;
	size_t n = 0, starts;
	bool good;

	for (size_t i = 0; i < JOBS; i++)
		if (w->jobs[i].there && !w->jobs[i].held)
			list[n++] = &w->jobs[i];
	qsort(list, n, sizeof(list[0]), by_order);
	sched_run_round(w->rig.s, &in, &result);
	starts = n < STARTS ? n : STARTS;
	good = result.decision_count == starts;
	for (size_t i = 0; good && i < starts; i++)
		good = result.decisions[i].job == list[i]->id;
	for (size_t i = 0; good && i < starts; i++) {
		rig_accept(w->rig.s, &result.decisions[i]);
		sched_end(w->rig.s, list[i]->id, 0);
		sched_job_remove(w->rig.s, list[i]->id);
		list[i]->there = false;
	}
	sched_result_done(&result);
	return good;
}

static bool same_entry(struct head_entry a, struct head_entry b)
{
	return !head_entry_before(&a, &b) && !head_entry_before(&b, &a) && a.subqueue == b.subqueue;
}

/* Is each subqueue with a first job sorted by it, or loose? */
static bool list_is_whole(struct world *w)
{
	struct model *m = model_of(w->rig.s);
	const struct queue *q = &m->queues.list[queues_find(m, "q")];
	const struct head_list *h = &q->heads;
	const struct head_entry *last = NULL;
	size_t sorted = 0;

	for (size_t i = 0; i < h->count; i++) {
		const struct head_entry *e = &h->sorted[i];

		if (e->subqueue == NIL)
			continue;
		if (!same_entry(head_entry_of(m, e->subqueue, m->subqueues.list[e->subqueue].head),
				*e) ||
		    m->subqueues.list[e->subqueue].loose != NIL ||
		    (last && !head_entry_before(last, e)))
			return false;
		last = e;
		sorted++;
	}
	for (size_t i = 0; i < h->loose_count; i++)
		if (m->subqueues.list[h->loose[i]].loose != i ||
		    m->subqueues.list[h->loose[i]].head == NIL)
			return false;
	w->merged += sorted > 0;
	w->unmerged += sorted > 0 && (h->loose_count > 0 || h->stale > 0);
	return h->count - h->stale == sorted && sorted + h->loose_count == q->subqueue_count;
}

int main(int argc, char **argv)
{
	struct world w = {.random = argc > 1 ? strtoull(argv[1], NULL, 0) : 20231};
	const struct sched_node node = {
		.name = "n0", .total = {INT64_C(1) << 30, RIG_G}, .schedulable = true};
	const struct rig_policy policy = {
		.classes = classes, .class_count = CLASSES, .limits = {.jobs_per_round = STARTS}};
	int disordered = 0, broken = 0;

	rig_init_policy(&w.rig, &policy);
	sched_node_set(w.rig.s, &node);
	sched_queue_set(w.rig.s, "q", 1, false);
	for (int step = 0; step < STEPS && !disordered && !broken; step++) {
		if (step % 97 == 96)
			swap_classes(&w);
		else
			change_some(&w, below(&w, 8) ? below(&w, 10) : below(&w, JOBS));
		broken += !list_is_whole(&w);
		disordered += !round_in_order(&w);
		broken += !list_is_whole(&w);
		if (disordered || broken)
			diag("seed %llu step %d", (unsigned long long)w.random, step);
	}
	is_int(disordered, 0, "each round starts the first jobs of the queue, in order");
	is_int(broken, 0, "each subqueue is sorted by its first job, or loose");
	ok(w.merged > STEPS / 2, "the list was sorted in %zu rounds", w.merged);
	ok(w.unmerged > STEPS / 8, "and had later changes in %zu", w.unmerged);
	rig_done(&w.rig);
	return done();
}
