/*
 * Invalid results of scheduler plugins: logged once, not in every round.
 */
#pragma once

#include <stdint.h>

/* Zeroed: none so far. */
struct faults {
	char *text; /* of the last round with a fault; NULL: the last round had none */
	int64_t logged_us;
};

/*
 * Called after each round. fault is NULL, or names the plugin and the fault. A fault is logged when
 * it differs from the previous one (for one plugin, whose numbers may change, once a minute), and
 * so is its end.
 */
void faults_note(struct faults *f, const char *fault, int64_t steady_us);
void faults_done(struct faults *f);
