/*
 * Counts the nodes that can run a job of one shape, and the nodes that each exclusion excludes, at the
 * moment when the round tries the job.
 *
 * Input: a shape, and the nodes in their present state. Output: how many nodes each exclusion
 * excludes, the nearest node, and for each resource the largest free amount on a node that lacks
 * nothing else. Labels and taints are checked once for each node class.
 */
#include "sched/explain/explain_nodes.h"
#include "util/mem.h"

#include <string.h>

/* The exclusions found so far; each is counted under its number. */
struct node_survey {
	struct sched *s;
	struct model *m; /* of s */
	struct arena *arena;
	uint32_t shape;
	bool bound;
	struct sched_exclusion *list;
	size_t count, cap;
	uint32_t *of_kind; /* the exclusion of each node class; NIL: none; UNSEEN */
	struct node_nearest nearest;
	int64_t *most;
	struct sched_named *down;
	struct node_nearest
		taken[SCHED_NAMED]; /* those where others have the room, nearest first */
	uint32_t taken_count;       /* of all of them */
};

enum { UNSEEN = NIL - 1 };

static uint32_t add(struct node_survey *v, enum sched_excluder by, const char *what)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->list[i].by == by && (!what || strcmp(v->list[i].what, what) == 0))
			return (uint32_t)i;
	GROW(v->list, v->cap, v->count + 1);
	v->list[v->count] = (struct sched_exclusion){.by = by, .what = what};
	return (uint32_t)v->count++;
}

const char *explain_nodes_selector(struct arena *a, const struct sched_selector *sel)
{
	return arena_printf(a, "%s%s%s%s", sel->negate ? "!" : "", sel->key, *sel->value ? "=" : "",
			    sel->value);
}

const char *explain_nodes_condition(struct arena *a, const struct sched_selector *list,
				    size_t first, size_t end)
{
	const char *text = explain_nodes_selector(a, &list[first]);

	for (size_t i = first + 1; i < end; i++)
		text = arena_printf(a, "%s|%s", text, explain_nodes_selector(a, &list[i]));
	return text;
}

/* The text of a condition that the job or its queue makes. */
static const char *condition_text(const struct node_survey *v, const struct constraint *c,
				  size_t first, size_t end)
{
	const char *text = explain_nodes_condition(v->arena, c->selectors, first, end);

	return first < c->selector_count - c->of_queue
		       ? text
		       : arena_printf(v->arena, "%s, which its queue requires", text);
}

static const char *taint_text(struct arena *a, const struct sched_taint *t)
{
	return arena_printf(a, "%s%s%s:%s", t->key, *t->value ? "=" : "", t->value, t->effect);
}

static bool has_label(const struct node_class *k, const char *shape)
{
	struct sched_selector any = {.key = shape, .value = ""};

	return constraint_selects(&any, k);
}

/* The label or taint that excludes this node class; NIL: none. */
static uint32_t judge_kind(struct node_survey *v, const struct node_class *k)
{
	const struct constraint *c = v->m->shapes.list[v->shape].constraint;

	for (size_t i = 0, end; c && i < c->selector_count; i = end) {
		end = constraint_condition_end(c->selectors, c->selector_count, i);
		if (!constraint_meets(c->selectors, i, end, k))
			return add(v, EXCLUDED_LABEL, condition_text(v, c, i, end));
	}
	if (c && *c->uniformity && !has_label(k, c->uniformity))
		return add(v, EXCLUDED_LABEL, arena_strdup(v->arena, c->uniformity));
	for (size_t i = 0; i < k->taint_count; i++)
		if (!constraint_tolerates(c, &k->taints[i]))
			return add(v, EXCLUDED_TAINT, taint_text(v->arena, &k->taints[i]));
	return NIL;
}

/* The first resource of which the row has less than requested; dims: none. */
static size_t lacks(const struct model *m, const int64_t *have, const int64_t *request)
{
	for (size_t r = 0; r < m->dims; r++)
		if (have[r] < request[r])
			return r;
	return m->dims;
}

/* Notes the free amount of r on this node, if r is the only resource of which the node has too little. */
static void measure(struct node_survey *v, uint32_t node, size_t r)
{
	const struct model *m = v->m;
	const int64_t *have = nodes_free(m, node), *request = job_shape_request(m, v->shape);

	for (size_t i = 0; i < m->dims; i++)
		if (i != r && have[i] < request[i])
			return;
	if (have[r] > v->most[r])
		v->most[r] = have[r];
}

static void name(const struct node_survey *v, struct sched_named *list, uint32_t node)
{
	list->nodes[list->count++] = arena_strdup(v->arena, v->m->nodes.list[node].name);
}

/* Keeps the nearest of the nodes where others have the room. */
static void note_taken(struct node_survey *v, uint32_t node)
{
	struct node_nearest next = {.node = NIL};

	v->taken_count++;
	node_index_nearer(v->m, &next, node, job_shape_request(v->m, v->shape));
	for (size_t i = 0; i < SCHED_NAMED && next.node != NIL; i++) {
		struct node_nearest was = v->taken[i];

		node_index_nearer(v->m, &v->taken[i], next.node, job_shape_request(v->m, v->shape));
		if (v->taken[i].node != was.node)
			next = was;
	}
}

static void name_taken(const struct node_survey *v, struct sched_named *list)
{
	list->of = v->taken_count;
	for (size_t i = 0; i < SCHED_NAMED && v->taken[i].node != NIL; i++)
		name(v, list, v->taken[i].node);
}

/* The label or taint that excludes the node; NIL: none. Judged once for each node class. */
static uint32_t excluded_by_kind(struct node_survey *v, uint32_t kind)
{
	if (v->of_kind[kind] == UNSEEN)
		v->of_kind[kind] = judge_kind(v, &v->m->node_classes.list[kind]);
	return v->of_kind[kind];
}

/* Names a node that is down if the job could use it otherwise. */
static void name_down(struct node_survey *v, uint32_t node)
{
	const struct model *m = v->m;

	if (!constraint_lists(m, m->shapes.list[v->shape].constraint, node) ||
	    excluded_by_kind(v, m->nodes.list[node].kind) != NIL ||
	    lacks(m, nodes_total(m, node), job_shape_request(m, v->shape)) < m->dims)
		return;
	if (v->down->count < SCHED_NAMED)
		name(v, v->down, node);
	v->down->of++;
}

/* The exclusion of a node of which the job could use more than is free. */
static uint32_t judge_lack(struct node_survey *v, uint32_t node, size_t r)
{
	struct model *m = v->m;
	const int64_t *request = job_shape_request(m, v->shape);
	size_t at_all = lacks(m, nodes_total(m, node), request);

	node_index_nearer(m, &v->nearest, node, request);
	measure(v, node, r);
	if (at_all < m->dims)
		return add(v, EXCLUDED_TOO_SMALL, m->resources[at_all]);
	note_taken(v, node);
	return add(v, EXCLUDED_BUSY, m->resources[r]);
}

/* The exclusion of this node; NIL: it could run a member. */
static uint32_t judge(struct node_survey *v, uint32_t node)
{
	struct model *m = v->m;
	const struct node *n = &m->nodes.list[node];
	const struct job_shape *k = &m->shapes.list[v->shape];
	const int64_t *request = job_shape_request(m, v->shape);
	size_t r;

	if (!n->schedulable) {
		name_down(v, node);
		return add(v, EXCLUDED_DOWN, NULL);
	}
	if (!constraint_lists(m, k->constraint, node))
		return add(v,
			   constraint_avoids(k->constraint, n->name) ? EXCLUDED_AVOIDED
								     : EXCLUDED_LIST,
			   NULL);
	if (excluded_by_kind(v, n->kind) != NIL)
		return v->of_kind[n->kind];
	r = lacks(m, nodes_free(m, node), request);
	if (r < m->dims)
		return judge_lack(v, node, r);
	if (!tenants_admit(&n->tenants, k)) {
		note_taken(v, node);
		return add(v,
			   n->tenants.exclusive || k->exclusive ? EXCLUDED_OCCUPIED : EXCLUDED_KEPT,
			   NULL);
	}
	if (v->bound && n->reserved != NIL &&
	    reservation_lacks(m, &v->s->reservation, node, v->shape))
		return add(v, EXCLUDED_RESERVED, NULL);
	return NIL;
}

static int compare(const void *x, const void *y)
{
	const struct sched_exclusion *a = x, *b = y;

	if (a->nodes != b->nodes)
		return a->nodes > b->nodes ? -1 : 1;
	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	return a->what && b->what ? strcmp(a->what, b->what) : 0;
}

static void name_nearest(const struct node_survey *v, struct sched_explanation *out)
{
	const struct model *m = v->m;
	const int64_t *request = job_shape_request(m, v->shape), *have;
	const char *text = "";

	if (v->nearest.node == NIL)
		return;
	have = nodes_free(m, v->nearest.node);
	out->nearest = arena_strdup(v->arena, m->nodes.list[v->nearest.node].name);
	for (size_t r = 0; r < m->dims; r++) {
		char lack[32];
		int64_t by;

		if (have[r] >= request[r])
			continue;
		if (__builtin_sub_overflow(request[r], have[r], &by))
			by = INT64_MAX;
		amounts_format(r, by, lack, sizeof(lack));
		text = arena_printf(v->arena, "%s%s%s %s", text, *text ? ", " : "", lack,
				    m->resources[r]);
	}
	out->nearest_lacks = text;
}

/* The shape of the first part of a gang whose members are not alike; for other jobs the shape itself. */
static uint32_t part_of(const struct model *m, uint32_t shape)
{
	uint32_t n;

	return job_shape_parts(m, &shape, &n)[0];
}

void explain_nodes_count(struct sched *s, uint32_t shape, bool bound, struct sched_explanation *out,
			 int64_t *ret_most)
{
	struct model *m = &s->model;
	struct node_survey v = {.s = s,
				.m = m,
				.arena = out->arena,
				.shape = part_of(m, shape),
				.bound = bound,
				.nearest = {.node = NIL},
				.most = ret_most,
				.down = &out->down};

	for (size_t r = 0; r < m->dims; r++)
		ret_most[r] = -1;
	v.of_kind = arena_alloc(v.arena, (m->node_classes.count + 1) * sizeof(*v.of_kind));
	for (size_t k = 0; k < m->node_classes.count; k++)
		v.of_kind[k] = UNSEEN;
	for (size_t i = 0; i < SCHED_NAMED; i++)
		v.taken[i].node = NIL;
	out->nodes = out->fitting = 0;
	out->down = out->taken = (struct sched_named){0};
	for (uint32_t i = 0; i < m->nodes.count; i++) {
		uint32_t by;

		if (!m->nodes.list[i].present)
			continue;
		out->nodes++;
		by = judge(&v, i);
		if (by == NIL)
			out->fitting++;
		else
			v.list[by].nodes++;
	}
	if (v.count) {
		qsort(v.list, v.count, sizeof(*v.list), compare);
		while (v.count && !v.list[v.count - 1].nodes) /* of nodes that are down, too */
			v.count--;
		out->exclusions = arena_memdup(v.arena, v.list, v.count * sizeof(*v.list));
	}
	out->exclusion_count = v.count;
	free(v.list);
	name_nearest(&v, out);
	name_taken(&v, &out->taken);
}
