/*
 * The records whose rows are missing in the history of this controller, in a file of state_dir.
 *
 * The rows of the records after `after` up to `upto` are missing. They are copied in passes: a pass copies up
 * to `target`, and `place` says how far it is. A pass that is whole moves `after` to `target`. The file is
 * written when what it says is in the history, and it is gone when nothing is missing.
 */
#pragma once

#include "proto/msg.h"
#include "util/arena.h"
#include "util/err.h"

struct history_gap {
	uint64_t after, upto;
	uint64_t target; /* 0: no pass has begun */
	Armada__HistoryPlace place;
	struct arena *arena; /* of the texts of the place */
};

static inline bool history_gap_is_open(const struct history_gap *g)
{
	return g->after < g->upto;
}

/*
 * Reads the file. ret_damaged: it cannot be read, and counts as missing from the first record on. A gap that
 * is not open: there is no file.
 */
int history_gap_read(const char *state_dir, struct history_gap *ret_gap, bool *ret_damaged,
		     struct err *err);
/* Durable when it returns. A gap that is not open removes the file. */
int history_gap_write(const char *state_dir, const struct history_gap *g, struct err *err);
void history_gap_done(struct history_gap *g);

/* The rows of these records are missing, too: the gap grows, and a pass begins again. */
void history_gap_add(struct history_gap *g, uint64_t after, uint64_t upto);
/* A pass with a history that is complete up to this record. False: it has nothing of the gap. */
bool history_gap_begin(struct history_gap *g, uint64_t complete);
/* A page is in the history. True: the pass is whole. */
bool history_gap_move(struct history_gap *g, const Armada__HistoryPlace *place);
