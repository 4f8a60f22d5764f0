/*
 * The placement of the referee: constraints of nodes, room, the choice of a node by the select
 * policy, and uniformity labels. referee_list.c finds room for a member that has none.
 */
#include "unit/sched/referee_parts.h"

#include <assert.h>
#include <string.h>

const struct ref_part *ref_part(const struct ref *w, int unit, int member)
{
	const struct ref_part *p = ref_shape(w, unit)->parts;

	for (; member >= p->members; p++)
		member -= p->members;
	return p;
}

int64_t ref_priority(const struct ref *w, int unit)
{
	const struct ref_shape *s = ref_shape(w, unit);
	int64_t least = INT64_MAX;

	for (int p = 0; p < s->part_count; p++)
		if (w->classes[s->parts[p].class].priority < least)
			least = w->classes[s->parts[p].class].priority;
	return least;
}

int64_t ref_most_urgent(const struct ref *w, int unit)
{
	const struct ref_shape *s = ref_shape(w, unit);
	int64_t most = INT64_MIN;

	for (int p = 0; p < s->part_count; p++)
		if (w->classes[s->parts[p].class].priority > most)
			most = w->classes[s->parts[p].class].priority;
	return most;
}

bool ref_scavenges(const struct ref *w, int unit)
{
	return ref_shape(w, unit)->parts[0].class == REF_SCAVENGE;
}

bool ref_fair(const struct ref *w, int unit)
{
	const struct ref_shape *s = ref_shape(w, unit);
	bool fair = !s->exclusive && !w->jobs[unit / REF_ELEMENTS].keeps && !w->units[unit].pinned;

	for (int p = 0; p < s->part_count; p++)
		fair = fair && w->classes[s->parts[p].class].fair;
	return fair;
}

bool ref_urgent(const struct ref *w, int unit)
{
	const struct ref_shape *s = ref_shape(w, unit);
	bool urgent =
		!s->exclusive && !w->jobs[unit / REF_ELEMENTS].keeps && !w->units[unit].pinned;

	for (int p = 0; p < s->part_count; p++)
		urgent = urgent && w->classes[s->parts[p].class].urgent;
	return urgent;
}

/* Does a job of the user keep its nodes? */
static bool is_keeper(const struct ref *w, int user)
{
	for (int j = 0; j < w->job_count; j++)
		if (w->jobs[j].present && w->jobs[j].keeps && w->jobs[j].user == user)
			return true;
	return false;
}

int ref_kind(const struct ref *w, int unit)
{
	const struct ref_job *j = &w->jobs[unit / REF_ELEMENTS];
	int user = is_keeper(w, j->user) ? j->user : 0;

	return (j->shape * 2 + j->keeps) * (REF_USERS + 1) + user;
}

bool ref_share(const struct ref *w, int unit, int other)
{
	const struct ref_job *j = &w->jobs[unit / REF_ELEMENTS],
			     *k = &w->jobs[other / REF_ELEMENTS];

	if (ref_shape(w, unit)->exclusive || ref_shape(w, other)->exclusive)
		return false;
	return !(j->keeps || k->keeps) || j->user == k->user;
}

bool ref_joins(const struct bout *b, const struct ref_ground *g, int unit, int node)
{
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
		if (g->has[node][u] &&
		    (u == unit ? ref_shape(b->w, unit)->exclusive : !ref_share(b->w, unit, u)))
			return false;
	return true;
}

/* Labels, taints and lists. */

static bool selects(const struct ref_selector *s, const struct ref_node *n)
{
	const char *have = n->labels[s->key];
	bool is = *have && (!*s->value || strcmp(have, s->value) == 0);

	return s->negate ? !is : is;
}

static bool tolerates(const struct ref_part *p, const struct ref_taint *t)
{
	for (int i = 0; i < p->toleration_count; i++) {
		const struct ref_toleration *l = &p->tolerations[i];
		bool all = !*l->key && l->exists, same = strcmp(l->key, t->key) == 0;

		if (all || (*l->key && same && (l->exists || strcmp(l->value, t->value) == 0)))
			return true;
	}
	return t->soft;
}

static bool listed(const int *list, int count, int node)
{
	for (int i = 0; i < count; i++)
		if (list[i] == node)
			return true;
	return false;
}

bool ref_suits(const struct ref *w, const struct ref_part *p, int node)
{
	const struct ref_node *n = &w->nodes[node];

	if (!n->present || !n->up || listed(p->exclude, p->exclude_count, node) ||
	    (p->include_count && !listed(p->include, p->include_count, node)))
		return false;
	for (int i = 0; i < p->selector_count; i++)
		if (!selects(&p->selectors[i], n))
			return false;
	for (int i = 0; i < n->taint_count; i++)
		if (!tolerates(p, &n->taints[i]))
			return false;
	return true;
}

/* Room. */

void ref_survey(const struct bout *b, const int64_t *level, int queue, struct ref_ground *g)
{
	const struct ref *w = b->w;

	*g = (struct ref_ground){0};
	for (int n = 0; n < w->node_count; n++)
		memcpy(g->room[n], w->nodes[n].total, sizeof(g->room[n]));
	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		bool here = b->now.phase[u] == PHASE_BOUND || b->now.phase[u] == PHASE_EVICTED;
		bool urgent = here && ref_urgent(w, u), lent = urgent && ref_scavenges(w, u);

		for (int m = 0; here && m < ref_shape(w, u)->members; m++) {
			const struct ref_part *p = ref_part(w, u, m);
			int n = b->now.nodes[u][m];
			bool weighs =
				!level || (b->now.phase[u] == PHASE_BOUND &&
					   (!urgent || w->classes[p->class].priority >= *level));

			for (int d = 0; n >= 0 && d < REF_DIMS; d++) {
				g->room[n][d] -= weighs ? p->request[d] : 0;
				g->own[n][d] += w->jobs[u / REF_ELEMENTS].queue == queue
							? p->request[d]
							: 0;
				g->lent[n][d] += lent ? p->request[d] : 0;
			}
			if (n >= 0)
				g->has[n][u] = true;
		}
	}
}

bool ref_fits(const int64_t *have, const int64_t *want)
{
	for (int d = 0; d < REF_DIMS; d++)
		if (have[d] < want[d])
			return false;
	return true;
}

void ref_mark_over(struct bout *b)
{
	static const int64_t nothing[REF_DIMS];
	struct ref_ground g;

	ref_survey(b, NULL, -1, &g);
	for (int n = 0; n < b->w->node_count; n++)
		b->over[n] = !ref_fits(g.room[n], nothing);
}

int ref_running(const struct bout *b, int unit)
{
	int n = 0;

	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		n += b->now.nodes[unit][m] >= 0;
	return n;
}

bool ref_may_use(const struct bout *b, const struct ref_member *s, const struct ref_ground *g,
		 int node)
{
	const struct ref_shape *shape = ref_shape(b->w, s->unit);

	if (!ref_suits(b->w, s->part, node) || !ref_joins(b, g, s->unit, node))
		return false;
	if (s->value && strcmp(b->w->nodes[node].labels[shape->uniform], s->value) != 0)
		return false;
	for (int m = 0; shape->distinct && m < shape->members; m++)
		if (b->now.nodes[s->unit][m] == node)
			return false;
	return !ref_refuses(b, s->unit, s->part, node);
}

/* The score of a node by the select plugin: lower is better. */
static double score(const struct bout *b, const struct ref_ground *g, int node)
{
	double sum = 0;

	for (int d = 0; d < REF_DIMS; d++) {
		int64_t total = b->w->nodes[node].total[d], used = total - g->room[node][d];

		if (b->w->policy.select == REF_QUEUEPACK)
			used -= g->own[node][d];
		if (total > 0)
			sum += (double)used / (double)total;
	}
	return b->w->policy.select == REF_BINPACK ? 0 : sum;
}

/* Least free first: cpu, memory, then the others by name. */
int ref_compare_room(const int64_t *a, const int64_t *b)
{
	static const int sequence[REF_DIMS] = {0, 1, 3, 2};

	for (int i = 0; i < REF_DIMS; i++)
		if (a[sequence[i]] != b[sequence[i]])
			return a[sequence[i]] < b[sequence[i]] ? -1 : 1;
	return 0;
}

/* The best of the nodes with free room. */
static int free_node(const struct bout *b, const struct ref_member *s)
{
	struct ref_ground g;
	double least = 0;
	bool tied = false;
	int best = -1;

	ref_survey(b, NULL, b->w->jobs[s->unit / REF_ELEMENTS].queue, &g);
	for (int n = 0; n < b->w->node_count; n++) {
		double now = score(b, &g, n);
		int c;

		if (!ref_fits(g.room[n], s->part->request) || !ref_may_use(b, s, &g, n))
			continue;
		c = best < 0 ? -1 : ref_compare(b, now, least);
		c = c ? c : ref_compare_room(g.room[n], g.room[best]);
		tied = c ? tied && c > 0 : true;
		if (c > 0 || (c == 0 && b->w->nodes[n].order[b->in->twin] >
						b->w->nodes[best].order[b->in->twin]))
			continue;
		best = n;
		least = now;
	}
	b->result->tie = b->result->tie || tied;
	return best;
}

/* The node of a member: one with free room, or one where others are displaced. */
static int find_node(struct bout *b, const struct ref_member *s, struct ref_lists *lists)
{
	int node = free_node(b, s);

	if (node >= 0 || ref_scavenges(b->w, s->unit) || b->extras)
		return node;
	return ref_displace(b, s, ref_list(b, lists, b->w->classes[s->part->class].priority));
}

bool ref_of_minimum(const struct ref *w, int unit, int member)
{
	const struct ref_part *p = ref_shape(w, unit)->parts;

	for (; member >= p->members; p++)
		member -= p->members;
	return member < p->min;
}

/*
 * Places as many members as find a node, those of the minima of parts before the others. Returns whether the
 * number is sufficient, in each part that has a minimum.
 */
static bool place_all(struct bout *b, int unit, const char *value, struct ref_lists *lists,
		      int *ret_found)
{
	const struct ref_shape *shape = ref_shape(b->w, unit);
	struct ref_member s = {unit, NULL, value};
	bool lacks = false;

	*ret_found = 0;
	b->now.phase[unit] = PHASE_BOUND;
	b->now.rank = -1;
	for (int m = 0; m < REF_MEMBERS; m++)
		b->now.nodes[unit][m] = -1;
	for (int i = 0; i < 2 * shape->members; i++) {
		int m = i % shape->members, node;

		if (ref_of_minimum(b->w, unit, m) != (i < shape->members))
			continue;
		s.part = ref_part(b->w, unit, m);
		node = find_node(b, &s, lists);
		b->now.nodes[unit][m] = node;
		*ret_found += node >= 0;
		lacks = lacks || (node < 0 && i < shape->members);
		if (node >= 0)
			ref_take(b, s.part, node);
	}
	return !lacks && *ret_found >= (b->w->policy.partial ? shape->min : shape->members);
}

const char *ref_next_value(const struct ref *w, int label, const char *after)
{
	const char *next = NULL;

	for (int n = 0; n < w->node_count; n++) {
		const char *v = w->nodes[n].labels[label];

		if (*v && w->nodes[n].present && (!after || strcmp(v, after) > 0) &&
		    (!next || strcmp(v, next) < 0))
			next = v;
	}
	return next;
}

/* What the placement on the nodes with one value does. */
struct deed {
	int members, rank, tasks; /* placed; of the most protected victim, -1: none; displaced */
};

/*
 * Whether x is better: it displaces nobody, then more members, then the most protected victim is
 * walked earlier, then fewer displaced tasks. Of equal ones the first value is taken.
 */
static bool improves(const struct deed *x, const struct deed *y)
{
	if ((x->rank < 0) != (y->rank < 0))
		return x->rank < 0;
	if (x->members != y->members)
		return x->members > y->members;
	if (x->rank != y->rank)
		return x->rank < y->rank;
	return x->tasks < y->tasks;
}

/* Selects the value of the uniformity label. Each value is tried from the same state. */
static bool place_alike(struct bout *b, int unit, struct ref_lists *lists)
{
	struct ref_stand before = b->now, best = b->now;
	struct deed least = {0};
	const char *value = NULL;
	bool any = false;

	while ((value = ref_next_value(b->w, ref_shape(b->w, unit)->uniform, value))) {
		struct deed d = {0};
		bool enough;

		b->now = before;
		enough = place_all(b, unit, value, lists, &d.members);
		d.rank = b->now.rank;
		for (int i = before.gone_count; i < b->now.gone_count; i++)
			d.tasks += ref_running(b, b->now.gone[i]);
		if (!enough || (any && !improves(&d, &least)))
			continue;
		any = true;
		least = d;
		best = b->now;
	}
	b->now = best;
	return any;
}

bool ref_place(struct bout *b, int unit)
{
	struct ref_stand before = b->now;
	struct ref_lists lists = {.unit = unit, .start = &before};
	bool placed;
	int found;

	placed = ref_shape(b->w, unit)->uniform >= 0 ? place_alike(b, unit, &lists)
						     : place_all(b, unit, NULL, &lists, &found);
	if (!placed)
		b->now = before;
	return placed;
}

void ref_put_back(struct bout *b, int unit)
{
	static const int64_t nothing[REF_DIMS];
	struct ref_ground g;

	b->now.phase[unit] = PHASE_BOUND;
	ref_survey(b, NULL, -1, &g);
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++) {
		int node = b->now.nodes[unit][m];

		assert(node < 0 || ref_fits(g.room[node], nothing));
	}
}
