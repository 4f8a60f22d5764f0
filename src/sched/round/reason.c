/*
 * Why a gang does not fit, in one line with its numbers.
 *
 * Input: a shape, and how many of its members have room if that is known. Output: the reason, that
 * is the first that holds: no node is up; there is room for some members only; no node has its
 * labels, lists and taints; one resource alone rules out all nodes; else the nearest node. Where
 * possible, bounds of the index are used instead of all nodes, because a round may ask for many
 * shapes.
 */
#include "sched/round/reason.h"
#include "sched/round/state.h"
#include "util/buf.h"
#include "util/plural.h"

#include <inttypes.h>
#include <stdio.h>

enum { NEAREST_WORK = 1 << 21 }; /* nodes visited in a round to find nearest nodes */

/* The shape in question, and facts about the nodes. */
struct question {
	struct sched *s;
	struct model *m; /* of s */
	struct arena *arena;
	uint32_t shape;
	struct constraint *constraint;
	bool lists; /* the constraint has lists of nodes */
	struct node_index_ask ask;
	uint32_t usable; /* nodes that its constraints allow */
	char who[64];    /* "none of 12 nodes", "no node of the 3 it may use" */
};

static bool may_use(const struct question *q, uint32_t node)
{
	const struct node *n = &q->m->nodes.list[node];

	return n->present && n->schedulable &&
	       node_class_bits_have(q->ask.kinds, q->ask.kind_set, n->kind) &&
	       (!q->lists || constraint_lists(q->m, q->constraint, node));
}

/* The node with more in this row; of equals the one declared first. */
static uint32_t more(const struct model *m, const int64_t *rows, size_t r, uint32_t a, uint32_t b)
{
	int64_t x, y;

	if (a == NIL || b == NIL)
		return a == NIL ? b : a;
	x = rows[(size_t)a * m->dims + r];
	y = rows[(size_t)b * m->dims + r];
	if (x != y)
		return x > y ? a : b;
	return m->nodes.list[a].order < m->nodes.list[b].order ? a : b;
}

static uint32_t scan(const struct question *q, const int64_t *rows, size_t r)
{
	uint32_t best = NIL;

	for (uint32_t i = 0; i < q->m->nodes.count; i++)
		if (may_use(q, i))
			best = more(q->m, rows, r, best, i);
	return best;
}

/* For each node class: how many nodes are usable, and the largest one in each resource. */
static void measure_kinds(struct model *m)
{
	if (m->node_classes.measured == m->nodes.totals_version)
		return;
	for (size_t k = 0; k < m->node_classes.count; k++) {
		m->node_classes.list[k].up = 0;
		for (size_t r = 0; r < m->dims; r++)
			m->node_classes.list[k].largest[r] = NIL;
	}
	for (uint32_t i = 0; i < m->nodes.count; i++) {
		struct node_class *k = &m->node_classes.list[m->nodes.list[i].kind];

		if (!m->nodes.list[i].present || !m->nodes.list[i].schedulable)
			continue;
		k->up++;
		for (size_t r = 0; r < m->dims; r++)
			k->largest[r] = more(m, m->nodes.total, r, k->largest[r], i);
	}
	m->node_classes.measured = m->nodes.totals_version;
}

static uint32_t count_up(struct model *m)
{
	uint32_t n = 0;

	measure_kinds(m);
	for (size_t k = 0; k < m->node_classes.count; k++)
		n += m->node_classes.list[k].up;
	return n;
}

static uint32_t count_usable(const struct question *q)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < q->m->node_classes.count && !q->lists; k++)
		n += node_class_bits_have(q->ask.kinds, q->ask.kind_set, k)
			     ? q->m->node_classes.list[k].up
			     : 0;
	for (uint32_t i = 0; i < q->m->nodes.count && q->lists; i++)
		n += may_use(q, i);
	return n;
}

static uint32_t largest(const struct question *q, size_t r)
{
	uint32_t best = NIL;

	if (q->lists)
		return scan(q, q->m->nodes.total, r);
	for (uint32_t k = 0; k < q->m->node_classes.count; k++)
		if (node_class_bits_have(q->ask.kinds, q->ask.kind_set, k))
			best = more(q->m, q->m->nodes.total, r, best,
				    q->m->node_classes.list[k].largest[r]);
	return best;
}

/* The result is kept until a node changes: many shapes ask the same. */
static uint32_t freest(const struct question *q, size_t r)
{
	struct model *m = q->m;
	struct freest *f =
		q->constraint ? &q->constraint->kinds.freest : &m->constraints.plain.freest;

	if (f->at != m->nodes.moves)
		*f = (struct freest){.at = m->nodes.moves};
	if (!(f->known >> r & 1))
		f->nodes[r] = q->lists ? scan(q, m->nodes.free, r)
				       : node_index_best(m, &m->nodes.index, &q->ask, r);
	f->known |= UINT32_C(1) << r;
	return f->nodes[r];
}

static struct reason none_has(const struct question *q, size_t r, uint32_t best)
{
	struct model *m = q->m;
	const int64_t *request = job_shape_request(m, q->shape);
	uint32_t big = largest(q, r);
	char want[32], have[32];

	if (big == NIL)
		return (struct reason){0};
	amounts_format(r, request[r], want, sizeof(want));
	if (nodes_total(m, big)[r] < request[r]) {
		amounts_format(r, nodes_total(m, big)[r], have, sizeof(have));
		return reason_printf(q->arena, WHY_TOO_LARGE,
				     "%s has %s %s at all (largest: %s with %s)", q->who, want,
				     m->resources[r], m->nodes.list[big].name, have);
	}
	if (best == NIL)
		return reason_printf(q->arena, WHY_RESOURCES, "%s has %s %s free now", q->who, want,
				     m->resources[r]);
	amounts_format(r, nodes_free(m, best)[r], have, sizeof(have));
	return reason_printf(q->arena, WHY_RESOURCES, "%s has %s %s free now (best: %s with %s)",
			     q->who, want, m->resources[r], m->nodes.list[best].name, have);
}

/*
 * "no node has 9 cpu free now (best: n0 with 4)": the first resource that alone rules out all
 * nodes.
 */
static struct reason one_resource(const struct question *q)
{
	struct model *m = q->m;
	const int64_t *request = job_shape_request(m, q->shape);

	for (size_t r = 0; r < m->dims; r++) {
		uint32_t best = request[r] > 0 ? freest(q, r) : NIL;
		struct reason why;

		if (request[r] <= 0 || (best != NIL && nodes_free(m, best)[r] >= request[r]))
			continue;
		why = none_has(q, r, best);
		if (why.text)
			return why;
	}
	return (struct reason){0};
}

static void list_amounts(const struct model *m, const int64_t *request, const int64_t *amounts,
			 struct buf *out)
{
	const char *sep = "";
	char text[32];

	for (size_t r = 0; r < m->dims; r++) {
		if (request[r] <= 0)
			continue;
		amounts_format(r, amounts[r], text, sizeof(text));
		buf_addf(out, "%s%s %s", sep, text, m->resources[r]);
		sep = ", ";
	}
}

static uint32_t nearest(const struct question *q)
{
	struct sched *s = q->s;
	struct model *m = q->m;
	struct node_nearest best = {.node = NIL};

	if (!q->lists)
		return node_index_nearest(m, &m->nodes.index, &q->ask, &s->reasons.nearest_work);
	s->reasons.nearest_work += m->nodes.count;
	for (uint32_t i = 0; i < m->nodes.count; i++)
		if (may_use(q, i) && !m->nodes.list[i].tenants.exclusive)
			node_index_nearer(m, &best, i, q->ask.request);
	return best.node;
}

/* Each resource is free on some node, but all of them on none. */
static const char *together(const struct question *q)
{
	struct sched *s = q->s;
	struct model *m = q->m;
	const int64_t *request = job_shape_request(m, q->shape);
	uint32_t best = s->reasons.nearest_work < NEAREST_WORK ? nearest(q) : NIL;
	struct buf b = {0};
	const char *text;

	buf_addf(&b, "%s has ", q->who);
	list_amounts(m, request, request, &b);
	buf_addstr(&b, " free together");
	if (best != NIL) {
		buf_addf(&b, " (nearest: %s with ", m->nodes.list[best].name);
		list_amounts(m, request, nodes_free(m, best), &b);
		buf_addc(&b, ')');
	}
	text = arena_strdup(q->arena, (const char *)b.data);
	buf_done(&b);
	return text;
}

/* Is a node up that meets the condition? */
static bool any_met(const struct model *m, const struct sched_selector *list, size_t first,
		    size_t end)
{
	for (size_t k = 0; k < m->node_classes.count; k++)
		if (m->node_classes.list[k].up &&
		    constraint_meets(list, first, end, &m->node_classes.list[k]))
			return true;
	return false;
}

/* No node that is up meets this condition of the job or of its queue. */
static struct reason unmet(const struct question *q, size_t first, size_t end)
{
	const struct constraint *c = q->constraint;
	bool of_queue = first >= c->selector_count - c->of_queue;
	struct reason reason;
	struct buf b = {0};

	for (size_t i = first; i < end; i++)
		buf_addf(&b, "%s%s%s%s%s", i > first ? " or " : "",
			 c->selectors[i].negate ? "other than " : "", c->selectors[i].key,
			 *c->selectors[i].value ? "=" : "", c->selectors[i].value);
	reason = reason_printf(q->arena, WHY_CONSTRAINTS, "no node that is up has label %s%s",
			       (const char *)b.data, of_queue ? ", which its queue requires" : "");
	buf_done(&b);
	return reason;
}

/* All nodes must share the value of a label, but no node that is up has the label. */
static bool is_uniform_in_vain(const struct question *q)
{
	const struct constraint *c = q->constraint;

	return c && *c->uniformity &&
	       !any_met(q->m, &(struct sched_selector){.key = c->uniformity, .value = ""}, 0, 1);
}

/* No node may be used: find the demand that excludes all. */
static struct reason no_candidate(const struct question *q)
{
	const struct constraint *c = q->constraint;

	for (size_t i = 0, end; c && i < c->selector_count; i = end) {
		end = constraint_condition_end(c->selectors, c->selector_count, i);
		if (!any_met(q->m, c->selectors, i, end))
			return unmet(q, i, end);
	}
	if (c && c->avoid_count)
		return reason_printf(
			q->arena, WHY_CONSTRAINTS,
			"it could not be started on %s%s just now, and no other node is eligible",
			c->exclude[c->exclude_count], c->avoid_count > 1 ? " ..." : "");
	if (c && c->include_count)
		return reason_printf(q->arena, WHY_CONSTRAINTS,
				     "no node on its list (%s%s) is up and accepts it",
				     c->include[0], c->include_count > 1 ? " ..." : "");
	if (c && (c->selector_count || c->exclude_count))
		return (struct reason){
			WHY_CONSTRAINTS,
			"no node that is up meets its labels, node lists and tolerations together"};
	return (struct reason){WHY_TAINTS,
			       "every node that is up has a taint it does not tolerate"};
}

static const char *gang(const struct question *q, uint32_t found)
{
	const struct job_shape *k = &q->m->shapes.list[q->shape];

	if (q->constraint && *q->constraint->uniformity)
		return arena_printf(
			q->arena,
			"needs room for %u at once on nodes with one value of label %s, "
			"at most %u %s it",
			k->members, q->constraint->uniformity, found, plural(found, "has", "have"));
	if (k->distinct || k->exclusive)
		return arena_printf(q->arena, "needs %u %s at once, %u %s room", k->members,
				    plural(k->members, "node", "nodes"), found,
				    plural(found, "has", "have"));
	return arena_printf(q->arena, "needs room for %u %s at once, there is room for %u",
			    k->members, plural(k->members, "task", "tasks"), found);
}

static void ask_who(struct question *q, uint32_t up)
{
	if (q->usable < up)
		snprintf(q->who, sizeof(q->who), "no node of the %u it may use", q->usable);
	else if (up > 1)
		snprintf(q->who, sizeof(q->who), "none of %u nodes", up);
	else
		snprintf(q->who, sizeof(q->who), "no node");
}

/* Nodes have the room, but other users' tasks or the jobs that keep them rule it out. */
static struct reason kept_away(const struct question *q)
{
	const struct model *m = q->m;
	const struct job_shape *k = &m->shapes.list[q->shape];
	uint32_t n = 0;

	if (!m->users.keepers || k->exclusive || q->s->reasons.nearest_work >= NEAREST_WORK)
		return (struct reason){0};
	q->s->reasons.nearest_work += m->nodes.count;
	for (uint32_t i = 0; i < m->nodes.count; i++)
		n += may_use(q, i) && !m->nodes.list[i].tenants.exclusive &&
		     !tenants_admit(&m->nodes.list[i].tenants, k) &&
		     amounts_cover(nodes_free(m, i), q->ask.request, m->dims);
	if (!n)
		return (struct reason){0};
	if (k->exclusive_user)
		return reason_printf(
			q->arena, WHY_RESOURCES,
			"shares nodes only with jobs of its user, and %u %s room beside "
			"tasks of other users",
			n, plural(n, "node has", "nodes have"));
	return reason_printf(q->arena, WHY_RESOURCES,
			     "%u %s room, but %s kept for the jobs of another user", n,
			     plural(n, "node has", "nodes have"), plural(n, "is", "are"));
}

struct reason reason_blocked(struct sched *s, struct arena *a, uint32_t shape, uint32_t found)
{
	struct model *m = &s->model;
	struct job_shape *k = &m->shapes.list[shape];
	struct question q = {.s = s,
			     .m = m,
			     .arena = a,
			     .shape = shape,
			     .constraint = k->constraint,
			     .lists = constraint_has_lists(k->constraint)};
	const struct node_class_set *kinds;
	uint32_t up = count_up(m);
	struct reason why;

	if (!up)
		return (struct reason){WHY_NODES_DOWN, "no nodes are up"};
	kinds = job_shape_classes(m, shape);
	q.ask = (struct node_index_ask){.request = job_shape_request(m, shape),
					.kinds = kinds->bits,
					.kind_set = kinds->set};
	if (found == NIL && k->members > 1 && place_gang(s, shape, &found))
		place_undo(s);
	if (found != NIL && found > 0)
		return (struct reason){WHY_GANG, gang(&q, found)};
	q.usable = count_usable(&q);
	if (!q.usable)
		return no_candidate(&q);
	if (is_uniform_in_vain(&q))
		return reason_printf(a, WHY_CONSTRAINTS, "no node that is up has label %s",
				     k->constraint->uniformity);
	ask_who(&q, up);
	why = kept_away(&q);
	if (why.text)
		return why;
	why = one_resource(&q);
	if (why.text)
		return why;
	if (k->exclusive)
		return reason_printf(a, WHY_RESOURCES, "wants a whole node, and %s is empty",
				     q.who);
	return (struct reason){WHY_RESOURCES, together(&q)};
}

struct reason reason_unready(struct arena *a, const struct job *j)
{
	if (j->held)
		return (struct reason){WHY_HELD, "held"};
	return reason_printf(a, WHY_ARRAY_LIMIT, "array limit of %u running %s reached",
			     j->throttle, plural(j->throttle, "element", "elements"));
}

struct reason reason_closed(const struct queue *q)
{
	if (q->present)
		return (struct reason){WHY_QUEUE_CORDONED, "queue is cordoned"};
	return (struct reason){WHY_QUEUE_REMOVED, "queue was removed"};
}
