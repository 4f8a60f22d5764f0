/*
 * Rows of steps: fetching them (step_rows.c), and their columns.
 */
#pragma once

#include "client/connection.h"
#include "client/filter.h"
#include "cmd/listing/listing.h"

/* A row, as the columns get it. */
struct step_view {
	const Armada__StepRow *row;
	int64_t now_us; /* wall clock, for elapsed times */
};

/* In the arena of the caller. */
struct step_rows {
	struct arena *arena;
	const void **list; /* of struct step_view */
	size_t count, cap;
};

extern const struct listing step_listing;

/* "812.0", "812_7.0" */
void step_row_id(const Armada__StepRow *row, struct buf *out);
/* Adds the steps of the jobs that the filter selects. */
int step_rows_fetch(struct step_rows *rows, struct connection *c, const struct filter *f,
		    struct err *err);
/* Adds one step. -ENOENT: the controller does not know it. */
int step_rows_fetch_one(struct step_rows *rows, struct connection *c, const char *id,
			struct err *err);
