/*
 * The choice of a node for a plugin that scores nodes.
 */
#pragma once

#include "sched/model/node_index.h"
#include "util/arena.h"

struct sched;
/* Nodes shown to the plugin, and what the row in hand uses of nodes. */
struct node_select {
	uint32_t *shown;
	int64_t *shown_rows;
	double *scores;
	size_t shown_cap, shown_rows_cap, scores_cap;
	struct arena *arena;
	int64_t **uses; /* by row; rows of nodes, made when first wanted */
	uint32_t row_in_hand;
	bool bad_score;
};

void node_select_begin(struct sched *s, struct arena *a, size_t rows);
/*
 * The next node of the index that has room for a member of the part and that it may have; NIL: none. mark:
 * on the nodes that the gang has already, if it wants each once.
 */
uint32_t node_select_next(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark, struct node_index_cursor *cursor);
/* Of the nodes with room the one that the plugin likes best; NIL: none. */
uint32_t node_select_best(struct sched *s, uint32_t part, const struct node_index_ask *ask,
			  uint32_t mark);
/* The row begins (1) or ceases (-1) to use the node for a member of the part. */
void node_select_use(struct sched *s, uint32_t row, uint32_t node, uint32_t part, int sign);
