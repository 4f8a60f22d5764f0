/*
 * Plugins of the scheduler that return what they may not: said in the log once, not in every round.
 */
#pragma once

#include <stdint.h>

/* Zeroed: none so far. */
struct faults {
	char *text; /* of the last round that decided nothing; NULL: the last one did its work */
	int64_t logged_us;
};

/*
 * After each round. fault is NULL, or names the plugin and what it did. A fault is logged when it is
 * another than before (for one plugin, whose numbers may change, once a minute), and so is its end.
 */
void faults_note(struct faults *f, const char *fault, int64_t steady_us);
void faults_done(struct faults *f);
