/*
 * What the thread that writes the history does for accounting: it stores the attempts of new rows, and
 * gives the state plugin time to import and to delete old ones.
 */
#pragma once

#include <armada/state.h>

/* All zero but the first two: at the start. */
struct history_tidy {
	const struct armada_state_ops *state;
	void *handle;
	int64_t due_us; /* steady clock */
	bool failed;    /* the last step failed, which was logged */
};

/* Stores the attempts of rows; 0 if the plugin keeps none. */
int history_tidy_attempts(const struct history_tidy *t, const struct armada_history_row *rows,
			  size_t count, struct armada_error *err);
/* Runs the steps that are due, for some milliseconds. Returns when more of them will be due. */
int64_t history_tidy_run(struct history_tidy *t);
