/*
 * Node classes: labels and taints that many nodes share. In the code a variable for one is a
 * `kind`, because `class` is the priority class.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"

struct model;

struct node_class {
	struct sched_label *labels;
	struct sched_taint *taints;
	size_t label_count, taint_count;
	char *text;
	size_t len;
	uint32_t largest[SCHED_RESOURCES]; /* nodes of the class; as of `measured` */
	uint32_t up;                       /* likewise: how many are usable */
};

struct node_classes {
	struct node_class *list;
	size_t count, cap;
	struct map map;
	uint64_t measured; /* nodes.totals_version when `largest` and `up` were computed */
};

/* A set of node classes, extended when classes are added. */
struct node_class_set {
	uint64_t bits;          /* bit k % 63 for class k */
	uint64_t *set;          /* exact, if there are more classes than bits */
	uint32_t seen;          /* classes evaluated so far */
	struct freest {         /* the node with most free of each resource */
		uint64_t at;    /* as of nodes.moves */
		uint32_t known; /* bits: resources that are computed */
		uint32_t nodes[SCHED_RESOURCES];
	} freest;
	/* round: what did not fit there, if blocked_stamp is the current one */
	struct blocked_list *blocked;
	uint64_t blocked_stamp;
};

static inline bool node_class_bits_have(uint64_t bits, const uint64_t *set, uint32_t kind)
{
	return (set ? set[kind / 64] >> (kind % 64) : bits >> (kind % 63)) & 1;
}
static inline bool node_class_set_has(const struct node_class_set *t, uint32_t kind)
{
	return node_class_bits_have(t->bits, t->set, kind);
}

uint32_t node_class_intern(struct model *m, const struct sched_node *node);
const char *node_class_label(const struct node_class *k, const char *key); /* NULL: it has none */
void node_class_done(struct node_class *k);
