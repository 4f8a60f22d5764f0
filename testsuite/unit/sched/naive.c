/*
 * The simple scheduler of naive.h: it tries every job on every node. It shares no code with
 * src/sched. Input is a world, output the decisions as text. naive_displace.c finds room for a
 * member that has none.
 */
#include "unit/sched/naive.h"

static int64_t class_priority(const struct naive *w, int job)
{
	return w->shapes[w->jobs[job].shape].class;
}

static bool runs_here(const struct naive_shape *s, const struct naive_node *n, int node)
{
	if (!n->present || !n->up || n->exclusive || (n->tainted && !s->tolerates))
		return false;
	if (s->exclusive && n->tasks)
		return false;
	if ((s->rack >= 0 && n->rack != s->rack) || (s->include >= 0 && node != s->include))
		return false;
	if (s->exclude == node)
		return false;
	for (int r = 0; r < NAIVE_RESOURCES; r++)
		if (n->free[r] < s->request[r])
			return false;
	return true;
}

bool naive_better(const struct naive_node *a, const struct naive_node *b)
{
	for (int r = 0; r < NAIVE_RESOURCES; r++)
		if (a->free[r] != b->free[r])
			return a->free[r] < b->free[r];
	return a->order < b->order;
}

/* Whether the node has room for a member beside its reservations. */
static bool leaves(const struct naive_reserve *v, const struct naive_shape *s, int node)
{
	if (!v->made || !v->uses[node])
		return true;
	if (v->whole || s->exclusive)
		return false;
	for (int r = 0; r < NAIVE_RESOURCES; r++)
		if (v->spare[node][r] < s->request[r])
			return false;
	return true;
}

static void take(struct naive_reserve *v, const struct naive_shape *s, int node)
{
	for (int r = 0; r < NAIVE_RESOURCES; r++)
		v->spare[node][r] -= s->request[r];
}

bool naive_fits(const struct naive *w, int job, int rack, const struct naive_trial *t, int node)
{
	const struct naive_shape *s = &w->shapes[w->jobs[job].shape];

	for (int m = 0; s->distinct && m < t->members; m++)
		if (t->nodes[m] == node)
			return false;
	return (rack < 0 || w->nodes[node].rack == rack) && runs_here(s, &w->nodes[node], node);
}

static int free_node(const struct naive_reserve *left, int job, int rack, struct naive_trial *t)
{
	const struct naive *w = &t->after;
	const struct naive_shape *s = &w->shapes[w->jobs[job].shape];
	int best = -1;

	for (int n = 0; n < NAIVE_NODES; n++)
		if (naive_fits(w, job, rack, t, n) && leaves(left, s, n) &&
		    (best < 0 || naive_better(&w->nodes[n], &w->nodes[best])))
			best = n;
	return best;
}

/* Finds nodes for all members, on this rack (-1: any); false if a member finds none. */
static bool find_nodes(const struct naive *world, int job, int rack,
		       const struct naive_reserve *spare, struct naive_trial *t)
{
	const struct naive_shape *s = &world->shapes[world->jobs[job].shape];
	struct naive_reserve left = spare ? *spare : (struct naive_reserve){0};

	*t = (struct naive_trial){.after = *world, .rank = -1};
	while (t->members < s->members) {
		int node = free_node(&left, job, rack, t);

		if (node < 0 && world->urgency && !s->exclusive)
			node = naive_displace(world, job, rack, t);
		if (node < 0)
			return false;
		t->nodes[t->members++] = node;
		t->after.nodes[node].tasks++;
		t->after.nodes[node].exclusive += s->exclusive;
		for (int r = 0; r < NAIVE_RESOURCES; r++)
			t->after.nodes[node].free[r] -= s->request[r];
		take(&left, s, node);
	}
	return true;
}

static bool is_gentler(const struct naive_trial *a, const struct naive_trial *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->tasks < b->tasks;
}

static bool place(const struct naive *w, int job, const struct naive_reserve *spare,
		  struct naive_trial *ret)
{
	struct naive_trial t;
	bool any = false;

	if (!w->shapes[w->jobs[job].shape].uniform)
		return find_nodes(w, job, -1, spare, ret);
	for (int rack = 0; rack < 3; rack++) {
		if (!find_nodes(w, job, rack, spare, &t) || (any && !is_gentler(&t, ret)))
			continue;
		*ret = t;
		any = true;
	}
	return any;
}

void naive_use(struct naive *w, int job, int element, int sign)
{
	const struct naive_shape *s = &w->shapes[w->jobs[job].shape];

	for (int m = 0; m < s->members; m++) {
		struct naive_node *n = &w->nodes[w->jobs[job].nodes[element][m]];

		n->tasks += sign;
		n->exclusive += s->exclusive ? sign : 0;
		for (int r = 0; r < NAIVE_RESOURCES; r++)
			n->free[r] -= sign * s->request[r];
	}
}

void naive_run(struct naive *w, int job, int element, const int *nodes)
{
	for (int m = 0; m < w->shapes[w->jobs[job].shape].members; m++)
		w->jobs[job].nodes[element][m] = nodes[m];
	w->jobs[job].state[element] = NAIVE_RUNS;
	w->jobs[job].start[element] = w->now;
	naive_use(w, job, element, 1);
}

void naive_end(struct naive *w, int job, int element)
{
	naive_use(w, job, element, -1);
	w->jobs[job].state[element] = NAIVE_NONE;
}

static int running(const struct naive_job *j)
{
	int n = 0;

	for (int e = 0; e < NAIVE_ELEMENTS; e++)
		n += j->state[e] == NAIVE_RUNS;
	return n;
}

/* An element that was displaced in this round leaves no place for another one of its array. */
static int begun(const struct naive_job *j)
{
	int n = 0;

	for (int e = 0; e < NAIVE_ELEMENTS; e++)
		n += j->state[e] == NAIVE_RUNS || j->state[e] == NAIVE_LOST;
	return n;
}

static int next_element(const struct naive_job *j)
{
	if (!j->present || j->held || (j->throttle && begun(j) >= j->throttle))
		return -1;
	for (int e = 0; e < NAIVE_ELEMENTS; e++)
		if (j->state[e] == NAIVE_WAITS)
			return e;
	return -1;
}

static bool job_first(const struct naive *w, int a, int b)
{
	const struct naive_job *x = &w->jobs[a], *y = &w->jobs[b];

	if (class_priority(w, a) != class_priority(w, b))
		return class_priority(w, a) > class_priority(w, b);
	if (x->priority != y->priority)
		return x->priority < y->priority;
	if (x->submit != y->submit)
		return x->submit < y->submit;
	return a < b;
}

/* A shape that did not fit is not tried again, because all jobs of one shape fit or do not fit. */
static bool same_shape(const struct naive_shape *a, const struct naive_shape *b)
{
	for (int r = 0; r < NAIVE_RESOURCES; r++)
		if (a->request[r] != b->request[r])
			return false;
	return a->class == b->class && a->members == b->members && a->rack == b->rack &&
	       a->include == b->include && a->exclude == b->exclude && a->distinct == b->distinct &&
	       a->exclusive == b->exclusive && a->tolerates == b->tolerates &&
	       a->uniform == b->uniform;
}

static void fail(const struct naive *w, int job, bool *failed)
{
	for (int j = 0; j < NAIVE_JOBS; j++)
		if (same_shape(&w->shapes[w->jobs[j].shape], &w->shapes[w->jobs[job].shape]))
			failed[j] = true;
}

static int next_job(const struct naive *w, int queue, const bool *failed, const bool *held)
{
	int best = -1;

	for (int j = 0; j < NAIVE_JOBS; j++)
		if (w->jobs[j].queue == queue && !failed[j] && !held[j] &&
		    next_element(&w->jobs[j]) >= 0 && (best < 0 || job_first(w, j, best)))
			best = j;
	return w->cordoned[queue] ? -1 : best;
}

double naive_cost(const struct naive *w, int queue, const double *amounts)
{
	double weight = 1 / w->factor[queue], cost = 0;

	for (int r = 0; r < NAIVE_RESOURCES; r++) {
		double total = 0;

		for (int n = 0; n < NAIVE_NODES; n++)
			if (w->nodes[n].present && w->nodes[n].counts)
				total += (double)w->nodes[n].total[r];
		if (total > 0 && amounts[r] / total > cost)
			cost = amounts[r] / total;
	}
	return cost / weight;
}

static double cost_with(const struct naive *w, int job)
{
	double used[NAIVE_RESOURCES] = {0};

	for (int j = 0; j < NAIVE_JOBS; j++) {
		const struct naive_shape *s = &w->shapes[w->jobs[j].shape];

		for (int r = 0; w->jobs[j].queue == w->jobs[job].queue && r < NAIVE_RESOURCES; r++)
			used[r] += (double)(s->request[r] * s->members *
					    (running(&w->jobs[j]) + (j == job)));
	}
	return naive_cost(w, w->jobs[job].queue, used);
}

/* The queue whose first job is served next, or -1. */
static int next_queue(const struct naive *w, const int *heads)
{
	int best = -1;
	double least = 0;

	for (int q = 0; q < NAIVE_QUEUES; q++) {
		int job = heads[q];
		double cost;

		if (job < 0)
			continue;
		cost = cost_with(w, job);
		if (best < 0 || class_priority(w, job) > class_priority(w, heads[best]) ||
		    (class_priority(w, job) == class_priority(w, heads[best]) && cost < least)) {
			best = q;
			least = cost;
		}
	}
	return best;
}

/* The world after all jobs whose time limit ends up to this time have ended. */
static void pass_time(struct naive *w, int64_t until)
{
	for (int j = 0; j < NAIVE_JOBS; j++)
		for (int e = 0; e < NAIVE_ELEMENTS; e++)
			if (w->jobs[j].state[e] == NAIVE_RUNS && w->jobs[j].limit &&
			    w->jobs[j].start[e] + w->jobs[j].limit <= until)
				naive_end(w, j, e);
}

/* The next end of a time limit after this time; false if there is none. */
static bool next_end(const struct naive *w, int64_t *end)
{
	int64_t after = *end;
	bool any = false;

	for (int j = 0; j < NAIVE_JOBS; j++) {
		for (int e = 0; e < NAIVE_ELEMENTS; e++) {
			int64_t at = w->jobs[j].start[e] + w->jobs[j].limit;

			if (w->jobs[j].state[e] != NAIVE_RUNS || !w->jobs[j].limit || at <= after ||
			    (any && at >= *end))
				continue;
			*end = at;
			any = true;
		}
	}
	return any;
}

/* Computes when a job that does not fit now could start. */
static void reserve(const struct naive *w, int job, struct naive_reserve *v)
{
	const struct naive_shape *s = &w->shapes[w->jobs[job].shape];
	struct naive_trial t;
	int64_t end = -1;

	if (v->made || v->asked == NAIVE_ASKED)
		return;
	v->asked++;
	while (!v->made && next_end(w, &end)) {
		struct naive then = *w;

		pass_time(&then, end);
		v->made = place(&then, job, NULL, &t);
		for (int n = 0; n < NAIVE_NODES; n++)
			for (int r = 0; r < NAIVE_RESOURCES; r++)
				v->spare[n][r] = then.nodes[n].free[r];
	}
	if (!v->made)
		return;
	v->job = job;
	v->element = next_element(&w->jobs[job]);
	v->whole = s->exclusive;
	v->start = end > w->now ? end : w->now;
	for (int m = 0; m < s->members; m++) {
		v->uses[t.nodes[m]]++;
		take(v, s, t.nodes[m]);
	}
}

static bool outlasts(const struct naive *w, int job, const struct naive_reserve *v)
{
	return v->made && (!w->jobs[job].limit || w->now + w->jobs[job].limit > v->start);
}

static void hold(const struct naive *w, int job, struct naive_reserve *v)
{
	for (int j = 0; j < NAIVE_JOBS; j++)
		if (same_shape(&w->shapes[w->jobs[j].shape], &w->shapes[w->jobs[job].shape]) &&
		    outlasts(w, j, v))
			v->held[j] = true;
}

/* What the round did. */
struct deeds {
	struct naive_unit started[NAIVE_UNITS], lost[NAIVE_UNITS];
	int started_count, lost_count;
};

static void start(struct naive *w, int job, const struct naive_trial *t, struct naive_reserve *v,
		  struct deeds *d)
{
	const struct naive_shape *s = &w->shapes[w->jobs[job].shape];
	struct naive_unit unit = {job, next_element(&w->jobs[job])};

	for (int i = 0; i < t->lost_count; i++) {
		naive_end(w, t->lost[i].job, t->lost[i].element);
		w->jobs[t->lost[i].job].state[t->lost[i].element] = NAIVE_LOST;
		d->lost[d->lost_count++] = t->lost[i];
	}
	for (int m = 0; outlasts(w, job, v) && m < s->members; m++)
		take(v, s, t->nodes[m]);
	naive_run(w, job, unit.element, t->nodes);
	d->started[d->started_count++] = unit;
}

static void serve(struct naive *w, int job, bool *failed, struct naive_reserve *v, struct deeds *d)
{
	struct naive_trial t;

	if (failed[job] || v->held[job])
		return;
	if (place(w, job, outlasts(w, job, v) ? v : NULL, &t)) {
		start(w, job, &t, v, d);
	} else if (place(w, job, NULL, &t)) {
		hold(w, job, v);
	} else {
		reserve(w, job, v);
		fail(w, job, failed);
	}
}

/* Units that ran when the round began and were displaced, then units that start. */
static void tell(const struct naive *world, const struct naive *w, const struct deeds *d,
		 struct buf *out)
{
	buf_addstr(out, "");
	for (int i = 0; i < d->lost_count; i++) {
		struct naive_unit u = d->lost[i];

		if (world->jobs[u.job].state[u.element] == NAIVE_RUNS)
			buf_addf(out, "%s-%d.%d", out->len ? " " : "", u.job + 1, u.element);
	}
	for (int i = 0; i < d->started_count; i++) {
		const struct naive_job *j = &w->jobs[d->started[i].job];
		int e = d->started[i].element;

		if (j->state[e] != NAIVE_RUNS)
			continue;
		buf_addf(out, "%s%d.%d", out->len ? " " : "", d->started[i].job + 1, e);
		for (int m = 0; m < w->shapes[j->shape].members; m++)
			buf_addf(out, "%cn%d", m ? ',' : '@', j->nodes[e][m]);
	}
}

/* Which nodes count in the total, and which have less than their gangs use. */
static void mark_nodes(struct naive *w)
{
	for (int i = 0; i < NAIVE_NODES; i++) {
		struct naive_node *n = &w->nodes[i];

		n->counts = n->up || n->tasks;
		n->over = false;
		for (int r = 0; r < NAIVE_RESOURCES; r++)
			n->over = n->over || n->free[r] < 0;
	}
}

void naive_round(const struct naive *world, struct buf *out, struct naive_reserve *ret_reserve)
{
	struct naive w = *world;
	bool failed[NAIVE_JOBS] = {false};
	struct deeds d = {.lost_count = 0};
	int heads[NAIVE_QUEUES], q;

	*ret_reserve = (struct naive_reserve){0};
	mark_nodes(&w);
	for (q = 0; q < NAIVE_QUEUES; q++)
		heads[q] = next_job(&w, q, failed, ret_reserve->held);
	while ((q = next_queue(&w, heads)) >= 0) {
		int had = d.lost_count;

		serve(&w, heads[q], failed, ret_reserve, &d);
		heads[q] = next_job(&w, q, failed, ret_reserve->held);
		for (int i = had; i < d.lost_count; i++) {
			int its = w.jobs[d.lost[i].job].queue;

			heads[its] = next_job(&w, its, failed, ret_reserve->held);
		}
	}
	tell(world, &w, &d, out);
}
