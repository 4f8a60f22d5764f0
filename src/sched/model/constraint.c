/*
 * Constraints: kept once for all shapes that share them, and evaluated once for each node class.
 *
 * Input: what a job demands of nodes besides resources. Output: a set of node classes, and the
 * listed nodes. A constraint is described as a text that holds all its strings; equal texts are
 * equal constraints. Names in node lists are resolved again when nodes are added or removed.
 */
#include "sched/model/constraint.h"
#include "sched/model/model.h"
#include "sched/model/packed_text.h"
#include "sched/model/table.h"

#include <string.h>

static bool is_plain(const struct sched_job *j)
{
	return !j->selector_count && !j->toleration_count && !j->include_count &&
	       !j->exclude_count && !j->avoid_count && !(j->uniformity && *j->uniformity);
}

/* Numbers at the beginning of the text: the length of each list. */
enum { COUNTS = 6 };

/* All fields, unambiguously: equal texts are equal constraints. */
static void describe(const struct sched_job *j, struct buf *b)
{
	uint64_t counts[COUNTS] = {j->selector_count, j->toleration_count, j->include_count,
				   j->exclude_count,  j->avoid_count,      j->of_queue};

	buf_add(b, counts, sizeof(counts));
	for (size_t i = 0; i < j->selector_count; i++) {
		buf_addc(b, j->selectors[i].negate);
		buf_addc(b, j->selectors[i].alternative);
		packed_text_put(b, j->selectors[i].key);
		packed_text_put(b, j->selectors[i].value);
	}
	for (size_t i = 0; i < j->toleration_count; i++) {
		packed_text_put(b, j->tolerations[i].key);
		packed_text_put(b, j->tolerations[i].op);
		packed_text_put(b, j->tolerations[i].value);
	}
	for (size_t i = 0; i < j->include_count; i++)
		packed_text_put(b, j->include[i]);
	for (size_t i = 0; i < j->exclude_count; i++)
		packed_text_put(b, j->exclude[i]);
	for (size_t i = 0; i < j->avoid_count; i++)
		packed_text_put(b, j->avoid[i]);
	packed_text_put(b, j->uniformity);
}

static void point_into_text(struct constraint *c)
{
	const char *at = c->text + COUNTS * sizeof(uint64_t);

	for (size_t i = 0; i < c->selector_count; i++) {
		c->selectors[i].negate = *at++;
		c->selectors[i].alternative = *at++;
		c->selectors[i].key = packed_text_take(&at);
		c->selectors[i].value = packed_text_take(&at);
	}
	for (size_t i = 0; i < c->toleration_count; i++) {
		c->tolerations[i].key = packed_text_take(&at);
		c->tolerations[i].op = packed_text_take(&at);
		c->tolerations[i].value = packed_text_take(&at);
	}
	for (size_t i = 0; i < c->include_count; i++)
		c->include[i] = packed_text_take(&at);
	for (size_t i = 0; i < c->exclude_count + c->avoid_count; i++)
		c->exclude[i] = packed_text_take(&at);
	c->uniformity = packed_text_take(&at);
}

struct constraint *constraint_new(const struct sched_job *job)
{
	struct constraint *c;
	struct buf b = {0};

	if (is_plain(job))
		return NULL;
	c = xcalloc(1, sizeof(*c));
	describe(job, &b);
	c->text = (char *)buf_take(&b, &c->len);
	c->selector_count = job->selector_count;
	c->of_queue = job->of_queue;
	c->toleration_count = job->toleration_count;
	c->include_count = job->include_count;
	c->exclude_count = job->exclude_count;
	c->avoid_count = job->avoid_count;
	c->selectors = xcalloc(c->selector_count, sizeof(*c->selectors));
	c->tolerations = xcalloc(c->toleration_count, sizeof(*c->tolerations));
	c->include = xcalloc(c->include_count, sizeof(*c->include));
	c->exclude = xcalloc(c->exclude_count + c->avoid_count, sizeof(*c->exclude));
	point_into_text(c);
	return c;
}

void constraint_free(struct constraint *c)
{
	if (!c)
		return;
	free(c->selectors);
	free(c->tolerations);
	free(c->include);
	free(c->exclude);
	free(c->include_nodes);
	free(c->exclude_nodes);
	free(c->kinds.set);
	free(c->text);
	free(c);
}

static bool same_constraint(const void *arg, uint32_t id, const void *what)
{
	const struct constraint *a = ((const struct model *)arg)->constraints.list[id].c, *b = what;

	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static void keep(struct model *m, struct constraint *c, uint32_t hash)
{
	c->id = TABLE_PLACE(&m->constraints, next);
	m->constraints.list[c->id] = (struct constraint_place){.c = c};
	map_add(&m->constraints.map, hash, c->id);
}

struct constraint *constraint_intern(struct model *m, const struct sched_job *job)
{
	struct constraint *c = constraint_new(job);
	uint32_t hash, id;

	if (!c)
		return NULL;
	hash = hash_bytes(0, c->text, c->len);
	id = map_find(&m->constraints.map, hash, same_constraint, m, c);
	if (id == NIL) {
		keep(m, c, hash);
	} else {
		constraint_free(c);
		c = m->constraints.list[id].c;
	}
	c->users++;
	return c;
}

void constraint_release(struct model *m, struct constraint *c)
{
	if (!c || --c->users)
		return;
	map_remove(&m->constraints.map, hash_bytes(0, c->text, c->len), c->id);
	m->constraints.list[c->id] = (struct constraint_place){.next = m->constraints.unused};
	m->constraints.unused = c->id;
	constraint_free(c);
}

bool constraint_selects(const struct sched_selector *sel, const struct node_class *k)
{
	const char *value = node_class_label(k, sel->key);
	bool is = value && (!*sel->value || strcmp(value, sel->value) == 0);

	return is != sel->negate;
}

size_t constraint_condition_end(const struct sched_selector *list, size_t count, size_t first)
{
	size_t end = first + 1;

	while (end < count && list[end].alternative)
		end++;
	return end;
}

bool constraint_meets(const struct sched_selector *list, size_t first, size_t end,
		      const struct node_class *k)
{
	for (; first < end; first++)
		if (constraint_selects(&list[first], k))
			return true;
	return false;
}

/* Operators as in Kubernetes: "Exists" matches any value; without a key, any taint. */
static bool tolerates(const struct sched_toleration *t, const struct sched_taint *taint)
{
	bool exists = strcmp(t->op, "Exists") == 0;

	if (!*t->key)
		return exists;
	return strcmp(t->key, taint->key) == 0 && (exists || strcmp(t->value, taint->value) == 0);
}

bool constraint_tolerates(const struct constraint *c, const struct sched_taint *taint)
{
	if (strcmp(taint->effect, "PreferNoSchedule") == 0)
		return true;
	for (size_t i = 0; c && i < c->toleration_count; i++)
		if (tolerates(&c->tolerations[i], taint))
			return true;
	return false;
}

bool constraint_allows_class(const struct constraint *c, const struct node_class *k)
{
	for (size_t i = 0; i < k->taint_count; i++)
		if (!constraint_tolerates(c, &k->taints[i]))
			return false;
	for (size_t i = 0, end; c && i < c->selector_count; i = end) {
		end = constraint_condition_end(c->selectors, c->selector_count, i);
		if (!constraint_meets(c->selectors, i, end, k))
			return false;
	}
	return true;
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void resolve(const struct model *m, const char **names, size_t count, uint32_t **nodes,
		    size_t *ret_have)
{
	size_t n = 0;

	*nodes = xreallocarray(*nodes, count, sizeof(**nodes));
	for (size_t i = 0; i < count; i++) {
		uint32_t node = nodes_find(m, names[i]);

		if (node != NIL)
			(*nodes)[n++] = node;
	}
	qsort(*nodes, n, sizeof(**nodes), compare_nodes);
	*ret_have = n;
}

static bool has(const uint32_t *nodes, size_t count, uint32_t node)
{
	return bsearch(&node, nodes, count, sizeof(node), compare_nodes) != NULL;
}

bool constraint_has_lists(const struct constraint *c)
{
	return c && (c->include_count || c->exclude_count || c->avoid_count);
}

bool constraint_avoids(const struct constraint *c, const char *node)
{
	for (size_t i = 0; c && i < c->avoid_count; i++)
		if (strcmp(c->exclude[c->exclude_count + i], node) == 0)
			return true;
	return false;
}

bool constraint_lists(const struct model *m, struct constraint *c, uint32_t node)
{
	if (!constraint_has_lists(c))
		return true;
	if (c->nodes_version != m->nodes.names_version) {
		resolve(m, c->include, c->include_count, &c->include_nodes, &c->include_have);
		resolve(m, c->exclude, c->exclude_count + c->avoid_count, &c->exclude_nodes,
			&c->exclude_have);
		c->nodes_version = m->nodes.names_version;
	}
	if (c->include_count && !has(c->include_nodes, c->include_have, node))
		return false;
	return !has(c->exclude_nodes, c->exclude_have, node);
}

static void take(struct node_class_set *t, uint32_t kind)
{
	t->bits |= UINT64_C(1) << (kind % 63);
	if (t->set)
		t->set[kind / 64] |= UINT64_C(1) << (kind % 64);
}

/* There are more classes than bits: from now on the set is exact. */
static void widen(struct node_class_set *t, size_t kinds)
{
	size_t words = (kinds + 63) / 64, had = t->set ? (t->seen + 63) / 64 : 0;

	if (kinds <= 63 || words == had)
		return;
	t->set = xreallocarray(t->set, words, sizeof(uint64_t));
	memset(t->set + had, 0, (words - had) * sizeof(uint64_t));
	for (uint32_t i = 0; !had && i < t->seen; i++)
		if (t->bits >> i & 1)
			take(t, i);
}

const struct node_class_set *constraint_classes(struct model *m, struct constraint *c)
{
	struct node_class_set *t = c ? &c->kinds : &m->constraints.plain;

	if (t->seen == m->node_classes.count)
		return t;
	widen(t, m->node_classes.count);
	for (; t->seen < m->node_classes.count; t->seen++)
		if (constraint_allows_class(c, &m->node_classes.list[t->seen]))
			take(t, t->seen);
	return t;
}
