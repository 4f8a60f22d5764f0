/*
 * The choice of a node by a plugin that scores nodes.
 */
#pragma once

#include "sched/model/node_index.h"
#include "util/arena.h"

struct sched;
/* The nodes that the plugin gets, and what the current row uses of each node. */
struct node_select {
	uint32_t *shown;
	int64_t *shown_rows;
	double *scores;
	size_t shown_cap, shown_rows_cap, scores_cap;
	struct arena *arena;
	int64_t **uses; /* by row; rows of nodes, made on first use */
	uint32_t current_row;
	bool bad_score;
};

void node_select_begin(struct sched *s, struct arena *a, size_t rows);
/*
 * The next node of the index that has room for a member of the part and is allowed for it; NIL:
 * none. mark: nodes with this mark are skipped, because the gang has a member there and wants
 * distinct nodes.
 */
uint32_t node_select_next(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark, struct node_index_cursor *cursor);
/* Of the nodes with room, the one with the best score; NIL: none. */
uint32_t node_select_best(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark);
/* A member of the part on the node counts for the row from now on (1), or no longer (-1). */
void node_select_use(struct sched *s, uint32_t row, uint32_t node, uint32_t part, int sign);
