/*
 * The nodes: what they have, what is free, and which of them may be used.
 *
 * Whatever changes a node's free room takes it out of the index before and puts it back after
 * (node_index.h). Vectors stand in arrays beside, one row of `dims` numbers for each node.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"
#include "sched/model/node_index.h"

enum { GROWN = 64 }; /* nodes that gained room, remembered */

struct model;

struct node {
	char *name;
	uint32_t kind, order;
	uint32_t tasks;
	uint32_t exclusive; /* tasks that want the whole node */
	bool present, schedulable, counted;
	/* round */
	uint32_t saved;        /* in the list of saved nodes; NIL: untouched */
	uint32_t levels_saved; /* likewise */
	uint32_t reserved;     /* in the list of reserved nodes; NIL: no part of it */
	uint32_t mark;         /* the attempt that uses it */
	bool overfull;         /* holds more than it has */
	uint32_t copied;
	const char *copy; /* of the name, in the arena of the round `copied` */
	/* Of the gangs that the round `taken` started here: the first, and the most urgent. */
	uint32_t taken;
	uint32_t first, foremost;
};

struct nodes {
	struct node *list;
	int64_t *free, *total; /* rows */
	size_t count, cap, free_cap, total_cap;
	uint32_t unused; /* the first free place */
	struct map map;
	struct node_index index;
	uint32_t next_order;     /* the next new node's */
	uint64_t names_version;  /* names of nodes came or went */
	uint64_t totals_version; /* what nodes have at all */
	uint64_t moves;          /* how often a node was taken from the index or put back */
	uint64_t epoch;          /* grows by one whenever a node may have more room than before */
	uint32_t grown[GROWN];   /* which node: at epoch % GROWN */
	__int128 capacity[SCHED_RESOURCES];
};

uint32_t nodes_find(const struct model *m, const char *name);
uint32_t nodes_intern(struct model *m, const char *name);
void nodes_release(struct model *m, uint32_t node); /* free it if nothing needs it */
void nodes_unindex(struct model *m, uint32_t node);
void nodes_reindex(struct model *m, uint32_t node); /* if it may be used */
/* A member of the part begins (1) or ceases (-1) to use the node, up to this level. */
void nodes_use(struct model *m, uint32_t node, uint32_t part, uint32_t cutoff, int sign);
/* The same for level 0 alone, as tasks that were put out of the way do. */
void nodes_use_free(struct model *m, uint32_t node, uint32_t part, int sign);
void nodes_grown(struct model *m, uint32_t node); /* it may have more room than before */
void nodes_count(struct model *m, uint32_t node); /* after it changed: is it part of the whole? */
