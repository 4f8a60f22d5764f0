/*
 * A simple implementation of a round with order/slices, job by job and node by node. The decisions
 * of the first stage must be equal. Of the second stage, which draws queues at random, each start
 * must be the first job of its queue that fits, on the right node, and at the end no job may be
 * left that fits.
 */
#include "unit/sched/slices_plain.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/buf.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 5, QUEUES = 4, SHAPES = 6, JOBS = 40, MEMBERS = 3 };

struct shape {
	int class;
	int64_t request[RIG_RESOURCES];
	int members;
};

struct job {
	int queue, shape;
	int64_t priority, submit;
	bool started, seen; /* within the look-back of this round */
};

struct world {
	uint64_t random, seed;
	struct rig rig;
	int64_t total[NODES][RIG_RESOURCES], free[NODES][RIG_RESOURCES];
	bool up[NODES], cordoned[QUEUES];
	double factor[QUEUES];
	struct shape shapes[SHAPES];
	struct job jobs[JOBS];
	int batch, look;
	bool only; /* probabilistic */
	/* the first stage */
	double slice[QUEUES][RIG_RESOURCES], had[QUEUES][RIG_RESOURCES];
	int tries[QUEUES], head[QUEUES];
	bool passed[QUEUES][SHAPES], left[QUEUES], blocked[SHAPES];
	struct buf told;
};

static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
					     {"mid", 1000, true, true, {0}, false},
					     {"high", 2000, false, false, {0}, false}};

static int draw(struct world *w, int n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (int)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) % (uint64_t)n);
}

static void tell_nodes(struct world *w)
{
	for (int n = 0; n < NODES; n++) {
		char name[16];
		struct sched_node node = {.name = name, .schedulable = true};

		snprintf(name, sizeof(name), "n%d", n);
		w->total[n][RIG_CPU] = 1000 * (2 + draw(w, 9));
		w->total[n][RIG_MEMORY] = RIG_G * (2 + draw(w, 9));
		w->total[n][RIG_GPU] = draw(w, 3);
		w->up[n] = true;
		memcpy(node.total, w->total[n], sizeof(w->total[n]));
		memcpy(w->free[n], w->total[n], sizeof(w->total[n]));
		sched_node_set(w->rig.s, &node);
	}
}

static void tell_queue(struct world *w, int q)
{
	char name[2] = {(char)('a' + q), 0};

	sched_queue_set(w->rig.s, name, w->factor[q], w->cordoned[q]);
}

static void tell_job(struct world *w, int i)
{
	struct job *j = &w->jobs[i];
	const struct shape *s = &w->shapes[j->shape];
	char name[2] = {(char)('a' + j->queue), 0};
	struct sched_job in = {.id = (uint64_t)i + 1,
			       .queue = name,
			       .class_name = classes[s->class].name,
			       .priority = j->priority,
			       .submit_us = j->submit,
			       .members = (uint32_t)s->members,
			       .min_members = (uint32_t)s->members};

	memcpy(in.request, s->request, sizeof(s->request));
	sched_job_add(w->rig.s, &in);
	sched_wait(w->rig.s, in.id, 0, 0, 1);
}

static void submit(struct world *w, int first, int end)
{
	for (int i = first; i < end; i++) {
		w->jobs[i] = (struct job){.queue = draw(w, QUEUES),
					  .shape = draw(w, SHAPES),
					  .priority = draw(w, 3),
					  .submit = draw(w, 4)};
		tell_job(w, i);
	}
}

static void open_world(struct world *w, uint64_t seed)
{
	struct rig_policy policy = {.order = "slices",
				    .options = {{"backfill", 0, NULL, 0},
						{"batch_size", 200, NULL, 0},
						{"probabilistic_only", 0, NULL, 0}},
				    .option_count = 3,
				    .classes = classes,
				    .class_count = ARRAY_SIZE(classes)};

	*w = (struct world){.seed = seed, .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
	for (int i = 0; i < 9; i++)
		draw(w, 2);
	w->batch = draw(w, 3) ? 200 : 1 + draw(w, 4);
	w->only = !draw(w, 6);
	w->look = draw(w, 3) ? 0 : 1 + draw(w, 9);
	policy.limits.queue_lookback = (uint64_t)w->look;
	policy.options[1].number = w->batch;
	policy.options[2].number = w->only;
	rig_init_policy(&w->rig, &policy);
	tell_nodes(w);
	for (int q = 0; q < QUEUES; q++) {
		w->factor[q] = 1 + draw(w, 8) / 2.0;
		tell_queue(w, q);
	}
	for (int s = 0; s < SHAPES; s++)
		w->shapes[s] = (struct shape){draw(w, 3),
					      {draw(w, 4) ? 1000 * (1 + draw(w, 4)) : 500,
					       RIG_G * draw(w, 4), !draw(w, 4)},
					      draw(w, 3) ? 1 : 1 + draw(w, MEMBERS)};
}

static void write_start(struct buf *b, int job, const int *nodes, int count)
{
	buf_addf(b, "%s%d.0", b->len ? " " : "", job + 1);
	for (int i = 0; i < count; i++)
		buf_addf(b, "%cn%d", i ? ',' : '@', nodes[i]);
}

static int best_node(const struct world *w, int64_t free[][RIG_RESOURCES], const struct shape *s)
{
	int best = -1;

	for (int n = 0; n < NODES; n++) {
		bool fits = w->up[n];
		int c = -1;

		for (int r = 0; r < RIG_RESOURCES; r++)
			fits = fits && free[n][r] >= s->request[r];
		for (int r = 0; best >= 0 && c == -1 && r < RIG_RESOURCES; r++)
			if (free[n][r] != free[best][r])
				c = free[n][r] > free[best][r];
		/* equal nodes: in the order of their declaration */
		if (fits && (best < 0 || c == 0))
			best = n;
	}
	return best;
}

/*
 * Finds a node for each member of the unit; false if a member finds none. take: the resources are
 * taken.
 */
static bool place(struct world *w, const struct shape *s, bool take, int *ret_nodes)
{
	int64_t free[NODES][RIG_RESOURCES];

	memcpy(free, w->free, sizeof(free));
	for (int m = 0; m < s->members; m++) {
		int n = best_node(w, free, s);

		if (n < 0)
			return false;
		for (int r = 0; r < RIG_RESOURCES; r++)
			free[n][r] -= s->request[r];
		ret_nodes[m] = n;
	}
	if (take)
		memcpy(w->free, free, sizeof(free));
	return true;
}

static bool first_in_queue(const struct world *w, int a, int b)
{
	const struct job *x = &w->jobs[a], *y = &w->jobs[b];
	int p = w->shapes[x->shape].class, q = w->shapes[y->shape].class;

	if (p != q)
		return p > q;
	if (x->priority != y->priority)
		return x->priority < y->priority;
	return x->submit != y->submit ? x->submit < y->submit : a < b;
}

/* The queue's next job in the first stage, or -1. */
static int next_of(const struct world *w, int q)
{
	int best = -1;

	for (int i = 0; i < JOBS && !w->left[q] && !w->cordoned[q]; i++) {
		const struct job *j = &w->jobs[i];

		if (!j->seen || j->started || j->queue != q || w->passed[q][j->shape] ||
		    w->blocked[j->shape])
			continue;
		if (best < 0 || first_in_queue(w, i, best))
			best = i;
	}
	return best;
}

/* Divides an amount among queues by weight; no queue gets more than its demand (water-filling). */
static void pour(struct world *w, int r, double amount, const double *asks)
{
	double low = 0, high = 1e18;

	for (int i = 0; i < 200; i++) {
		double level = (low + high) / 2, sum = 0;

		for (int q = 0; q < QUEUES; q++)
			sum += fmin(level / w->factor[q], asks[q]);
		*(sum < amount ? &low : &high) = level;
	}
	for (int q = 0; q < QUEUES; q++) {
		w->slice[q][r] = fmin(high / w->factor[q], asks[q]);
		w->had[q][r] = 0;
	}
}

static void cut_slices(struct world *w)
{
	for (int r = 0; r < RIG_RESOURCES; r++) {
		double all = 0, asks[QUEUES] = {0};

		for (int i = 0; i < JOBS; i++)
			if (!w->jobs[i].started && !w->cordoned[w->jobs[i].queue])
				asks[w->jobs[i].queue] +=
					(double)w->shapes[w->jobs[i].shape].request[r] *
					w->shapes[w->jobs[i].shape].members;
		for (int n = 0; n < NODES; n++)
			all += w->up[n] ? (double)w->free[n][r] : 0;
		pour(w, r, all, asks);
	}
}

/*
 * The largest part of any resource of its slice that the queue has with the job; above 1: too
 * large.
 */
static double fills(const struct world *w, int q, const struct shape *s)
{
	double most = 0;

	for (int r = 0; r < RIG_RESOURCES; r++) {
		double with = w->had[q][r] + (double)s->request[r] * s->members;

		if (with > w->slice[q][r] * (1 + 1e-9) + 1e-6)
			return 2;
		if (with > 0 && with / w->slice[q][r] > most)
			most = with / w->slice[q][r];
	}
	return most;
}

/* The next queue: by class, then by the smallest part of its slice, then by name. */
static int choose(const struct world *w)
{
	double best_filled = 0;
	int best = -1;

	for (int q = 0; q < QUEUES; q++) {
		int i = w->head[q], shape;
		double filled;

		if (i < 0)
			continue;
		shape = w->jobs[i].shape;
		filled = fills(w, q, &w->shapes[shape]);
		filled = filled < 2 ? filled : 0;
		if (best >= 0) {
			int mine = w->shapes[shape].class;
			int his = w->shapes[w->jobs[best].shape].class;

			if (mine < his || (mine == his && filled > best_filled - 1e-9))
				continue;
		}
		best = i;
		best_filled = filled;
	}
	return best;
}

/* The job may have been found not to fit since it was at the head of its queue. */
static void try_one(struct world *w, int i)
{
	struct job *j = &w->jobs[i];
	const struct shape *s = &w->shapes[j->shape];
	int nodes[MEMBERS], q = j->queue;
	bool within = fills(w, q, s) < 2;

	if (w->blocked[j->shape])
		return;
	if (w->tries[q]++ == w->batch) {
		w->left[q] = true;
		return;
	}
	if (!place(w, s, within, nodes)) {
		w->blocked[j->shape] = true;
		return;
	}
	if (!within) {
		w->passed[q][j->shape] = true;
		return;
	}
	j->started = true;
	for (int r = 0; r < RIG_RESOURCES; r++)
		w->had[q][r] += (double)s->request[r] * s->members;
	write_start(&w->told, i, nodes, s->members);
}

/* Whether two jobs are equal for the scheduler. */
static void unite_shapes(struct world *w)
{
	for (int i = 0; i < JOBS; i++)
		for (int s = 0; s < w->jobs[i].shape; s++)
			if (memcmp(&w->shapes[s], &w->shapes[w->jobs[i].shape],
				   sizeof(w->shapes[s])) == 0)
				w->jobs[i].shape = s;
}

/* Up to the first that would exceed the look-back, but always the first of the queue. */
static void look(struct world *w, int q)
{
	int members = 0;

	for (;;) {
		int best = -1;

		for (int i = 0; i < JOBS; i++)
			if (!w->jobs[i].started && !w->jobs[i].seen && w->jobs[i].queue == q &&
			    (best < 0 || first_in_queue(w, i, best)))
				best = i;
		if (best < 0)
			return;
		members += w->shapes[w->jobs[best].shape].members;
		if (w->look && members > w->look &&
		    members > w->shapes[w->jobs[best].shape].members)
			return;
		w->jobs[best].seen = true;
	}
}

static void first_stage(struct world *w)
{
	int i;

	for (i = 0; i < JOBS; i++)
		w->jobs[i].seen = false;
	for (int q = 0; q < QUEUES; q++)
		look(w, q);

	memset(w->tries, 0, sizeof(w->tries));
	memset(w->left, 0, sizeof(w->left));
	memset(w->passed, 0, sizeof(w->passed));
	memset(w->blocked, 0, sizeof(w->blocked));
	buf_done(&w->told);
	w->told = (struct buf){0};
	buf_addstr(&w->told, "");
	cut_slices(w);
	for (int q = 0; q < QUEUES; q++)
		w->head[q] = next_of(w, q);
	while (!w->only && (i = choose(w)) >= 0) {
		try_one(w, i);
		w->head[w->jobs[i].queue] = next_of(w, w->jobs[i].queue);
	}
}

/* The first job of the queue that has room; -1: none has. */
static int first_that_fits(struct world *w, int q)
{
	int best = -1, nodes[MEMBERS];

	for (int i = 0; i < JOBS && !w->cordoned[q]; i++)
		if (w->jobs[i].queue == q && w->jobs[i].seen && !w->jobs[i].started &&
		    (best < 0 || first_in_queue(w, i, best)) &&
		    place(w, &w->shapes[w->jobs[i].shape], false, nodes))
			best = i;
	return best;
}

/* Checks the remaining starts one by one, until no job fits. */
static const char *second_stage(struct world *w, const struct sched_result *res, size_t from)
{
	for (size_t d = from; d < res->decision_count; d++) {
		int i = (int)res->decisions[d].job - 1, nodes[MEMBERS];

		if (first_that_fits(w, w->jobs[i].queue) != i)
			return "a start of the second stage is not the first job of its queue that fits";
		place(w, &w->shapes[w->jobs[i].shape], true, nodes);
		w->jobs[i].started = true;
		write_start(&w->told, i, nodes, w->shapes[w->jobs[i].shape].members);
	}
	for (int q = 0; q < QUEUES; q++)
		if (first_that_fits(w, q) >= 0)
			return "a job that fits was not started";
	return NULL;
}

static const char *play_round(struct world *w, int round)
{
	struct sched_round in = {.now_us = round + 1, .seed = w->seed + (uint64_t)round};
	CLEANUP_FREE char *got = NULL;
	struct sched_result res;
	const char *fault = NULL;
	size_t starts = 0;

	first_stage(w);
	for (size_t i = 0; i < w->told.len; i++)
		starts += w->told.data[i] == '@';
	sched_run_round(w->rig.s, &in, &res);
	got = rig_decisions(&res);
	if (strncmp(got, (char *)w->told.data, w->told.len) != 0)
		fault = "the starts of the first stage differ";
	if (!fault)
		fault = second_stage(w, &res, starts);
	buf_addc(&w->told, 0);
	if (!fault && strcmp(got, (char *)w->told.data) != 0)
		fault = "the nodes differ";
	if (fault)
		diag("seed %llu round %d: %s\n# got  %s\n# want %s", (unsigned long long)w->seed,
		     round, fault, got, (char *)w->told.data);
	for (size_t d = 0; d < res.decision_count; d++)
		rig_accept(w->rig.s, &res.decisions[d]);
	sched_result_done(&res);
	return fault;
}

/* Sets some nodes down and cordons some queues; their jobs run on. */
static void change(struct world *w)
{
	int n = draw(w, NODES), q = draw(w, QUEUES);
	char name[16];
	struct sched_node node = {.name = name};

	snprintf(name, sizeof(name), "n%d", n);
	memcpy(node.total, w->total[n], sizeof(w->total[n]));
	w->up[n] = !draw(w, 3);
	node.schedulable = w->up[n];
	sched_node_set(w->rig.s, &node);
	w->cordoned[q] = !draw(w, 3);
	tell_queue(w, q);
}

void slices_plain_worlds(uint64_t count)
{
	const char *fault = NULL;
	uint64_t seed = 0, bad = 0;

	for (seed = 1; seed <= count && !(fault && getenv("ARMADA_STOP")); seed++) {
		struct world *w = xcalloc(1, sizeof(*w));
		int half;

		open_world(w, seed);
		half = JOBS / 2 + draw(w, JOBS / 2);
		for (int i = 0; i < JOBS; i++)
			w->jobs[i].started = true;
		submit(w, 0, half);
		unite_shapes(w);
		fault = play_round(w, 0);
		if (!fault) {
			change(w);
			submit(w, half, JOBS);
			unite_shapes(w);
			fault = play_round(w, 1);
		}
		bad += fault != NULL;
		buf_done(&w->told);
		rig_done(&w->rig);
		free(w);
	}
	is_int((long long)bad, 0,
	       "%llu worlds: the first stage follows the rules, and the second leaves no job that fits",
	       (unsigned long long)seed - 1);
}
