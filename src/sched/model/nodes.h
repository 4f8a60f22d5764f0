/*
 * The nodes: their resources, what is free, and which of them may be used.
 *
 * A function that changes a node's free room removes it from the index before and inserts it after
 * (node_index.h). Vectors are in separate arrays, one row of `dims` numbers for each node.
 */
#pragma once

#include "sched/sched.h"
#include "sched/model/map.h"
#include "sched/model/node_index.h"
#include "sched/model/tenants.h"

enum { GROWN = 64 }; /* nodes that gained room, remembered */

struct model;

struct node {
	char *name;
	uint32_t kind, order;
	struct tenants tenants;
	struct tenants scavengers; /* of them: those that scavenge, and may be displaced */
	bool present, schedulable, counted;
	/* round */
	uint32_t saved;        /* index in the list of saved nodes; NIL: not saved */
	uint32_t levels_saved; /* likewise, for the levels */
	uint32_t reserved;     /* index in the list of reserved nodes; NIL: not reserved */
	uint32_t mark;         /* the placement attempt that has used the node */
	bool overfull;         /* its tasks use more than it has */
	uint32_t copied;
	const char *copy; /* of the name, in the arena of the round `copied` */
};

struct nodes {
	struct node *list;
	int64_t *free, *total; /* rows */
	size_t count, cap, free_cap, total_cap;
	uint32_t unused; /* the first free place */
	struct map map;
	struct node_index index;
	uint32_t next_order;     /* of the next new node */
	uint64_t names_version;  /* grows when a name is added or removed */
	uint64_t totals_version; /* grows when the resources of a node change */
	uint64_t moves;          /* how often a node was removed from the index or inserted */
	uint64_t epoch;          /* grows by one whenever a node may have gained room */
	uint32_t grown[GROWN];   /* the node of each epoch, at epoch % GROWN */
	__int128 capacity[SCHED_RESOURCES];
};

uint32_t nodes_find(const struct model *m, const char *name);
uint32_t nodes_intern(struct model *m, const char *name);
void nodes_release(struct model *m, uint32_t node); /* free it if it is not needed */
void nodes_unindex(struct model *m, uint32_t node);
void nodes_reindex(struct model *m, uint32_t node); /* if it may be used */
/* A member of the part begins (1) or ceases (-1) to use the node, up to this level. */
void nodes_use(struct model *m, uint32_t node, uint32_t part, uint32_t cutoff, int sign);
/* The same for level 0 alone, for displaced members. */
void nodes_use_free(struct model *m, uint32_t node, uint32_t part, int sign);
void nodes_grown(struct model *m, uint32_t node); /* it may have gained room */
/* after a change: does it count in the capacity? */
void nodes_count(struct model *m, uint32_t node);
