#include "sched/memory.h"
#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

static bool same_name(const void *arg, uint32_t node, const void *what)
{
	return strcmp(((const struct sched *)arg)->nodes[node].name, what) == 0;
}

uint32_t view_node_find(const struct sched *s, const char *name)
{
	return map_find(&s->node_map, hash_text(name), same_name, s, name);
}

/* Kinds of node. */

void kind_done(struct kind *k)
{
	free(k->labels);
	free(k->taints);
	free(k->text);
}

static bool same_kind(const void *arg, uint32_t kind, const void *what)
{
	const struct kind *k = &((const struct sched *)arg)->kinds[kind];
	const struct buf *b = what;

	return k->len == b->len && memcmp(k->text, b->data, b->len) == 0;
}

static void put_text(struct buf *b, const char *s)
{
	s = s ? s : "";
	buf_add(b, s, strlen(s) + 1);
}

static const char *take_text(const char **at)
{
	const char *s = *at;

	*at += strlen(s) + 1;
	return s;
}

static void describe(const struct sched_node *node, struct buf *b)
{
	uint64_t counts[2] = {node->label_count, node->taint_count};

	buf_add(b, counts, sizeof(counts));
	for (size_t i = 0; i < node->label_count; i++) {
		put_text(b, node->labels[i].key);
		put_text(b, node->labels[i].value);
	}
	for (size_t i = 0; i < node->taint_count; i++) {
		put_text(b, node->taints[i].key);
		put_text(b, node->taints[i].value);
		put_text(b, node->taints[i].effect);
	}
}

static void kind_fill(struct kind *k, const struct sched_node *node, struct buf *b)
{
	const char *at;

	k->text = (char *)buf_take(b, &k->len);
	at = k->text + 2 * sizeof(uint64_t);
	k->label_count = node->label_count;
	k->taint_count = node->taint_count;
	k->labels = xcalloc(k->label_count, sizeof(*k->labels));
	k->taints = xcalloc(k->taint_count, sizeof(*k->taints));
	for (size_t i = 0; i < k->label_count; i++) {
		k->labels[i].key = take_text(&at);
		k->labels[i].value = take_text(&at);
	}
	for (size_t i = 0; i < k->taint_count; i++) {
		k->taints[i].key = take_text(&at);
		k->taints[i].value = take_text(&at);
		k->taints[i].effect = take_text(&at);
	}
}

static uint32_t kind_intern(struct sched *s, const struct sched_node *node)
{
	struct buf b = {0};
	uint32_t hash, kind;

	describe(node, &b);
	hash = hash_bytes(0, b.data, b.len);
	kind = map_find(&s->kind_map, hash, same_kind, s, &b);
	if (kind == NIL) {
		GROW(s->kinds, s->kind_cap, s->kind_count + 1);
		kind = (uint32_t)s->kind_count++;
		s->kinds[kind] = (struct kind){0};
		kind_fill(&s->kinds[kind], node, &b);
		map_add(&s->kind_map, hash, kind);
	}
	buf_done(&b);
	return kind;
}

/* Nodes. */

static uint32_t node_place(struct sched *s)
{
	uint32_t node = s->node_free;

	if (node != NIL) {
		s->node_free = s->nodes[node].saved;
		return node;
	}
	GROW(s->nodes, s->node_cap, s->node_count + 1);
	GROW(s->free, s->free_cap, (s->node_count + 1) * s->dims);
	GROW(s->total, s->total_cap, (s->node_count + 1) * s->dims);
	levels_room(s, (uint32_t)s->node_count);
	ends_room(s, (uint32_t)s->node_count);
	return (uint32_t)s->node_count++;
}

uint32_t node_intern(struct sched *s, const char *name)
{
	uint32_t node = view_node_find(s, name);

	if (node != NIL)
		return node;
	node = node_place(s);
	s->nodes[node] = (struct node){
		.name = xstrdup(name), .saved = NIL, .levels_saved = NIL, .reserved = NIL};
	s->nodes[node].order = s->node_order++;
	memset(node_free(s, node), 0, s->dims * sizeof(int64_t));
	memset(node_total(s, node), 0, s->dims * sizeof(int64_t));
	levels_room(s, node);
	map_add(&s->node_map, hash_text(name), node);
	s->nodes_version++;
	return node;
}

void node_release(struct sched *s, uint32_t node)
{
	struct node *n = &s->nodes[node];

	if (!n->name || n->present || n->tasks)
		return;
	map_remove(&s->node_map, hash_text(n->name), node);
	free(n->name);
	*n = (struct node){.saved = s->node_free};
	s->node_free = node;
	s->nodes_version++;
}

static bool usable(const struct node *n)
{
	return n->present && n->schedulable && !n->exclusive;
}

void node_unindex(struct sched *s, uint32_t node)
{
	s->moves++;
	if (usable(&s->nodes[node]))
		index_remove(s, &s->index, node);
}

void node_reindex(struct sched *s, uint32_t node)
{
	if (usable(&s->nodes[node]))
		index_insert(s, &s->index, node);
}

void node_use(struct sched *s, uint32_t node, uint32_t part, uint32_t cutoff, int sign)
{
	node_use_free(s, node, part, sign);
	level_use(s, node, part, cutoff, sign);
}

void node_use_free(struct sched *s, uint32_t node, uint32_t key, int sign)
{
	const int64_t *request = key_request(s, key);
	struct node *n = &s->nodes[node];
	int64_t *f = node_free(s, node);

	node_unindex(s, node);
	for (size_t r = 0; r < s->dims; r++)
		f[r] -= sign * request[r];
	n->tasks += (uint32_t)sign;
	if (s->keys[key].exclusive)
		n->exclusive += (uint32_t)sign;
	node_reindex(s, node);
}

/* Nodes that cannot be used and where nothing runs are not part of the whole. */
static void uncount(struct sched *s, uint32_t node)
{
	if (!s->nodes[node].counted)
		return;
	for (size_t r = 0; r < s->dims; r++)
		s->capacity[r] -= node_total(s, node)[r];
	s->nodes[node].counted = false;
}

/* A caller that changes what it has, too, has lapsed the memories and taken it out before. */
void node_count(struct sched *s, uint32_t node)
{
	struct node *n = &s->nodes[node];
	bool counts = n->present && (n->schedulable || n->tasks);

	if (n->counted != counts)
		memories_lapse(s);
	uncount(s, node);
	n->counted = counts;
	for (size_t r = 0; n->counted && r < s->dims; r++)
		s->capacity[r] += node_total(s, node)[r];
}

void node_grown(struct sched *s, uint32_t node)
{
	s->grown[s->epoch++ % GROWN] = node;
}

void sched_node_set(struct sched *s, const struct sched_node *node)
{
	uint32_t at = node_intern(s, node->name);
	int64_t *f, *t;

	node_unindex(s, at);
	memories_lapse(s);
	uncount(s, at);
	f = node_free(s, at);
	t = node_total(s, at);
	for (size_t r = 0; r < s->dims; r++) {
		f[r] += node->total[r] - t[r];
		levels_grow(s, at, r, node->total[r] - t[r]);
		t[r] = node->total[r];
	}
	s->nodes[at].kind = kind_intern(s, node);
	s->nodes[at].present = true;
	s->nodes[at].schedulable = node->schedulable;
	node_count(s, at);
	node_reindex(s, at);
	node_grown(s, at);
	s->totals_version++;
	s->changes++;
}

void sched_node_remove(struct sched *s, const char *name)
{
	uint32_t node = view_node_find(s, name);

	if (node == NIL)
		return;
	node_unindex(s, node);
	s->nodes[node].present = false;
	s->totals_version++;
	s->changes++;
	node_count(s, node);
	node_release(s, node);
}
