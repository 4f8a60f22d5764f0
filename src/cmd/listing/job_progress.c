/*
 * Progress of arrays in listings (job_progress.h).
 *
 * Input: rows in the order of job and element. Rows of jobs in the memory of the controller have the
 * progress of the whole array; rows of the history have none, or, merged, that of their page. Output: the
 * same progress in all rows of an array. Caveat: for an array that has left memory it covers the elements
 * that the filter selects.
 */
#include "cmd/listing/job_progress.h"

#include "client/jobstate.h"
#include "util/mem.h"

#include <inttypes.h>

/* In the order of the text. */
static const struct {
	Armada__JobState state;
	const char *word;
} words[] = {
	{ARMADA__JOB_STATE__JOB_COMPLETED, "done"},
	{ARMADA__JOB_STATE__JOB_FAILED, "failed"},
	{ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY, "out of memory"},
	{ARMADA__JOB_STATE__JOB_TIMEOUT, "timed out"},
	{ARMADA__JOB_STATE__JOB_NODE_FAIL, "failed with their node"},
	{ARMADA__JOB_STATE__JOB_CANCELLED, "cancelled"},
	{ARMADA__JOB_STATE__JOB_PREEMPTED, "preempted"},
	{ARMADA__JOB_STATE__JOB_UNKNOWN, "on silent nodes"},
	{ARMADA__JOB_STATE__JOB_COMPLETING, "ending"},
	{ARMADA__JOB_STATE__JOB_SUSPENDED, "suspended"},
	{ARMADA__JOB_STATE__JOB_RUNNING, "running"},
	{ARMADA__JOB_STATE__JOB_CONFIGURING, "starting"},
	{ARMADA__JOB_STATE__JOB_PENDING, "waiting"},
};

static uint64_t count_of(const Armada__JobRow *row, Armada__JobState state)
{
	for (size_t i = 0; i < row->n_progress; i++)
		if (row->progress[i]->state == state)
			return row->progress[i]->count;
	return 0;
}

void job_progress_text(const Armada__JobRow *row, struct buf *out)
{
	const char *sep = "";

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		uint64_t n = count_of(row, words[i].state);

		if (!n)
			continue;
		buf_addf(out, "%s%" PRIu64 " %s", sep, n, words[i].word);
		sep = ", ";
	}
}

size_t job_progress_states(const Armada__JobRow *row)
{
	size_t states = 0;

	for (size_t i = 0; i < row->n_progress; i++)
		states += row->progress[i]->count > 0;
	return states;
}

static Armada__JobRow *row_at(const struct job_rows *rows, size_t i)
{
	return (Armada__JobRow *)rows->list[i].row;
}

/* Adds n elements in the state to the list, which has room for all states. */
static void count(Armada__StateCount **list, size_t *at, Armada__JobState state, uint64_t n,
		  struct arena *arena)
{
	size_t i = 0;

	while (i < *at && list[i]->state != state)
		i++;
	if (i == *at) {
		list[i] = arena_alloc(arena, sizeof(**list));
		armada__state_count__init(list[i]);
		list[i]->state = state;
		++*at;
	}
	list[i]->count += n;
}

static bool same_element(const Armada__JobRow *a, const Armada__JobRow *b)
{
	return a->n_elements && b->n_elements && a->elements[0]->first == b->elements[0]->first;
}

/* The sum of the rows: of their progress, or of their states; the last attempt of an element counts. */
static void sum_up(struct job_rows *rows, size_t from, size_t to, Armada__StateCount ***ret_list,
		   size_t *ret_count)
{
	size_t most = to - from, at = 0;
	Armada__StateCount **list;

	for (size_t i = from; i < to; i++)
		most += row_at(rows, i)->n_progress;
	list = arena_alloc(rows->arena, most * sizeof(*list));
	for (size_t i = from; i < to; i++) {
		const Armada__JobRow *row = row_at(rows, i);

		for (size_t k = 0; k < row->n_progress; k++)
			count(list, &at, row->progress[k]->state, row->progress[k]->count,
			      rows->arena);
		if (!row->n_progress && !row->requeued &&
		    (i + 1 == to || !same_element(row, row_at(rows, i + 1))))
			count(list, &at, row->state, row->count ? row->count : 1, rows->arena);
	}
	*ret_list = list;
	*ret_count = at;
}

/* The end of the rows of one array; the row after `from` for another job. */
static size_t array_end(const struct job_rows *rows, size_t from)
{
	size_t to = from + 1;

	while (row_at(rows, from)->is_array && to < rows->count &&
	       row_at(rows, to)->job == row_at(rows, from)->job)
		to++;
	return to;
}

/* The row of the rows from..to that is of a job in memory; NULL: none. */
static Armada__JobRow *live_row(const struct job_rows *rows, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!job_state(row_at(rows, i)->state)->ended)
			return row_at(rows, i);
	return NULL;
}

void job_progress_fill(struct job_rows *rows)
{
	for (size_t from = 0, to; from < rows->count; from = to) {
		Armada__StateCount **list;
		const Armada__JobRow *live;
		size_t n;

		to = array_end(rows, from);
		if (!row_at(rows, from)->is_array)
			continue;
		live = live_row(rows, from, to);
		if (live) {
			list = live->progress;
			n = live->n_progress;
		} else {
			sum_up(rows, from, to, &list, &n);
		}
		for (size_t i = from; i < to; i++) {
			row_at(rows, i)->progress = list;
			row_at(rows, i)->n_progress = n;
		}
	}
}

/* Adds the counts of the rows after `from` to it. */
static void add_pages(struct job_rows *rows, size_t from, size_t to)
{
	Armada__JobRow *row = row_at(rows, from);

	if (to - from == 1)
		return;
	sum_up(rows, from, to, &row->progress, &row->n_progress);
	for (size_t i = from + 1; i < to; i++) {
		const Armada__JobRow *more = row_at(rows, i);

		if (row->state == ARMADA__JOB_STATE__JOB_COMPLETED) {
			row->state = more->state;
			row->reason = more->reason;
		}
		row->count += more->count;
		row->end_us = more->end_us > row->end_us ? more->end_us : row->end_us;
	}
	row->n_elements = 0;
	row->merged = true;
}

void job_progress_merge(struct job_rows *rows)
{
	size_t kept = 0;

	for (size_t from = 0, to; from < rows->count; from = to) {
		Armada__JobRow *live;

		to = array_end(rows, from);
		live = live_row(rows, from, to);
		if (!live)
			add_pages(rows, from, to);
		rows->list[kept] = rows->list[from];
		if (live)
			rows->list[kept].row = live;
		rows->list[kept++].whole = true;
	}
	rows->count = kept;
}
