/*
 * The preemption of the simple scheduler: it walks the gangs that a member may displace, and decides
 * which of them go. Input is the world when the attempt to place the gang began, output a node and
 * the displaced gangs. The next gang of the walk is sought among all gangs each time.
 */
#include "unit/sched/naive.h"

enum { CLASS_HIGH = 2 };

static const struct naive_shape *shape_of(const struct naive *w, int job)
{
	return &w->shapes[w->jobs[job].shape];
}

/* The gangs that were walked, in this order. */
struct walk {
	struct naive_unit list[NAIVE_UNITS];
	int count;
	bool passed[NAIVE_JOBS][NAIVE_ELEMENTS];
};

static bool is_next(const struct naive *w, int hand, const struct walk *walk, int job, int element)
{
	const struct naive_shape *s = shape_of(w, job);

	return w->jobs[job].state[element] == NAIVE_RUNS && !walk->passed[job][element] &&
	       !s->exclusive && s->class != CLASS_HIGH && s->class < shape_of(w, hand)->class;
}

/* The cost of the queue with the whole gang in hand, and without what was walked. */
static double cost_left(const struct naive *w, int queue, int hand, const struct walk *walk)
{
	double used[NAIVE_RESOURCES] = {0};

	for (int j = 0; j < NAIVE_JOBS; j++) {
		const struct naive_shape *s = shape_of(w, j);
		int gangs = j == hand;

		for (int e = 0; e < NAIVE_ELEMENTS; e++)
			gangs += w->jobs[j].state[e] == NAIVE_RUNS && !walk->passed[j][e];
		for (int r = 0; w->jobs[j].queue == queue && r < NAIVE_RESOURCES; r++)
			used[r] += (double)(s->request[r] * s->members * gangs);
	}
	return naive_cost(w, queue, used);
}

static bool goes_before(const struct naive *w, struct naive_unit a, struct naive_unit b)
{
	const struct naive_job *x = &w->jobs[a.job], *y = &w->jobs[b.job];

	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (x->start[a.element] != y->start[b.element])
		return x->start[a.element] > y->start[b.element];
	if (x->submit != y->submit)
		return x->submit > y->submit;
	return a.job != b.job ? a.job > b.job : a.element > b.element;
}

/* The last gang of this queue and class; job -1: there is none. */
static struct naive_unit last_of(const struct naive *w, int hand, const struct walk *walk,
				 int queue, int class)
{
	struct naive_unit last = {-1, -1};

	for (int j = 0; j < NAIVE_JOBS; j++)
		for (int e = 0; e < NAIVE_ELEMENTS; e++) {
			struct naive_unit u = {j, e};

			if (w->jobs[j].queue == queue && shape_of(w, j)->class == class &&
			    is_next(w, hand, walk, j, e) &&
			    (last.job < 0 || goes_before(w, u, last)))
				last = u;
		}
	return last;
}

static bool step(const struct naive *w, int hand, struct walk *walk)
{
	for (int class = 0; class < CLASS_HIGH; class ++) {
		struct naive_unit found = {-1, -1};
		double most = 0;

		for (int q = 0; q < NAIVE_QUEUES; q++) {
			struct naive_unit last = last_of(w, hand, walk, q, class);
			double cost = cost_left(w, q, hand, walk);

			if (last.job < 0 || (found.job >= 0 && cost < most))
				continue;
			found = last;
			most = cost;
		}
		if (found.job < 0)
			continue;
		walk->passed[found.job][found.element] = true;
		walk->list[walk->count++] = found;
		return true;
	}
	return false;
}

/* How many members of the gang are on the node. */
static int members_on(const struct naive *w, struct naive_unit u, int node)
{
	int n = 0;

	for (int m = 0; m < shape_of(w, u.job)->members; m++)
		n += w->jobs[u.job].nodes[u.element][m] == node;
	return n;
}

/* `room` is the world without what was walked. */
static void lose(const struct naive *before, int hand, const struct walk *walk, int node,
		 struct naive *room, struct naive_trial *t)
{
	for (int i = walk->count - 1; i >= 0; i--) {
		struct naive_unit u = walk->list[i];
		const struct naive_shape *s = shape_of(before, u.job);
		int members = members_on(before, u, node);
		bool needed = false;

		if (!members || t->after.jobs[u.job].state[u.element] == NAIVE_LOST)
			continue;
		for (int r = 0; r < NAIVE_RESOURCES; r++)
			needed = needed || room->nodes[node].free[r] - members * s->request[r] <
						   shape_of(before, hand)->request[r];
		for (int r = 0; !needed && r < NAIVE_RESOURCES; r++)
			room->nodes[node].free[r] -= members * s->request[r];
		if (!needed)
			continue;
		naive_use(&t->after, u.job, u.element, -1);
		t->after.jobs[u.job].state[u.element] = NAIVE_LOST;
		t->lost[t->lost_count++] = u;
		t->tasks += s->members;
		t->rank = i > t->rank ? i : t->rank;
	}
}

int naive_displace(const struct naive *before, int job, int rack, struct naive_trial *t)
{
	struct walk walk = {.count = 0};
	struct naive room = t->after;

	while (step(before, job, &walk)) {
		struct naive_unit u = walk.list[walk.count - 1];
		int best = -1;

		if (t->after.jobs[u.job].state[u.element] == NAIVE_LOST)
			continue;
		naive_use(&room, u.job, u.element, -1);
		for (int n = 0; n < NAIVE_NODES; n++)
			if (members_on(before, u, n) && !room.nodes[n].over &&
			    naive_fits(&room, job, rack, t, n) &&
			    (best < 0 || naive_better(&room.nodes[n], &room.nodes[best])))
				best = n;
		if (best < 0)
			continue;
		lose(before, job, &walk, best, &room, t);
		return best;
	}
	return -1;
}
