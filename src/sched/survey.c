#include "sched/ends.h"
#include "sched/survey.h"
#include "sched/reason.h"
#include "util/mem.h"

#include <string.h>

/* The exclusions found so far; each has a number, by which it is counted up. */
struct survey {
	struct sched *s;
	struct arena *arena;
	uint32_t key;
	bool bound;
	struct sched_exclusion *list;
	size_t count, cap;
	uint32_t *of_kind; /* the exclusion of each kind of node, NIL: none, UNSEEN */
	uint32_t plain[EXCLUDED_AVOIDED + 1], small[SCHED_RESOURCES], busy[SCHED_RESOURCES];
	uint32_t nearest;
	double lack;
	int64_t *most;
};

enum { UNSEEN = NIL - 1 };

static uint32_t add(struct survey *v, enum sched_excluder by, const char *what)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->list[i].by == by && what && v->list[i].what &&
		    strcmp(v->list[i].what, what) == 0)
			return (uint32_t)i;
	GROW(v->list, v->cap, v->count + 1);
	v->list[v->count] = (struct sched_exclusion){.by = by, .what = what};
	return (uint32_t)v->count++;
}

static uint32_t add_plain(struct survey *v, enum sched_excluder by)
{
	if (v->plain[by] == NIL)
		v->plain[by] = add(v, by, NULL);
	return v->plain[by];
}

static uint32_t add_resource(struct survey *v, enum sched_excluder by, size_t r)
{
	uint32_t *at = by == EXCLUDED_BUSY ? &v->busy[r] : &v->small[r];

	if (*at == NIL)
		*at = add(v, by, v->s->resources[r]);
	return *at;
}

static const char *selector_text(struct arena *a, const struct sched_selector *sel)
{
	return arena_printf(a, "%s%s%s%s", sel->negate ? "!" : "", sel->key, *sel->value ? "=" : "",
			    sel->value);
}

static const char *taint_text(struct arena *a, const struct sched_taint *t)
{
	return arena_printf(a, "%s%s%s:%s", t->key, *t->value ? "=" : "", t->value, t->effect);
}

static bool has_label(const struct kind *k, const char *key)
{
	struct sched_selector any = {key, "", false};

	return constraint_selects(&any, k);
}

/* What of labels and taints keeps the key off this kind; NIL: nothing. */
static uint32_t judge_kind(struct survey *v, const struct kind *k)
{
	const struct constraint *c = v->s->keys[v->key].constraint;

	for (size_t i = 0; c && i < c->selector_count; i++)
		if (!constraint_selects(&c->selectors[i], k))
			return add(v, EXCLUDED_LABEL, selector_text(v->arena, &c->selectors[i]));
	if (c && *c->uniformity && !has_label(k, c->uniformity))
		return add(v, EXCLUDED_LABEL, arena_strdup(v->arena, c->uniformity));
	for (size_t i = 0; i < k->taint_count; i++)
		if (!constraint_tolerates(c, &k->taints[i]))
			return add(v, EXCLUDED_TAINT, taint_text(v->arena, &k->taints[i]));
	return NIL;
}

/* The first resource of which the row has less than is asked for; dims: none. */
static size_t lacks(const struct sched *s, const int64_t *have, const int64_t *request)
{
	for (size_t r = 0; r < s->dims; r++)
		if (have[r] < request[r])
			return r;
	return s->dims;
}

static void consider(struct survey *v, uint32_t node)
{
	double lack = index_lack(v->s, node_free(v->s, node), key_request(v->s, v->key));

	if (v->nearest != NIL &&
	    (lack > v->lack ||
	     (!(lack < v->lack) && v->s->nodes[node].order > v->s->nodes[v->nearest].order)))
		return;
	v->nearest = node;
	v->lack = lack;
}

/* The node would do with less of one resource. */
static void measure(struct survey *v, uint32_t node, size_t r)
{
	const struct sched *s = v->s;
	const int64_t *have = node_free(s, node), *request = key_request(s, v->key);

	for (size_t i = 0; i < s->dims; i++)
		if (i != r && have[i] < request[i])
			return;
	if (have[r] > v->most[r])
		v->most[r] = have[r];
}

/* The exclusion of this node; NIL: it could take a member. */
static uint32_t judge(struct survey *v, uint32_t node)
{
	struct sched *s = v->s;
	const struct node *n = &s->nodes[node];
	const struct key *k = &s->keys[v->key];
	const int64_t *request = key_request(s, v->key);
	size_t r;

	if (!n->schedulable)
		return add_plain(v, EXCLUDED_DOWN);
	if (!constraint_lists(s, k->constraint, node))
		return add_plain(v, constraint_avoids(k->constraint, n->name) ? EXCLUDED_AVOIDED
									      : EXCLUDED_LIST);
	if (v->of_kind[n->kind] == UNSEEN)
		v->of_kind[n->kind] = judge_kind(v, &s->kinds[n->kind]);
	if (v->of_kind[n->kind] != NIL)
		return v->of_kind[n->kind];
	r = lacks(s, node_free(s, node), request);
	if (r < s->dims) {
		size_t at_all = lacks(s, node_total(s, node), request);

		consider(v, node);
		measure(v, node, r);
		return at_all < s->dims ? add_resource(v, EXCLUDED_TOO_SMALL, at_all)
					: add_resource(v, EXCLUDED_BUSY, r);
	}
	if (n->exclusive || (k->exclusive && n->tasks))
		return add_plain(v, EXCLUDED_OCCUPIED);
	if (v->bound && n->reserved != NIL && reserve_lacks(s, node, v->key))
		return add_plain(v, EXCLUDED_RESERVED);
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

static void name_nearest(const struct survey *v, struct sched_explanation *out)
{
	const struct sched *s = v->s;
	const int64_t *request = key_request(s, v->key), *have;
	const char *text = "";

	if (v->nearest == NIL)
		return;
	have = node_free(s, v->nearest);
	out->nearest = arena_strdup(v->arena, s->nodes[v->nearest].name);
	for (size_t r = 0; r < s->dims; r++) {
		char lack[32];
		int64_t by;

		if (have[r] >= request[r])
			continue;
		if (__builtin_sub_overflow(request[r], have[r], &by))
			by = INT64_MAX;
		reason_amount(r, by, lack, sizeof(lack));
		text = arena_printf(v->arena, "%s%s%s %s", text, *text ? ", " : "", lack,
				    s->resources[r]);
	}
	out->nearest_lacks = text;
}

/* Of a gang whose members are not alike, the part that counts is the first. */
static uint32_t part_of(const struct sched *s, uint32_t key)
{
	uint32_t n;

	return key_parts(s, &key, &n)[0];
}

void survey_nodes(struct sched *s, uint32_t key, bool bound, struct sched_explanation *out,
		  int64_t *ret_most)
{
	struct survey v = {.s = s,
			   .arena = out->arena,
			   .key = part_of(s, key),
			   .bound = bound,
			   .nearest = NIL,
			   .most = ret_most};

	for (size_t r = 0; r < s->dims; r++)
		ret_most[r] = -1;
	memset(v.plain, 0xff, sizeof(v.plain));
	memset(v.small, 0xff, sizeof(v.small));
	memset(v.busy, 0xff, sizeof(v.busy));
	v.of_kind = arena_alloc(v.arena, (s->kind_count + 1) * sizeof(*v.of_kind));
	for (size_t k = 0; k < s->kind_count; k++)
		v.of_kind[k] = UNSEEN;
	out->nodes = out->fitting = 0;
	for (uint32_t i = 0; i < s->node_count; i++) {
		uint32_t by;

		if (!s->nodes[i].present)
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
		out->exclusions = arena_memdup(v.arena, v.list, v.count * sizeof(*v.list));
	}
	out->exclusion_count = v.count;
	free(v.list);
	name_nearest(&v, out);
}
