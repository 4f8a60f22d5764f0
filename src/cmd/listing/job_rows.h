/*
 * Rows of jobs: fetching them (job_rows.c), and their columns (job_columns.c).
 */
#pragma once

#include "client/connection.h"
#include "cmd/listing/job_options.h"

/* A row, as the columns get it. */
struct job_view {
	const Armada__JobRow *row;
	int64_t now_us; /* wall clock, for elapsed times */
	bool whole;     /* the listing has one row for each array */
};

/* What gets a row of its own. */
enum job_rows_kind {
	JOB_ROWS_ACTIVE, /* each element with tasks or that has ended; the waiting ones together */
	JOB_ROWS_ELEMENTS, /* each element */
	JOB_ROWS_ATTEMPTS, /* each element, and each attempt after which it waited again */
	JOB_ROWS_JOBS,     /* each job, unless the filter names elements or nodes */
};

/* The rows of a listing; they are allocated in the arena. */
struct job_rows {
	struct arena *arena;
	struct job_view *list;
	size_t count, cap;
	size_t most; /* a fetch of more is refused; 0: no limit */
	int64_t now_us;
};

extern const struct listing job_listing;
enum { JOB_COLUMNS = 79 };
extern const struct column job_columns[JOB_COLUMNS]; /* also of aacct */

/* "812", "812_7" or "812_[1-5,7]". */
void job_row_id(const Armada__JobRow *row, struct buf *out);
/* The elements alone: "1-5,7". */
void job_row_elements(const Armada__JobRow *row, struct buf *out);
/* Adds the nodes, each once, to out as a host list; returns their number. out may be NULL. */
size_t job_row_nodes(const Armada__JobRow *row, struct buf *out);
/*
 * Of an ended row: whether a program ended. Not if the job never started, nor if its node was lost; an exit
 * code of 0 would then be untrue.
 */
bool job_row_has_exit(const Armada__JobRow *row);
/* Adds exit code and signal, "0:9", or "-". */
void job_row_exit(const Armada__JobRow *row, struct buf *out);
/*
 * Whether the id column has the job alone, because the elements would take more than JOB_ID_WIDE columns.
 * Only in listings with one row for each array, which then show counts.
 */
enum { JOB_ID_WIDE = 40 };
bool job_view_is_brief(const struct job_view *view);
void job_rows_init(struct job_rows *rows);
void job_rows_done(struct job_rows *rows);

/*
 * Fetches the jobs that the filter selects, from the memory of the controller and, if ended jobs
 * are selected, from the history. Ordered by job, element and attempt.
 */
int job_rows_fetch(struct job_rows *rows, struct connection *c, const struct filter *f,
		   enum job_rows_kind kind, struct err *err);
/*
 * Adds the attempts of the jobs after which an element waited again: with states in the filter all that it
 * selects, otherwise those of the jobs that the rows are for.
 */
int job_rows_add_attempts(struct job_rows *rows, struct connection *c, const struct filter *f,
			  struct err *err);
/* What aqueue shows to scripts: named elements have a row each, otherwise each element with tasks. */
enum job_rows_kind job_rows_kind_for(const struct filter *f);
/*
 * Compares two rows by their expected start, or the begin time that the job waits for, and then by job; rows
 * with neither are the last.
 */
int job_view_by_start(const struct job_view *a, const struct job_view *b);
/* Sorts by job, element and attempt, and drops the second row of a job that is still in memory. */
void job_rows_sort(struct job_rows *rows);
/* Whether a row (answer: struct job_rows) has this user, queue, class, account or node; for known_check(). */
bool job_rows_have(const void *answer, enum filter_by by, const char *name);
/* The number of jobs of the range that are in the history, with some of its elements. */
int job_rows_in_history(struct connection *c, Armada__JobRange *range, uint64_t *ret_jobs,
			struct err *err);
