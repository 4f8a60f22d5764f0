#include "sched/parts.h"
#include "util/mem.h"

#include <string.h>

static bool is_plain(const struct sched_job *j)
{
	return !j->selector_count && !j->toleration_count && !j->include_count &&
	       !j->exclude_count && !j->avoid_count && !(j->uniformity && *j->uniformity);
}

static void put_text(struct buf *b, const char *s)
{
	s = s ? s : "";
	buf_add(b, s, strlen(s) + 1);
}

/* At the head of the text: how many of each follow. */
enum { COUNTS = 5 };

/* Everything, unambiguously: equal texts are equal constraints. */
static void describe(const struct sched_job *j, struct buf *b)
{
	uint64_t counts[COUNTS] = {j->selector_count, j->toleration_count, j->include_count,
				   j->exclude_count, j->avoid_count};

	buf_add(b, counts, sizeof(counts));
	for (size_t i = 0; i < j->selector_count; i++) {
		buf_addc(b, j->selectors[i].negate ? '!' : '=');
		put_text(b, j->selectors[i].key);
		put_text(b, j->selectors[i].value);
	}
	for (size_t i = 0; i < j->toleration_count; i++) {
		put_text(b, j->tolerations[i].key);
		put_text(b, j->tolerations[i].op);
		put_text(b, j->tolerations[i].value);
	}
	for (size_t i = 0; i < j->include_count; i++)
		put_text(b, j->include[i]);
	for (size_t i = 0; i < j->exclude_count; i++)
		put_text(b, j->exclude[i]);
	for (size_t i = 0; i < j->avoid_count; i++)
		put_text(b, j->avoid[i]);
	put_text(b, j->uniformity);
}

static const char *take_text(const char **at)
{
	const char *s = *at;

	*at += strlen(s) + 1;
	return s;
}

static void point_into_text(struct constraint *c)
{
	const char *at = c->text + COUNTS * sizeof(uint64_t);

	for (size_t i = 0; i < c->selector_count; i++) {
		c->selectors[i].negate = *at++ == '!';
		c->selectors[i].key = take_text(&at);
		c->selectors[i].value = take_text(&at);
	}
	for (size_t i = 0; i < c->toleration_count; i++) {
		c->tolerations[i].key = take_text(&at);
		c->tolerations[i].op = take_text(&at);
		c->tolerations[i].value = take_text(&at);
	}
	for (size_t i = 0; i < c->include_count; i++)
		c->include[i] = take_text(&at);
	for (size_t i = 0; i < c->exclude_count + c->avoid_count; i++)
		c->exclude[i] = take_text(&at);
	c->uniformity = take_text(&at);
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
	const struct constraint *a = ((const struct sched *)arg)->constraints[id].c, *b = what;

	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static void keep(struct sched *s, struct constraint *c, uint32_t hash)
{
	c->id = s->constraint_free;
	if (c->id != NIL) {
		s->constraint_free = s->constraints[c->id].next;
	} else {
		GROW(s->constraints, s->constraint_cap, s->constraint_count + 1);
		c->id = (uint32_t)s->constraint_count++;
	}
	s->constraints[c->id] = (struct constraint_place){.c = c};
	map_add(&s->constraint_map, hash, c->id);
}

struct constraint *constraint_intern(struct sched *s, const struct sched_job *job)
{
	struct constraint *c = constraint_new(job);
	uint32_t hash, id;

	if (!c)
		return NULL;
	hash = hash_bytes(0, c->text, c->len);
	id = map_find(&s->constraint_map, hash, same_constraint, s, c);
	if (id == NIL) {
		keep(s, c, hash);
	} else {
		constraint_free(c);
		c = s->constraints[id].c;
	}
	c->users++;
	return c;
}

void constraint_release(struct sched *s, struct constraint *c)
{
	if (!c || --c->users)
		return;
	map_remove(&s->constraint_map, hash_bytes(0, c->text, c->len), c->id);
	s->constraints[c->id] = (struct constraint_place){.next = s->constraint_free};
	s->constraint_free = c->id;
	constraint_free(c);
}

bool constraint_selects(const struct sched_selector *sel, const struct kind *k)
{
	const char *value = kind_label(k, sel->key);
	bool is = value && (!*sel->value || strcmp(value, sel->value) == 0);

	return is != sel->negate;
}

/* Operators as in Kubernetes: "Exists" takes any value; without a key, any taint. */
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

bool constraint_allows_kind(const struct constraint *c, const struct kind *k)
{
	for (size_t i = 0; i < k->taint_count; i++)
		if (!constraint_tolerates(c, &k->taints[i]))
			return false;
	for (size_t i = 0; c && i < c->selector_count; i++)
		if (!constraint_selects(&c->selectors[i], k))
			return false;
	return true;
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void resolve(const struct sched *s, const char **names, size_t count, uint32_t **nodes,
		    size_t *ret_have)
{
	size_t n = 0;

	*nodes = xreallocarray(*nodes, count, sizeof(**nodes));
	for (size_t i = 0; i < count; i++) {
		uint32_t node = view_node_find(s, names[i]);

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

bool constraint_lists(const struct sched *s, struct constraint *c, uint32_t node)
{
	if (!constraint_has_lists(c))
		return true;
	if (c->nodes_version != s->nodes_version) {
		resolve(s, c->include, c->include_count, &c->include_nodes, &c->include_have);
		resolve(s, c->exclude, c->exclude_count + c->avoid_count, &c->exclude_nodes,
			&c->exclude_have);
		c->nodes_version = s->nodes_version;
	}
	if (c->include_count && !has(c->include_nodes, c->include_have, node))
		return false;
	return !has(c->exclude_nodes, c->exclude_have, node);
}

static void take(struct kinds_taken *t, uint32_t kind)
{
	t->bits |= UINT64_C(1) << (kind % 63);
	if (t->set)
		t->set[kind / 64] |= UINT64_C(1) << (kind % 64);
}

/* More kinds than bits: from here on the set says exactly which. */
static void widen(struct kinds_taken *t, size_t kinds)
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

const struct kinds_taken *constraint_kinds(struct sched *s, struct constraint *c)
{
	struct kinds_taken *t = c ? &c->kinds : &s->plain;

	if (t->seen == s->kind_count)
		return t;
	widen(t, s->kind_count);
	for (; t->seen < s->kind_count; t->seen++)
		if (constraint_allows_kind(c, &s->kinds[t->seen]))
			take(t, t->seen);
	return t;
}
