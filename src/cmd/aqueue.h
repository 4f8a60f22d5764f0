/*
 * The parts of aqueue: its command line (aqueue.c), getting the rows (aqueue_fetch.c), its columns
 * (aqueue_columns.c).
 */
#ifndef CMD_AQUEUE_H
#define CMD_AQUEUE_H

#include "client/filter.h"
#include "cmd/command.h"
#include "cmd/listing.h"

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

extern const struct listing aqueue_listing;

void job_rows_init(struct job_rows *rows);
void job_rows_done(struct job_rows *rows);

/*
 * What the filter selects, from the controller's memory and, where ended jobs are meant, from the
 * history. expand: waiting elements one by one. In order of job and element.
 */
int job_rows_fetch(struct job_rows *rows, struct connection *c, const struct filter *f, bool expand,
		   struct err *err);

/* "812", "812_7" or "812_[1-5,7]". */
void job_row_id(const Armada__JobRow *row, struct buf *out);
/* The amount of a resource; 0 without it. */
int64_t resource_of(Armada__Resource *const *list, size_t count, const char *name);

#endif
