/*
 * Random worlds in which jobs displace one another: the scheduler and the referee must decide
 * alike, in every round.
 *
 *	contests [FIRST-SEED [COUNT]]
 */
#include "tap/tap.h"
#include "unit/sched/referee.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 8, WORLDS = 300 };

struct world {
	struct ref w;
	struct rig rig;
	uint64_t random;
	int jobs;
};

static int below(struct world *w, int n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (int)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 16) % (uint64_t)n);
}

static bool one_in(struct world *w, int n)
{
	return below(w, n) == 0;
}

static const char *const names[] = {"n0", "n1", "n2", "n3", "n4", "n5"};
static const char *const queues[] = {"a", "b", "c"};
static const char *const racks[] = {"r0", "r1", "r2"};
static const struct sched_class classes[REF_CLASSES] = {{"low", 0, true, true, {0}},
							{"fair", 10, true, false, {0}},
							{"mid", 10, true, true, {0}},
							{"firm", 20, false, true, {0}},
							{"high", 30, false, false, {0}}};

static void tell_node(struct world *w, int i)
{
	const struct ref_node *n = &w->w.nodes[i];
	struct sched_label label = {"rack", n->rack >= 0 ? racks[n->rack] : ""};
	struct sched_node node = {.name = names[i],
				  .labels = &label,
				  .label_count = n->rack >= 0,
				  .schedulable = n->up};

	memcpy(node.total, n->total, sizeof(n->total));
	sched_node_set(w->rig.s, &node);
}

static void make_shape(struct world *w, struct ref_shape *s)
{
	*s = (struct ref_shape){.request = {1000 * (1 + below(w, 6)), RIG_G * (1 + below(w, 4)),
					    one_in(w, 4)},
				.class = below(w, REF_CLASSES),
				.members = one_in(w, 3) ? 1 + below(w, REF_MEMBERS) : 1,
				.rack = one_in(w, 5) ? below(w, 3) : -1};
	s->distinct = s->members > 1 && one_in(w, 3);
	s->uniform = s->members > 1 && one_in(w, 3);
}

static bool same_shape(const struct ref_shape *a, const struct ref_shape *b)
{
	return memcmp(a->request, b->request, sizeof(a->request)) == 0 && a->class == b->class &&
	       a->members == b->members && a->rack == b->rack && a->distinct == b->distinct &&
	       a->uniform == b->uniform;
}

/* Of shapes that are the same only one is kept. */
static int draw_shape(struct world *w)
{
	struct ref_shape s;

	if (w->w.shape_count && !one_in(w, 3))
		return below(w, w->w.shape_count);
	make_shape(w, &s);
	for (int i = 0; i < w->w.shape_count; i++)
		if (same_shape(&w->w.shapes[i], &s))
			return i;
	w->w.shapes[w->w.shape_count] = s;
	return w->w.shape_count++;
}

static void submit(struct world *w)
{
	int id = w->jobs;
	struct ref_job *j = &w->w.jobs[id];
	const struct ref_shape *f;

	if (id == REF_JOBS)
		return;
	*j = (struct ref_job){.state = REF_WAITS,
			      .queue = below(w, REF_QUEUES),
			      .shape = draw_shape(w),
			      .priority = below(w, 3),
			      .submit = below(w, 5)};
	f = &w->w.shapes[j->shape];
	struct sched_selector selector = {"rack", f->rack >= 0 ? racks[f->rack] : "", false};
	struct sched_job in = {.id = (uint64_t)id + 1,
			       .queue = queues[j->queue],
			       .class_name = classes[f->class].name,
			       .priority = j->priority,
			       .submit_us = j->submit,
			       .members = (uint32_t)f->members,
			       .min_members = (uint32_t)f->members,
			       .distinct = f->distinct,
			       .selectors = &selector,
			       .selector_count = f->rack >= 0,
			       .uniformity = f->uniform ? "rack" : NULL};

	memcpy(in.request, f->request, sizeof(f->request));
	sched_job_add(w->rig.s, &in);
	sched_wait(w->rig.s, in.id, 0, 0, 1);
	w->jobs++;
}

static void change(struct world *w)
{
	for (int j = 0; j < w->jobs; j++) {
		if (w->w.jobs[j].state != REF_RUNS || !one_in(w, 6))
			continue;
		w->w.jobs[j].state = REF_NONE;
		sched_end(w->rig.s, (uint64_t)j + 1, 0);
	}
	for (int i = 0; i < REF_NODES; i++) {
		if (!one_in(w, 20))
			continue;
		w->w.nodes[i].up = !w->w.nodes[i].up;
		tell_node(w, i);
	}
	for (int i = below(w, 12); i > 0; i--)
		submit(w);
}

static void apply(struct world *w, const struct sched_decision *d, int round)
{
	struct ref_job *j = &w->w.jobs[d->job - 1];

	if (d->kind == SCHED_PREEMPT) {
		j->state = REF_WAITS;
		sched_end(w->rig.s, d->job, 0);
		sched_wait(w->rig.s, d->job, 0, 0, 1);
		return;
	}
	j->state = REF_RUNS;
	j->start = round;
	for (size_t i = 0; i < d->node_count; i++)
		j->nodes[i] = atoi(d->nodes[i] + 1);
	sched_run(w->rig.s, d->job, 0, (const char *const *)d->nodes, round);
}

/* No node holds more than it has. */
static bool sound(const struct world *w)
{
	for (int n = 0; n < REF_NODES; n++) {
		int64_t used[REF_DIMS] = {0};

		for (int j = 0; j < w->jobs; j++) {
			const struct ref_job *job = &w->w.jobs[j];
			const struct ref_shape *f = &w->w.shapes[job->shape];

			for (int m = 0; job->state == REF_RUNS && m < f->members; m++)
				for (int d = 0; job->nodes[m] == n && d < REF_DIMS; d++)
					used[d] += f->request[d];
		}
		for (int d = 0; d < REF_DIMS; d++)
			if (used[d] > w->w.nodes[n].total[d])
				return false;
	}
	return true;
}

static bool play_round(struct world *w, uint64_t seed, int round, unsigned *preempted)
{
	struct sched_round in = {.now_us = round, .seed = seed};
	struct sched_result res, again;
	struct buf want = {0};
	CLEANUP_FREE char *got = NULL, *twice = NULL;
	bool good;

	sched_run_round(w->rig.s, &in, &res);
	sched_run_round(w->rig.s, &in, &again);
	ref_round(&w->w, &want);
	got = rig_decisions(&res);
	twice = rig_decisions(&again);
	good = strcmp(got, (char *)want.data) == 0 && strcmp(got, twice) == 0 && !res.fault;
	if (!good)
		diag("seed %llu round %d\ngot   %s\nwant  %s\ntwice %s", (unsigned long long)seed,
		     round, got, (char *)want.data, twice);
	for (size_t i = 0; i < res.decision_count; i++) {
		*preempted += res.decisions[i].kind == SCHED_PREEMPT;
		apply(w, &res.decisions[i], round);
	}
	if (good && !sound(w)) {
		diag("seed %llu round %d: a node holds too much", (unsigned long long)seed, round);
		good = false;
	}
	sched_result_done(&res);
	sched_result_done(&again);
	buf_done(&want);
	return good;
}

static bool play(uint64_t seed, unsigned *preempted)
{
	struct world *w = xcalloc(1, sizeof(*w));
	bool good = true;

	w->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	w->w.protected_fraction = below(w, 4) / 2.0;
	rig_init_fairshare(&w->rig, classes, REF_CLASSES, w->w.protected_fraction);
	for (int c = 0; c < REF_CLASSES; c++)
		w->w.classes[c] =
			(struct ref_class){classes[c].priority, classes[c].fair_share_preemptible,
					   classes[c].urgency_preemptible};
	for (int i = 0; i < REF_NODES; i++) {
		w->w.nodes[i] = (struct ref_node){{1000 * (2 + below(w, 8)),
						   RIG_G * (2 + below(w, 8)), below(w, 3)},
						  below(w, 4) - 1,
						  !one_in(w, 8)};
		tell_node(w, i);
	}
	for (int q = 0; q < REF_QUEUES; q++) {
		w->w.factor[q] = 1 + below(w, 3);
		sched_queue_set(w->rig.s, queues[q], w->w.factor[q], false);
	}
	for (int r = 0; r < ROUNDS && good; r++) {
		change(w);
		good = play_round(w, seed, r, preempted);
	}
	rig_done(&w->rig);
	free(w);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : WORLDS, good = 0;
	unsigned preempted = 0;

	for (uint64_t seed = first; seed < first + count; seed++)
		good += play(seed, &preempted);
	is_int((long long)good, (long long)count, "worlds of %d rounds from seed %llu", ROUNDS,
	       (unsigned long long)first);
	ok(preempted > 0, "and jobs were preempted in them");
	diag("%u preempted", preempted);
	return done();
}
