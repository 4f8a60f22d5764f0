/*
 * Node classes: labels and taints that many nodes share. A constraint is evaluated once for each
 * class, not for each node. Classes are added and never removed.
 */
#include "sched/model/node_class.h"
#include "sched/model/model.h"
#include "sched/model/packed_text.h"
#include "util/mem.h"

#include <string.h>

const char *node_class_label(const struct node_class *k, const char *key)
{
	for (size_t i = 0; i < k->label_count; i++)
		if (strcmp(k->labels[i].key, key) == 0)
			return k->labels[i].value;
	return NULL;
}

void node_class_done(struct node_class *k)
{
	free(k->labels);
	free(k->taints);
	free(k->text);
}

static bool same_kind(const void *arg, uint32_t kind, const void *what)
{
	const struct node_class *k = &((const struct model *)arg)->node_classes.list[kind];
	const struct buf *b = what;

	return k->len == b->len && memcmp(k->text, b->data, b->len) == 0;
}

static void describe(const struct sched_node *node, struct buf *b)
{
	uint64_t counts[2] = {node->label_count, node->taint_count};

	buf_add(b, counts, sizeof(counts));
	for (size_t i = 0; i < node->label_count; i++) {
		packed_text_put(b, node->labels[i].key);
		packed_text_put(b, node->labels[i].value);
	}
	for (size_t i = 0; i < node->taint_count; i++) {
		packed_text_put(b, node->taints[i].key);
		packed_text_put(b, node->taints[i].value);
		packed_text_put(b, node->taints[i].effect);
	}
}

static void kind_fill(struct node_class *k, const struct sched_node *node, struct buf *b)
{
	const char *at;

	k->text = (char *)buf_take(b, &k->len);
	at = k->text + 2 * sizeof(uint64_t);
	k->label_count = node->label_count;
	k->taint_count = node->taint_count;
	k->labels = xcalloc(k->label_count, sizeof(*k->labels));
	k->taints = xcalloc(k->taint_count, sizeof(*k->taints));
	for (size_t i = 0; i < k->label_count; i++) {
		k->labels[i].key = packed_text_take(&at);
		k->labels[i].value = packed_text_take(&at);
	}
	for (size_t i = 0; i < k->taint_count; i++) {
		k->taints[i].key = packed_text_take(&at);
		k->taints[i].value = packed_text_take(&at);
		k->taints[i].effect = packed_text_take(&at);
	}
}

uint32_t node_class_intern(struct model *m, const struct sched_node *node)
{
	struct buf b = {0};
	uint32_t hash, kind;

	describe(node, &b);
	hash = hash_bytes(0, b.data, b.len);
	kind = map_find(&m->node_classes.map, hash, same_kind, m, &b);
	if (kind == NIL) {
		GROW(m->node_classes.list, m->node_classes.cap, m->node_classes.count + 1);
		kind = (uint32_t)m->node_classes.count++;
		m->node_classes.list[kind] = (struct node_class){0};
		kind_fill(&m->node_classes.list[kind], node, &b);
		map_add(&m->node_classes.map, hash, kind);
	}
	buf_done(&b);
	return kind;
}
