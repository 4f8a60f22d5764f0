/*
 * Random worlds over several rounds. The scheduler must decide as the naive scheduler (naive.h),
 * two schedulers with the same input must return the same bytes, and the decisions must respect all
 * limits.
 *
 *	naive_worlds [FIRST-SEED [COUNT]]
 */
#include "tap/tap.h"
#include "unit/sched/naive.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 8, TWINS = 2, WORLDS = 400 };

struct world {
	struct naive n;
	struct rig rigs[TWINS];
	uint64_t random;
	int jobs;    /* the last id */
	bool limits; /* some jobs have a time limit */
};

static uint64_t draw(struct world *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static int below(struct world *w, int n)
{
	return (int)(draw(w) % (uint64_t)n);
}

static bool one_in(struct world *w, int n)
{
	return below(w, n) == 0;
}

#define EACH(w, s)                                                                                 \
	for (struct sched * s, **s##_ = (struct sched *[]){(w)->rigs[0].s, (w)->rigs[1].s, NULL};  \
	     (s = *s##_); s##_++)

static const char *const names[] = {"n0", "n1", "n2", "n3", "n4",  "n5",
				    "n6", "n7", "n8", "n9", "n10", "n11"};
static const char *const queues[] = {"a", "b", "c", "d"};
static const char *const racks[] = {"r0", "r1", "r2"};

static void tell_node(struct world *w, int i)
{
	const struct naive_node *n = &w->n.nodes[i];
	struct sched_label label = {"rack", n->rack >= 0 ? racks[n->rack] : ""};
	struct sched_taint taint = {"gpu", "yes", "NoSchedule"};
	struct sched_node node = {.name = names[i],
				  .labels = &label,
				  .label_count = n->rack >= 0,
				  .taints = &taint,
				  .taint_count = n->tainted,
				  .schedulable = n->up};

	memcpy(node.total, n->total, sizeof(n->total));
	EACH(w, s)
	sched_node_set(s, &node);
}

static void set_node(struct world *w, int i)
{
	struct naive_node *n = &w->n.nodes[i];
	int64_t total[] = {1000 * (1 + below(w, 8)), RIG_G * (1 + below(w, 8)), below(w, 3)};

	if (!n->present && !n->tasks)
		*n = (struct naive_node){.order = w->n.orders++};
	for (int r = 0; r < NAIVE_RESOURCES; r++) {
		n->free[r] += total[r] - n->total[r];
		n->total[r] = total[r];
	}
	n->rack = below(w, 4) - 1;
	n->tainted = one_in(w, 5);
	n->up = !one_in(w, 6);
	n->present = true;
	tell_node(w, i);
}

static void drop_node(struct world *w, int i)
{
	w->n.nodes[i].present = false;
	EACH(w, s)
	sched_node_remove(s, names[i]);
}

static void set_queue(struct world *w, int q)
{
	w->n.factor[q] = 1 + below(w, 3);
	w->n.cordoned[q] = one_in(w, 8);
	EACH(w, s)
	sched_queue_set(s, queues[q], w->n.factor[q], w->n.cordoned[q]);
}

static void make_shape(struct world *w, struct naive_shape *s)
{
	*s = (struct naive_shape){.request = {500 * (1 + below(w, 8)),
					      RIG_G / 2 * (1 + below(w, 6)), one_in(w, 4) ? 1 : 0},
				  .class = one_in(w, w->n.urgency ? 1 : 3) ? below(w, 3) : 1,
				  .members = one_in(w, 3) ? 1 + below(w, NAIVE_MEMBERS) : 1,
				  .rack = one_in(w, 5) ? below(w, 3) : -1,
				  .include = one_in(w, 10) ? below(w, NAIVE_NODES) : -1,
				  .exclude = one_in(w, 6) ? below(w, NAIVE_NODES) : -1,
				  .exclusive = one_in(w, 8),
				  .tolerates = one_in(w, 3)};
	s->distinct = s->members > 1 && one_in(w, 2);
	s->uniform = s->members > 1 && one_in(w, 3);
}

static void tell_wait(struct world *w, int job, int element)
{
	w->n.jobs[job].state[element] = NAIVE_WAITS;
	EACH(w, s)
	sched_wait(s, (uint64_t)job + 1, (uint32_t)element, (uint32_t)element, 1);
}

static void tell_job(struct world *w, int job)
{
	static const char *const classes[] = {"low", "mid", "high"};
	const struct naive_job *j = &w->n.jobs[job];
	const struct naive_shape *f = &w->n.shapes[j->shape];
	struct sched_selector selector = {"rack", f->rack >= 0 ? racks[f->rack] : "", false, false};
	struct sched_toleration toleration = {"gpu", "Exists", ""};
	const char *include = f->include >= 0 ? names[f->include] : "";
	const char *exclude = f->exclude >= 0 ? names[f->exclude] : "";
	struct sched_job job_in = {.id = (uint64_t)job + 1,
				   .queue = queues[j->queue],
				   .class_name = classes[f->class],
				   .priority = j->priority,
				   .submit_us = j->submit,
				   .time_limit_us = j->limit,
				   .members = (uint32_t)f->members,
				   .min_members = (uint32_t)f->members,
				   .distinct = f->distinct,
				   .exclusive = f->exclusive,
				   .selectors = &selector,
				   .selector_count = f->rack >= 0,
				   .tolerations = &toleration,
				   .toleration_count = f->tolerates,
				   .include = &include,
				   .include_count = f->include >= 0,
				   .exclude = &exclude,
				   .exclude_count = f->exclude >= 0,
				   .uniformity = f->uniform ? "rack" : NULL,
				   .throttle = (uint32_t)j->throttle};

	memcpy(job_in.request, f->request, sizeof(f->request));
	EACH(w, s)
	sched_job_add(s, &job_in);
}

static void submit(struct world *w)
{
	struct naive_job *j = &w->n.jobs[w->jobs];
	int elements = one_in(w, 3) ? 1 + below(w, NAIVE_ELEMENTS) : 1;

	if (w->jobs == NAIVE_JOBS)
		return;
	*j = (struct naive_job){.present = true,
				.queue = below(w, NAIVE_QUEUES),
				.shape = below(w, NAIVE_SHAPES),
				.throttle = one_in(w, 3) ? 1 + below(w, 3) : 0,
				.priority = below(w, 3) - 1,
				.submit = below(w, 5),
				.limit = w->limits && !one_in(w, 4) ? 1 + below(w, 9) : 0};
	tell_job(w, w->jobs);
	for (int e = 0; e < elements; e++)
		if (!one_in(w, 5))
			tell_wait(w, w->jobs, e);
	w->jobs++;
}

static void hold(struct world *w, int job)
{
	w->n.jobs[job].held = !w->n.jobs[job].held;
	EACH(w, s)
	sched_job_hold(s, (uint64_t)job + 1, w->n.jobs[job].held);
}

static void end(struct world *w, int job, int element)
{
	naive_end(&w->n, job, element);
	EACH(w, s)
	sched_end(s, (uint64_t)job + 1, (uint32_t)element);
	if (one_in(w, 3))
		tell_wait(w, job, element);
}

static void cancel(struct world *w, int job)
{
	struct naive_job *j = &w->n.jobs[job];
	uint32_t first = (uint32_t)below(w, 2);
	bool empty = true;

	EACH(w, s)
	sched_unwait(s, (uint64_t)job + 1, first, 9);
	for (int e = 0; e < NAIVE_ELEMENTS; e++) {
		if (j->state[e] == NAIVE_WAITS && e >= (int)first)
			j->state[e] = NAIVE_NONE;
		empty = empty && j->state[e] != NAIVE_RUNS;
	}
	if (!empty)
		return;
	*j = (struct naive_job){0};
	EACH(w, s)
	sched_job_remove(s, (uint64_t)job + 1);
}

static void change_job(struct world *w, int job)
{
	for (int e = 0; e < NAIVE_ELEMENTS; e++)
		if (w->n.jobs[job].state[e] == NAIVE_RUNS && one_in(w, w->n.urgency ? 8 : 3))
			end(w, job, e);
	if (one_in(w, 8))
		hold(w, job);
	else if (one_in(w, 10))
		cancel(w, job);
}

static void change(struct world *w)
{
	for (int i = 0; i < NAIVE_NODES; i++)
		if (one_in(w, 12))
			set_node(w, i);
		else if (one_in(w, 30) && w->n.nodes[i].present)
			drop_node(w, i);
	for (int q = 0; q < NAIVE_QUEUES; q++)
		if (one_in(w, 10))
			set_queue(w, q);
	for (int j = 0; j < w->jobs; j++)
		if (w->n.jobs[j].present)
			change_job(w, j);
	for (int i = below(w, 16); i > 0; i--)
		submit(w);
}

/* Applies the decisions as the core does, which sometimes does not accept a start. */
static void apply(struct world *w, const struct sched_decision *d)
{
	int job = (int)d->job - 1, element = (int)d->element, nodes[NAIVE_MEMBERS];

	if (d->kind == SCHED_PREEMPT) {
		naive_end(&w->n, job, element);
		EACH(w, s)
		sched_end(s, d->job, d->element);
		tell_wait(w, job, element);
		return;
	}
	if (one_in(w, 6))
		return;
	for (size_t i = 0; i < d->node_count; i++)
		nodes[i] = atoi(d->nodes[i] + 1);
	naive_run(&w->n, job, element, nodes);
	EACH(w, s)
	sched_run(s, d->job, d->element, (const char *const *)d->nodes, w->n.now);
}

/* Whether no present node holds more than it has; a node that became smaller than its tasks may. */
static bool sound(const struct world *w, const struct sched_result *res)
{
	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];
		const struct naive_shape *f = &w->n.shapes[w->n.jobs[d->job - 1].shape];

		if (d->kind == SCHED_PREEMPT)
			continue;
		if ((int)d->node_count != f->members)
			return false;
		for (size_t a = 0; a < d->node_count; a++)
			for (size_t b = 0; f->distinct && b < a; b++)
				if (strcmp(d->nodes[a], d->nodes[b]) == 0)
					return false;
	}
	return true;
}

static bool same_reasons(const struct sched_result *a, const struct sched_result *b)
{
	if (a->reason_count != b->reason_count)
		return false;
	for (size_t i = 0; i < a->reason_count; i++)
		if (a->reasons[i].job != b->reasons[i].job ||
		    strcmp(a->reasons[i].text, b->reasons[i].text) != 0)
			return false;
	return true;
}

/* "3.0 at 7 n0 n1*2" */
static void tell_reserve(const struct naive_reserve *v, struct buf *out)
{
	if (!v->made)
		return;
	buf_addf(out, " | %d.%d at %lld", v->job + 1, v->element, (long long)v->start);
	for (int n = 0; n < NAIVE_NODES; n++)
		if (v->uses[n])
			buf_addf(out, " n%d*%d", n, v->uses[n]);
}

static char *decided(const struct sched_result *res)
{
	CLEANUP_FREE char *list = rig_decisions(res);
	struct buf b = {0};

	buf_addstr(&b, list);
	rig_tell_reservation(res->reservation, &b);
	return (char *)buf_take(&b, NULL);
}

/*
 * Checks that the jobs that are reported as held back are held back, and that the job with a
 * reported start holds the reservation.
 */
static bool right_reasons(const struct sched_result *res, const struct naive_reserve *v)
{
	for (size_t i = 0; i < res->reason_count; i++) {
		const struct sched_reason *r = &res->reasons[i];

		if (r->why == WHY_RESERVED && !v->held[r->job - 1])
			return false;
		if (r->expected_us &&
		    (!v->made || r->expected_us != v->start || r->job != (uint64_t)v->job + 1))
			return false;
	}
	return true;
}

/* The features that occurred in the worlds. */
struct seen {
	unsigned reserved, held, displaced;
};

static void count(struct seen *seen, const struct naive_reserve *v, const struct sched_result *res)
{
	seen->reserved += v->made;
	for (int j = 0; j < NAIVE_JOBS; j++)
		seen->held += v->held[j];
	for (size_t i = 0; i < res->decision_count; i++)
		seen->displaced += res->decisions[i].kind == SCHED_PREEMPT;
}

/* A round without accepted decisions changes nothing: the next round decides the same. */
static bool same_again(struct world *w, const struct sched_round *in, const char *got)
{
	bool same = true;

	for (int t = 0; t < TWINS; t++) {
		struct sched_result again;
		CLEANUP_FREE char *text = NULL;

		sched_run_round(w->rigs[t].s, in, &again);
		text = decided(&again);
		same = same && strcmp(text, got) == 0;
		sched_result_done(&again);
	}
	return same;
}

static bool play_round(struct world *w, uint64_t seed, int round, struct seen *seen)
{
	struct naive_reserve reserve;
	struct sched_round in = {.now_us = round, .seed = seed};
	struct sched_result res[TWINS];
	struct buf want = {0};
	CLEANUP_FREE char *got = NULL, *twin = NULL;
	bool good;

	for (int t = 0; t < TWINS; t++)
		sched_run_round(w->rigs[t].s, &in, &res[t]);
	w->n.now = round;
	naive_round(&w->n, &want, &reserve);
	tell_reserve(&reserve, &want);
	count(seen, &reserve, &res[0]);
	got = decided(&res[0]);
	twin = decided(&res[1]);
	good = strcmp(got, (char *)want.data) == 0 && strcmp(got, twin) == 0 &&
	       same_reasons(&res[0], &res[1]) && sound(w, &res[0]) && !res[0].fault &&
	       right_reasons(&res[0], &reserve) && same_again(w, &in, got);
	if (!good)
		diag("seed %llu round %d\ngot  %s\nwant %s\ntwin %s", (unsigned long long)seed,
		     round, got, (char *)want.data, twin);
	for (size_t i = 0; i < res[0].decision_count; i++)
		apply(w, &res[0].decisions[i]);
	for (int t = 0; t < TWINS; t++)
		sched_result_done(&res[t]);
	buf_done(&want);
	return good;
}

/* Worlds have time limits or urgency, because the naive scheduler plans no reservation with urgency. */
static void open_rigs(struct world *w)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
						     {"mid", 1000, true, true, {0}, false},
						     {"high", 2000, false, false, {0}, false}};
	struct rig_policy policy = {.preempt = w->n.urgency ? "urgency" : "none",
				    .classes = classes,
				    .class_count = ARRAY_SIZE(classes)};

	for (int t = 0; t < TWINS; t++)
		rig_init_policy(&w->rigs[t], &policy);
}

static bool play(uint64_t seed, struct seen *seen)
{
	struct world *w = xcalloc(1, sizeof(*w));
	bool good = true;

	w->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	w->limits = !one_in(w, 3);
	w->n.urgency = !w->limits && !one_in(w, 4);
	open_rigs(w);
	for (int i = 0; i < NAIVE_SHAPES; i++)
		make_shape(w, &w->n.shapes[i]);
	for (int i = 0; i < NAIVE_NODES; i++)
		if (!one_in(w, 4))
			set_node(w, i);
	for (int q = 0; q < NAIVE_QUEUES; q++)
		set_queue(w, q);
	for (int r = 0; r < ROUNDS && good; r++) {
		change(w);
		good = play_round(w, seed, r, seen);
	}
	for (int t = 0; t < TWINS; t++)
		rig_done(&w->rigs[t]);
	free(w);
	return good;
}

int main(int argc, char **argv)
{
	struct seen seen = {0};
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : WORLDS, good = 0;

	for (uint64_t seed = first; seed < first + count; seed++)
		good += play(seed, &seen);
	is_int((long long)good, (long long)count, "worlds of %d rounds from seed %llu", ROUNDS,
	       (unsigned long long)first);
	ok(seen.reserved && seen.held, "gangs held reservations, and jobs were held back");
	ok(seen.displaced, "jobs were preempted");
	diag("%u reservations, %u held back, %u preempted", seen.reserved, seen.held,
	     seen.displaced);
	return done();
}
