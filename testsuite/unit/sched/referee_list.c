/*
 * The preemption of the referee: the one list of units that a member may displace, and the walk
 * along it. Input is the state of the round when the attempt to place a gang begins, output a node
 * and the displaced units.
 *
 * The list is the whole order, made by the words of the rule: of the lowest class, of the queue with
 * the greatest cost, the last unit. It does not change while the members of the gang are placed;
 * what an earlier member displaced is skipped.
 */
#include "unit/sched/referee_parts.h"

#include <string.h>

enum { CHAIN = 16 }; /* the scheduler follows as many */

static int64_t sign(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int queue_of(const struct bout *b, int unit)
{
	return b->w->jobs[unit / REF_ELEMENTS].queue;
}

/* ---- the list ---- */

/*
 * A more urgent member may displace the unit, whatever the shares are; all others displace a unit that
 * scavenges, whatever the policy is.
 */
static bool yields_to(const struct bout *b, int unit, int64_t priority)
{
	if (ref_scavenges(b->w, unit))
		return ref_urgent(b->w, unit);
	return b->w->policy.preempt != REF_NOBODY && ref_most_urgent(b->w, unit) < priority &&
	       ref_urgent(b->w, unit);
}

bool ref_spares(const struct bout *b, int hand, int unit)
{
	int at = ref_scavenges(b->w, hand) ? 0 : b->w->units[hand].spares;

	for (int i = 0; i < CHAIN && at; i++) {
		if (unit < 0 ? b->w->units[at - 1].state == REF_RUNS : at - 1 == unit)
			return true;
		at = b->w->units[at - 1].spares;
	}
	return false;
}

/* Units without running members have nothing to give. */
static bool is_entry(const struct bout *b, int hand, int unit, int64_t priority)
{
	bool apart = ref_shape(b->w, hand)->exclusive || b->w->jobs[hand / REF_ELEMENTS].keeps;

	/* a unit that wants nodes for itself or its user displaces only those that scavenge */
	if (!ref_running(b, unit) || (apart && !ref_scavenges(b->w, unit)))
		return false;
	if (b->now.phase[unit] == PHASE_EVICTED && ref_most_urgent(b->w, unit) <= priority &&
	    !ref_spares(b, hand, unit))
		return true;
	return (b->now.phase[unit] == PHASE_EVICTED || b->now.phase[unit] == PHASE_BOUND) &&
	       yields_to(b, unit, priority);
}

/* The order of running units of a queue and class; less than 0: x is before y. */
static int64_t compare_running(const struct bout *b, int x, int y)
{
	const struct ref *w = b->w;
	const struct ref_job *j = &w->jobs[x / REF_ELEMENTS], *k = &w->jobs[y / REF_ELEMENTS];
	int64_t c = sign(j->turn, k->turn);

	c = c ? c : sign(j->priority, k->priority);
	c = c ? c : sign(b->fresh[x], b->fresh[y]);
	if (!b->fresh[x] && !b->fresh[y])
		c = c ? c : sign(w->units[x].start, w->units[y].start);
	c = c ? c : sign(j->submit, k->submit);
	c = c ? c : sign(j->replacement || j->turn, k->replacement || k->turn);
	return c ? c : sign(x, y);
}

/* Whether x is less protected than y, at these weighted costs of the queues. */
static bool is_weaker(const struct bout *b, const double *costs, int x, int y)
{
	int64_t p = ref_most_urgent(b->w, x), q = ref_most_urgent(b->w, y);
	int of_x = queue_of(b, x), of_y = queue_of(b, y), c;
	bool extra_x = b->w->jobs[x / REF_ELEMENTS].turn > 0;
	bool extra_y = b->w->jobs[y / REF_ELEMENTS].turn > 0;

	if (extra_x != extra_y)
		return extra_x;
	if (p != q)
		return p < q;
	if (of_x == of_y)
		return compare_running(b, x, y) > 0;
	c = ref_compare(b, costs[of_x], costs[of_y]);
	return c ? c > 0 : of_x > of_y;
}

static void make_list(const struct bout *b, int hand, struct ref_list *ret)
{
	double rows[REF_QUEUES][REF_DIMS], costs[REF_QUEUES];
	int left[REF_UNITS], n = 0;

	for (int q = 0; q < REF_QUEUES; q++)
		ref_all_amounts(b, q, rows[q]);
	ref_add_unit(b, hand, true, 1, rows[queue_of(b, hand)]);
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
		if (is_entry(b, hand, u, ret->priority))
			left[n++] = u;
	while (n > 0) {
		int next = 0, unit;

		for (int q = 0; q < REF_QUEUES; q++)
			costs[q] = ref_cost(b, rows[q]) / (1 / b->w->queues[q].factor);
		for (int i = 1; i < n; i++)
			if (is_weaker(b, costs, left[i], left[next]))
				next = i;
		unit = left[next];
		left[next] = left[--n];
		ret->units[ret->count++] = unit;
		ref_add_unit(b, unit, false, -1, rows[queue_of(b, unit)]);
	}
}

const struct ref_list *ref_list(const struct bout *b, struct ref_lists *lists, int64_t priority)
{
	struct bout then;

	for (int i = 0; i < lists->count; i++)
		if (lists->of[i].priority == priority)
			return &lists->of[i];
	then = *b;
	then.now = *lists->start;
	lists->of[lists->count] = (struct ref_list){.priority = priority};
	make_list(&then, lists->unit, &lists->of[lists->count]);
	return &lists->of[lists->count++];
}

/* ---- the walk ---- */

static bool is_on(const struct bout *b, int unit, int node)
{
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		if (b->now.nodes[unit][m] == node)
			return true;
	return false;
}

/* Adds (sign 1) or subtracts (-1) what the unit uses on the node. */
static void add_use(const struct bout *b, int unit, int node, int sign, int64_t *row)
{
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		for (int d = 0; b->now.nodes[unit][m] == node && d < REF_DIMS; d++)
			row[d] += sign * ref_part(b->w, unit, m)->request[d];
}

/*
 * The node of the entry where the member has room. The nodes are compared by the sequence of the
 * resources alone: the scores of the select plugins do not count here.
 */
static int node_of(const struct bout *b, const struct ref_member *s, const struct ref_ground *g,
		   int unit)
{
	int best = -1;

	for (int n = 0; n < b->w->node_count; n++) {
		int c;

		if (!is_on(b, unit, n) || b->over[n] || !ref_may_use(b, s, g, n) ||
		    !ref_fits(g->room[n], s->part->request))
			continue;
		c = best < 0 ? -1 : ref_compare_room(g->room[n], g->room[best]);
		b->result->tie = b->result->tie || c == 0;
		if (c < 0 || (c == 0 && b->w->nodes[n].order[b->in->twin] <
						b->w->nodes[best].order[b->in->twin]))
			best = n;
	}
	return best;
}

/*
 * Of the units walked on the node, from the most protected one, each without which the member still
 * has room stays. The others are displaced.
 */
static void put_out(struct bout *b, const struct ref_member *s, const struct ref_list *list,
		    int last, int node, struct ref_ground *g)
{
	int64_t *room = g->room[node];

	for (int i = last; i >= 0; i--) {
		int unit = list->units[i];
		int64_t less[REF_DIMS];

		if (b->now.phase[unit] == PHASE_OUT || !is_on(b, unit, node))
			continue;
		memcpy(less, room, sizeof(less));
		add_use(b, unit, node, -1, less);
		g->has[node][unit] = true;
		if (ref_fits(less, s->part->request) && ref_may_use(b, s, g, node)) {
			memcpy(room, less, sizeof(less));
			continue;
		}
		g->has[node][unit] = false;
		b->now.phase[unit] = PHASE_OUT;
		b->now.why[unit] = ref_scavenges(b->w, unit)            ? "scavenging"
				   : yields_to(b, unit, list->priority) ? "urgency"
									: "fair-share";
		b->now.whom[unit] = s->unit;
		b->now.gone[b->now.gone_count++] = unit;
		b->now.rank = i > b->now.rank ? i : b->now.rank;
	}
}

int ref_displace(struct bout *b, const struct ref_member *s, const struct ref_list *list)
{
	struct ref_ground g;

	ref_survey(b, NULL, -1, &g);
	for (int i = 0; i < list->count; i++) {
		int unit = list->units[i], node;

		if (b->now.phase[unit] == PHASE_OUT)
			continue;
		for (int n = 0; n < b->w->node_count; n++)
			add_use(b, unit, n, 1, g.room[n]);
		for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
			if (b->now.nodes[unit][m] >= 0)
				g.has[b->now.nodes[unit][m]][unit] = false;
		node = node_of(b, s, &g, unit);
		if (node < 0)
			continue;
		put_out(b, s, list, i, node, &g);
		return node;
	}
	return -1;
}
