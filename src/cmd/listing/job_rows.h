/*
 * Rows of jobs: how they are fetched (job_rows.c), and the columns they are shown in
 * (job_columns.c).
 */
#pragma once

#include "client/connection.h"
#include "cmd/listing/job_options.h"

/* A row as its columns see it. */
struct job_view {
	const Armada__JobRow *row;
	int64_t now_us; /* wall clock, for elapsed times */
};

/* The rows of a listing; they live in the arena. */
struct job_rows {
	struct arena *arena;
	struct job_view *list;
	size_t count, cap;
	int64_t now_us;
};

extern const struct listing job_listing;

/* "812", "812_7" or "812_[1-5,7]". */
void job_row_id(const Armada__JobRow *row, struct buf *out);
/* Its elements alone: "1-5,7". */
void job_row_elements(const Armada__JobRow *row, struct buf *out);
/* Its nodes, each once, added to out as a host list; how many they are. out may be NULL. */
size_t job_row_nodes(const Armada__JobRow *row, struct buf *out);
void job_rows_init(struct job_rows *rows);
void job_rows_done(struct job_rows *rows);

/*
 * What the filter selects, from the controller's memory and, where ended jobs are meant, from the
 * history. expand: waiting elements one by one. In order of job and element.
 */
int job_rows_fetch(struct job_rows *rows, struct connection *c, const struct filter *f, bool expand,
		   struct err *err);
/* Is a job or element of the range in the history? */
int job_rows_in_history(struct connection *c, Armada__JobRange *range, bool *ret_found,
			struct err *err);
