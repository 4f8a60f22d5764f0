#include "unit/sched/referee.h"

#include <string.h>

static const struct ref_shape *shape_of(const struct ref *w, int job)
{
	return &w->shapes[w->jobs[job].shape];
}

static int64_t priority(const struct ref *w, int job)
{
	return w->classes[shape_of(w, job)->class].priority;
}

/* Rows of amounts. */

/* Free at a level: NULL is what is truly free, else what this priority could have. */
static void room(const struct ref *w, int node, const int64_t *level, int64_t *ret)
{
	memcpy(ret, w->nodes[node].total, sizeof(w->nodes[node].total));
	for (int j = 0; j < REF_JOBS; j++) {
		const struct ref_class *c = &w->classes[shape_of(w, j)->class];
		bool counts = w->jobs[j].phase == PHASE_BOUND &&
			      (!level || !c->urgent || c->priority >= *level);

		counts = counts || (w->jobs[j].phase == PHASE_EVICTED && !level);
		for (int m = 0; counts && m < shape_of(w, j)->members; m++)
			for (int d = 0; d < REF_DIMS && w->jobs[j].nodes[m] == node; d++)
				ret[d] -= shape_of(w, j)->request[d];
	}
}

static bool fits(const int64_t *have, const int64_t *want)
{
	return have[0] >= want[0] && have[1] >= want[1] && have[2] >= want[2];
}

static bool may_use(const struct ref *w, int job, int node, int rack)
{
	const struct ref_shape *s = shape_of(w, job);

	if (!w->nodes[node].up || (s->rack >= 0 && w->nodes[node].rack != s->rack) ||
	    (rack >= 0 && w->nodes[node].rack != rack))
		return false;
	for (int m = 0; s->distinct && m < s->members; m++)
		if (w->jobs[job].nodes[m] == node)
			return false;
	return true;
}

static int best_node(const struct ref *w, int job, const int64_t *level, int rack)
{
	int64_t least[REF_DIMS] = {0}, have[REF_DIMS];
	int best = -1;

	for (int n = 0; n < REF_NODES; n++) {
		bool less = false;

		room(w, n, level, have);
		if (!may_use(w, job, n, rack) || !fits(have, shape_of(w, job)->request))
			continue;
		for (int d = REF_DIMS - 1; d >= 0; d--)
			less = have[d] < least[d] || (have[d] == least[d] && less);
		if (best >= 0 && !less)
			continue;
		best = n;
		memcpy(least, have, sizeof(least));
	}
	return best;
}

/* Room by putting out those who would be put back last. */

static int64_t on_node(const struct ref *w, int job, int node)
{
	int64_t n = 0;

	for (int m = 0; m < shape_of(w, job)->members; m++)
		n += w->jobs[job].nodes[m] == node;
	return n;
}

static bool walks(const struct ref *w, int entry, int64_t q)
{
	return w->jobs[w->table[entry]].phase == PHASE_EVICTED && priority(w, w->table[entry]) <= q;
}

/* What the node has free without those from the end of the table down to this entry. */
static void room_without(const struct ref *w, int node, int entry, int64_t q, int64_t *ret)
{
	room(w, node, NULL, ret);
	for (int e = entry; e < w->table_count; e++)
		for (int d = 0; walks(w, e, q) && d < REF_DIMS; d++)
			ret[d] += on_node(w, w->table[e], node) *
				  shape_of(w, w->table[e])->request[d];
}

static void put_out(struct ref *w, int job, int node, int entry)
{
	int64_t q = priority(w, job), have[REF_DIMS], less[REF_DIMS];
	const int64_t *want = shape_of(w, job)->request;

	room_without(w, node, entry, q, have);
	for (int e = entry; e < w->table_count; e++) {
		int victim = w->table[e];

		if (!walks(w, e, q) || !on_node(w, victim, node))
			continue;
		for (int d = 0; d < REF_DIMS; d++)
			less[d] = have[d] -
				  on_node(w, victim, node) * shape_of(w, victim)->request[d];
		if (fits(less, want)) {
			memcpy(have, less, sizeof(have));
			continue;
		}
		w->jobs[victim].phase = PHASE_OUT;
		w->gone[w->gone_count++] = victim;
	}
}

static int fair_node(struct ref *w, int job, int rack)
{
	int64_t q = priority(w, job), have[REF_DIMS];

	for (int e = w->table_count - 1; e >= 0; e--) {
		const struct ref_job *v = &w->jobs[w->table[e]];

		for (int m = 0; walks(w, e, q) && m < w->shapes[v->shape].members; m++) {
			int node = v->nodes[m];

			room_without(w, node, e, q, have);
			if (!may_use(w, job, node, rack) || !fits(have, shape_of(w, job)->request))
				continue;
			put_out(w, job, node, e);
			return node;
		}
	}
	return -1;
}

static int urgent_node(struct ref *w, int job, int rack)
{
	int64_t q = priority(w, job), last = INT64_MIN;

	for (;;) {
		int64_t next = INT64_MAX;
		int node;

		for (int c = 0; c < REF_CLASSES; c++)
			if (w->classes[c].priority > last && w->classes[c].priority < next)
				next = w->classes[c].priority;
		if (next > q)
			return -1;
		node = best_node(w, job, &next, rack);
		if (node >= 0) {
			w->urgent++;
			return node;
		}
		last = next;
	}
}

static bool place_all(struct ref *w, int job, int rack)
{
	int64_t q = priority(w, job);

	w->jobs[job].phase = PHASE_BOUND;
	for (int m = 0; m < REF_MEMBERS; m++)
		w->jobs[job].nodes[m] = -1;
	for (int m = 0; m < shape_of(w, job)->members; m++) {
		int node = best_node(w, job, NULL, rack);

		if (node < 0 && best_node(w, job, &q, rack) >= 0) {
			node = fair_node(w, job, rack);
			if (node < 0)
				node = urgent_node(w, job, rack);
		}
		if (node < 0)
			return false;
		w->jobs[job].nodes[m] = node;
	}
	return true;
}

static bool place(struct ref *w, int job)
{
	struct ref before = *w, best, now;
	int least = -1;

	w->urgent = 0;
	if (!shape_of(w, job)->uniform) {
		if (place_all(w, job, -1))
			return true;
		*w = before;
		return false;
	}
	for (int rack = 0; rack < 3; rack++) {
		int cost = 0;

		now = before;
		now.urgent = 0;
		if (!place_all(&now, job, rack))
			continue;
		for (int i = before.gone_count; i < now.gone_count; i++)
			cost += shape_of(w, now.gone[i])->members;
		cost += now.urgent;
		if (least >= 0 && cost >= least)
			continue;
		least = cost;
		best = now;
	}
	*w = least >= 0 ? best : before;
	return least >= 0;
}

/* Shares. */

struct shares {
	double total[REF_DIMS], fair[REF_QUEUES], capped[REF_QUEUES];
	bool active[REF_QUEUES];
};

static double cost_of(const struct shares *s, const double *amounts)
{
	double cost = 0;

	for (int d = 0; d < REF_DIMS; d++)
		if (s->total[d] > 0 && amounts[d] / s->total[d] > cost)
			cost = amounts[d] / s->total[d];
	return cost;
}

/* What the queue has (bound), or could use (all). */
static void amounts_of(const struct ref *w, int queue, bool all, double *ret)
{
	ret[0] = ret[1] = ret[2] = 0;
	for (int j = 0; j < REF_JOBS; j++) {
		const struct ref_job *job = &w->jobs[j];
		bool counts = all ? job->state != REF_NONE : job->phase == PHASE_BOUND;

		for (int d = 0; counts && job->queue == queue && d < REF_DIMS; d++)
			ret[d] += (double)(shape_of(w, j)->request[d] * shape_of(w, j)->members);
	}
}

static double pour(const struct ref *w, struct shares *s, const double *demand, bool *done,
		   double left)
{
	double total = 0, over = 0;

	for (int q = 0; q < REF_QUEUES; q++)
		total += s->active[q] && !done[q] ? 1 / w->factor[q] : 0;
	for (int q = 0; total > 0 && q < REF_QUEUES; q++) {
		if (!s->active[q] || done[q])
			continue;
		s->capped[q] += 1 / w->factor[q] / total * left;
		if (s->capped[q] <= demand[q])
			continue;
		over += s->capped[q] - demand[q];
		s->capped[q] = demand[q];
		done[q] = true;
	}
	return over;
}

static void find_shares(const struct ref *w, struct shares *s)
{
	double demand[REF_QUEUES] = {0}, sum = 0, left = 1, row[REF_DIMS];
	bool done[REF_QUEUES] = {false};

	*s = (struct shares){0};
	for (int n = 0; n < REF_NODES; n++) {
		bool used = w->nodes[n].up;

		for (int j = 0; j < REF_JOBS; j++)
			used = used || (w->jobs[j].phase == PHASE_BOUND && on_node(w, j, n));
		for (int d = 0; used && d < REF_DIMS; d++)
			s->total[d] += (double)w->nodes[n].total[d];
	}
	for (int j = 0; j < REF_JOBS; j++)
		if (w->jobs[j].state != REF_NONE)
			s->active[w->jobs[j].queue] = true;
	for (int q = 0; q < REF_QUEUES; q++) {
		amounts_of(w, q, true, row);
		demand[q] = cost_of(s, row);
		sum += s->active[q] ? 1 / w->factor[q] : 0;
	}
	for (int q = 0; q < REF_QUEUES; q++)
		s->fair[q] = s->active[q] ? 1 / w->factor[q] / sum : 0;
	for (int pass = 0; pass < 10 && left > 0.01; pass++)
		left = pour(w, s, demand, done, left);
}

/* Order. */

static bool first(const struct ref *w, int a, int b)
{
	const struct ref_job *x = &w->jobs[a], *y = &w->jobs[b];
	bool waits_a = x->phase == PHASE_IDLE, waits_b = y->phase == PHASE_IDLE;
	bool runs_a = x->state == REF_RUNS, runs_b = y->state == REF_RUNS;

	if (waits_a != waits_b)
		return waits_b;
	if (priority(w, a) != priority(w, b))
		return priority(w, a) > priority(w, b);
	if (runs_a != runs_b)
		return runs_a;
	if (x->priority != y->priority)
		return x->priority < y->priority;
	if (runs_a && x->start != y->start)
		return x->start < y->start;
	if (x->submit != y->submit)
		return x->submit < y->submit;
	return a < b;
}

/* Whose turn it still is: those to put back first, then those that wait. */
static int head(const struct ref *w, int queue, const bool *turn, bool fresh)
{
	int best = -1;

	for (int j = 0; j < REF_JOBS; j++) {
		const struct ref_job *job = &w->jobs[j];
		bool waits = job->phase == PHASE_IDLE;

		if (!turn[j] || job->queue != queue || job->phase == PHASE_OUT)
			continue;
		if (waits && (!fresh || w->blocked[job->shape]))
			continue;
		if (best < 0 || first(w, j, best))
			best = j;
	}
	return best;
}

struct offer {
	int job;
	double cost;
};

static struct offer make_offer(const struct ref *w, const struct shares *s, int queue,
			       const bool *turn, bool fresh)
{
	struct offer o = {.job = head(w, queue, turn, fresh)};
	double row[REF_DIMS];

	amounts_of(w, queue, false, row);
	for (int d = 0; o.job >= 0 && d < REF_DIMS; d++)
		row[d] += (double)(shape_of(w, o.job)->request[d] * shape_of(w, o.job)->members);
	o.cost = cost_of(s, row) / (1 / w->factor[queue]);
	return o;
}

static int next_queue(const struct ref *w, const struct offer *offers)
{
	int best = -1;

	for (int q = 0; q < REF_QUEUES; q++) {
		int64_t p, b;

		if (offers[q].job < 0)
			continue;
		p = priority(w, offers[q].job);
		b = best < 0 ? 0 : priority(w, offers[best].job);
		if (best < 0 || p > b || (p == b && offers[q].cost < offers[best].cost))
			best = q;
	}
	return best;
}

/* The three passes: numbering, everybody, and those in the way. */
enum pass { PASS_NUMBER, PASS_ALL, PASS_RELIEVE };

static void put_back(struct ref *w, int job)
{
	struct ref before = *w;
	int64_t q = priority(w, job), have[REF_DIMS];
	int nodes[REF_MEMBERS];

	memcpy(nodes, w->jobs[job].nodes, sizeof(nodes));
	w->jobs[job].phase = PHASE_BOUND;
	for (int m = 0; m < REF_MEMBERS; m++)
		w->jobs[job].nodes[m] = -1;
	for (int m = 0; m < shape_of(w, job)->members; m++) {
		room(w, nodes[m], &q, have);
		if (!fits(have, shape_of(w, job)->request)) {
			*w = before;
			return;
		}
		w->jobs[job].nodes[m] = nodes[m];
	}
}

static void serve(struct ref *w, int job, enum pass pass, int *order, int *order_count)
{
	if (w->jobs[job].phase == PHASE_OUT)
		return;
	if (pass == PASS_NUMBER) {
		w->table[w->table_count++] = job;
		w->jobs[job].phase = PHASE_BOUND;
	} else if (w->jobs[job].phase == PHASE_EVICTED) {
		put_back(w, job);
		if (pass == PASS_RELIEVE && w->jobs[job].phase == PHASE_EVICTED) {
			w->jobs[job].phase = PHASE_OUT;
			w->gone[w->gone_count++] = job;
		}
	} else if (!w->blocked[w->jobs[job].shape] && place(w, job)) {
		w->jobs[job].fresh = true;
		order[(*order_count)++] = job;
	} else {
		w->blocked[w->jobs[job].shape] = true;
	}
}

static void run_pass(struct ref *w, const struct shares *s, enum pass pass, bool *turn, int *order,
		     int *order_count)
{
	struct offer offers[REF_QUEUES];
	int q;

	for (q = 0; q < REF_QUEUES; q++)
		offers[q] = make_offer(w, s, q, turn, pass == PASS_ALL);
	while ((q = next_queue(w, offers)) >= 0) {
		serve(w, offers[q].job, pass, order, order_count);
		turn[offers[q].job] = false;
		offers[q] = make_offer(w, s, q, turn, pass == PASS_ALL);
	}
}

static void evict(struct ref *w, const struct shares *s, bool *turn)
{
	bool over[REF_QUEUES];

	for (int q = 0; q < REF_QUEUES; q++) {
		double row[REF_DIMS], share = s->capped[q] > s->fair[q] ? s->capped[q] : s->fair[q];

		amounts_of(w, q, false, row);
		over[q] = cost_of(s, row) > w->protected_fraction * share;
	}
	for (int j = 0; j < REF_JOBS; j++) {
		turn[j] = w->jobs[j].phase == PHASE_BOUND && over[w->jobs[j].queue] &&
			  w->classes[shape_of(w, j)->class].fair;
		if (turn[j])
			w->jobs[j].phase = PHASE_EVICTED;
	}
}

/* Is one of its nodes in want, at its own level? */
static bool in_the_way(const struct ref *w, int job)
{
	int64_t q = priority(w, job), have[REF_DIMS];
	static const int64_t nothing[REF_DIMS];

	for (int m = 0; m < shape_of(w, job)->members; m++) {
		room(w, w->jobs[job].nodes[m], &q, have);
		if (!fits(have, nothing))
			return true;
	}
	return false;
}

static void relieve(struct ref *w, const struct shares *s)
{
	bool turn[REF_JOBS] = {false};

	for (int j = 0; j < REF_JOBS; j++)
		turn[j] = w->jobs[j].phase == PHASE_BOUND &&
			  w->classes[shape_of(w, j)->class].urgent && in_the_way(w, j);
	for (int j = 0; j < REF_JOBS; j++)
		if (turn[j])
			w->jobs[j].phase = PHASE_EVICTED;
	run_pass(w, s, PASS_RELIEVE, turn, NULL, NULL);
}

static void number(struct ref *w, const struct shares *s, const bool *turn)
{
	bool copy[REF_JOBS];
	struct ref sim = *w;

	memcpy(copy, turn, sizeof(copy));
	run_pass(&sim, s, PASS_NUMBER, copy, NULL, NULL);
	memcpy(w->table, sim.table, sizeof(w->table));
	w->table_count = sim.table_count;
}

static void tell(const struct ref *w, const int *order, int count, struct buf *out)
{
	for (int i = 0; i < w->gone_count; i++)
		if (!w->jobs[w->gone[i]].fresh)
			buf_addf(out, "%s-%d.0", out->len ? " " : "", w->gone[i] + 1);
	for (int i = 0; i < count; i++) {
		if (w->jobs[order[i]].phase != PHASE_BOUND)
			continue;
		buf_addf(out, "%s%d.0", out->len ? " " : "", order[i] + 1);
		for (int m = 0; m < shape_of(w, order[i])->members; m++)
			buf_addf(out, "%cn%d", m ? ',' : '@', w->jobs[order[i]].nodes[m]);
	}
}

void ref_round(const struct ref *world, struct buf *out)
{
	struct ref w = *world;
	int order[REF_JOBS], count = 0;
	bool turn[REF_JOBS];
	struct shares s;

	memset(w.blocked, 0, sizeof(w.blocked));
	w.table_count = w.gone_count = 0;
	buf_addstr(out, "");
	for (int j = 0; j < REF_JOBS; j++) {
		w.jobs[j].phase = w.jobs[j].state == REF_RUNS ? PHASE_BOUND : PHASE_IDLE;
		w.jobs[j].fresh = false;
	}
	find_shares(&w, &s);
	evict(&w, &s, turn);
	number(&w, &s, turn);
	for (int j = 0; j < REF_JOBS; j++)
		turn[j] = turn[j] || w.jobs[j].state == REF_WAITS;
	run_pass(&w, &s, PASS_ALL, turn, order, &count);
	for (int e = 0; e < w.table_count; e++) {
		if (w.jobs[w.table[e]].phase != PHASE_EVICTED)
			continue;
		w.jobs[w.table[e]].phase = PHASE_OUT;
		w.gone[w.gone_count++] = w.table[e];
	}
	relieve(&w, &s);
	tell(&w, order, count, out);
}
