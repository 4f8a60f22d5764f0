/*
 * The simple scheduler of naive.h: it tries every job on every node. It shares no code with
 * src/sched.
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

static bool better(const struct naive_node *a, const struct naive_node *b)
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

/* Finds nodes for all members, on this rack (-1: any); false if a member finds none. */
static bool find_nodes(const struct naive *world, int shape, int rack,
		       const struct naive_reserve *spare, int *nodes)
{
	const struct naive_shape *s = &world->shapes[shape];
	struct naive w = *world;
	struct naive_reserve left = spare ? *spare : (struct naive_reserve){0};

	for (int m = 0; m < s->members; m++) {
		int best = -1;

		for (int n = 0; n < NAIVE_NODES; n++) {
			bool used = false;

			for (int i = 0; i < m; i++)
				used = used || nodes[i] == n;
			if ((s->distinct && used) || (rack >= 0 && w.nodes[n].rack != rack))
				continue;
			if (runs_here(s, &w.nodes[n], n) && leaves(&left, s, n) &&
			    (best < 0 || better(&w.nodes[n], &w.nodes[best])))
				best = n;
		}
		if (best < 0)
			return false;
		nodes[m] = best;
		w.nodes[best].tasks++;
		w.nodes[best].exclusive += s->exclusive;
		for (int r = 0; r < NAIVE_RESOURCES; r++)
			w.nodes[best].free[r] -= s->request[r];
		take(&left, s, best);
	}
	return true;
}

static bool place(const struct naive *w, int shape, const struct naive_reserve *spare, int *nodes)
{
	if (!w->shapes[shape].uniform)
		return find_nodes(w, shape, -1, spare, nodes);
	for (int rack = 0; rack < 3; rack++)
		if (find_nodes(w, shape, rack, spare, nodes))
			return true;
	return false;
}

static void use(struct naive *w, int job, int element, int sign)
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
	use(w, job, element, 1);
}

void naive_end(struct naive *w, int job, int element)
{
	use(w, job, element, -1);
	w->jobs[job].state[element] = NAIVE_NONE;
}

static int running(const struct naive_job *j)
{
	int n = 0;

	for (int e = 0; e < NAIVE_ELEMENTS; e++)
		n += j->state[e] == NAIVE_RUNS;
	return n;
}

static int next_element(const struct naive_job *j)
{
	if (!j->present || j->held || (j->throttle && running(j) >= j->throttle))
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

static void totals(const struct naive *w, double *ret_totals)
{
	for (int n = 0; n < NAIVE_NODES; n++)
		for (int r = 0; r < NAIVE_RESOURCES; r++)
			if (w->nodes[n].present && (w->nodes[n].up || w->nodes[n].tasks))
				ret_totals[r] += (double)w->nodes[n].total[r];
}

static double cost_with(const struct naive *w, int job, const double *total)
{
	int queue = w->jobs[job].queue;
	double weight = 1 / w->factor[queue], cost = 0;

	for (int r = 0; r < NAIVE_RESOURCES; r++) {
		double used = 0;

		for (int j = 0; j < NAIVE_JOBS; j++) {
			const struct naive_shape *s = &w->shapes[w->jobs[j].shape];

			if (w->jobs[j].queue == queue)
				used += (double)(s->request[r] * s->members *
						 (running(&w->jobs[j]) + (j == job)));
		}
		if (total[r] > 0 && used / total[r] > cost)
			cost = used / total[r];
	}
	return cost / weight;
}

/* The queue whose first job is served next, or -1. */
static int next_queue(const struct naive *w, const int *heads, const double *total)
{
	int best = -1;
	double least = 0;

	for (int q = 0; q < NAIVE_QUEUES; q++) {
		int job = heads[q];
		double cost;

		if (job < 0)
			continue;
		cost = cost_with(w, job, total);
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
	int64_t end = -1;
	int nodes[NAIVE_MEMBERS];

	if (v->made || v->asked == NAIVE_ASKED)
		return;
	v->asked++;
	while (!v->made && next_end(w, &end)) {
		struct naive then = *w;

		pass_time(&then, end);
		v->made = place(&then, w->jobs[job].shape, NULL, nodes);
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
		v->uses[nodes[m]]++;
		take(v, s, nodes[m]);
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

static void start(struct naive *w, int job, const int *nodes, struct naive_reserve *v,
		  struct buf *out)
{
	const struct naive_shape *s = &w->shapes[w->jobs[job].shape];
	int element = next_element(&w->jobs[job]);

	for (int m = 0; outlasts(w, job, v) && m < s->members; m++)
		take(v, s, nodes[m]);
	naive_run(w, job, element, nodes);
	buf_addf(out, "%s%d.%d", out->len ? " " : "", job + 1, element);
	for (int m = 0; m < s->members; m++)
		buf_addf(out, "%cn%d", m ? ',' : '@', nodes[m]);
}

static void serve(struct naive *w, int job, bool *failed, struct naive_reserve *v, struct buf *out)
{
	int nodes[NAIVE_MEMBERS], shape = w->jobs[job].shape;

	if (failed[job] || v->held[job])
		return;
	if (place(w, shape, outlasts(w, job, v) ? v : NULL, nodes)) {
		start(w, job, nodes, v, out);
	} else if (place(w, shape, NULL, nodes)) {
		hold(w, job, v);
	} else {
		reserve(w, job, v);
		fail(w, job, failed);
	}
}

void naive_round(const struct naive *world, struct buf *out, struct naive_reserve *ret_reserve)
{
	struct naive w = *world;
	bool failed[NAIVE_JOBS] = {false};
	double total[NAIVE_RESOURCES] = {0};
	int heads[NAIVE_QUEUES], q;

	*ret_reserve = (struct naive_reserve){0};
	totals(&w, total);
	buf_addstr(out, "");
	for (q = 0; q < NAIVE_QUEUES; q++)
		heads[q] = next_job(&w, q, failed, ret_reserve->held);
	while ((q = next_queue(&w, heads, total)) >= 0) {
		serve(&w, heads[q], failed, ret_reserve, out);
		heads[q] = next_job(&w, q, failed, ret_reserve->held);
	}
}
