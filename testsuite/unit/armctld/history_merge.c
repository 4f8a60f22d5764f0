/* Merged rows of the history: counts, the worst state, indexes, several attempts, and their bound. */
#include "armctld/history_merge.h"
#include "core/view/job_rows.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define STATE(name) ARMADA__JOB_STATE__JOB_##name

static struct arena *arena;

static Armada__JobRow *row_of(uint64_t job, uint32_t index, Armada__JobState state, int code)
{
	Armada__JobRow *row = arena_alloc(arena, sizeof(*row));
	Armada__IndexRange *range = arena_alloc(arena, sizeof(*range));

	armada__job_row__init(row);
	armada__index_range__init(range);
	range->first = range->last = index;
	row->elements = arena_alloc(arena, sizeof(*row->elements));
	row->elements[0] = range;
	row->n_elements = 1;
	row->job = job;
	row->is_array = true;
	row->state = state;
	row->count = 1;
	row->exit_code = code;
	row->start_us = 1000 - index;
	row->end_us = 2000 + index;
	row->reason = arena_printf(arena, "element %u", index);
	return row;
}

/* "COMPLETED*2 FAILED*1 [1-2,4]" */
static const char *shown(const struct history_merge *m)
{
	const Armada__JobRow *row = m->row;
	const char *text = "";

	for (size_t i = 0; i < row->n_progress; i++)
		if (row->progress[i]->count)
			text = arena_printf(arena, "%s%d*%d ", text, row->progress[i]->state,
					    (int)row->progress[i]->count);
	for (size_t i = 0; i < row->n_elements; i++)
		text = arena_printf(arena, "%s%u-%u ", text, row->elements[i]->first,
				    row->elements[i]->last);
	return arena_printf(arena, "%sof %d", text, (int)row->count);
}

static void check_counts(void)
{
	struct history_merge m = {0};

	ok(!history_merge_fits(&m, row_of(7, 1, STATE(COMPLETED), 0)), "nothing fits no row");
	history_merge_begin(&m, row_of(7, 1, STATE(COMPLETED), 0), arena);
	ok(!history_merge_fits(&m, row_of(8, 2, STATE(COMPLETED), 0)), "nor another job");
	ok(history_merge_fits(&m, row_of(7, 2, STATE(COMPLETED), 0)), "another element fits");
	ok(!m.row->merged, "a row of one element is not merged");
	history_merge_add(&m, row_of(7, 2, STATE(COMPLETED), 0), arena);
	history_merge_add(&m, row_of(7, 4, STATE(COMPLETED), 0), arena);
	is_str(shown(&m), "6*3 1-2 4-4 of 3", "elements that end alike are named");
	is_int(m.row->start_us, 996, "the start is that of the first");
	is_int(m.row->end_us, 2004, "the end is that of the last");
	history_merge_add(&m, row_of(7, 5, STATE(FAILED), 3), arena);
	history_merge_add(&m, row_of(7, 6, STATE(TIMEOUT), 0), arena);
	is_str(shown(&m), "6*3 7*1 9*1 of 5", "others are counted");
	is_int(m.row->state, STATE(FAILED), "the state is the worst");
	is_str(m.row->reason, "element 5", "with its reason");
	is_int(m.row->exit_code, 3, "and its exit code");
	ok(m.row->merged, "the row is merged");
}

static void check_attempts(void)
{
	struct history_merge m = {0};

	history_merge_begin(&m, row_of(7, 1, STATE(NODE_FAIL), 0), arena);
	history_merge_add(&m, row_of(7, 1, STATE(COMPLETED), 0), arena);
	is_int((int)m.row->count, 1, "two attempts are one element");
	is_int(m.row->state, STATE(COMPLETED), "its last attempt counts");
	is_int((int)m.row->progress[0]->count, 0, "the first one does not");
	history_merge_add(&m, row_of(7, 2, STATE(COMPLETED), 0), arena);
	is_int((int)m.row->count, 2, "another element is one more");
}

static void check_bound(void)
{
	struct history_merge m = {0};

	history_merge_begin(&m, row_of(7, 1, STATE(COMPLETED), 0), arena);
	for (uint32_t i = 2; i <= ROW_RANGES; i++)
		history_merge_add(&m, row_of(7, 2 * i, STATE(COMPLETED), 0), arena);
	is_int((int)m.row->n_elements, ROW_RANGES, "so many ranges are named");
	history_merge_add(&m, row_of(7, 2 * ROW_RANGES + 1, STATE(COMPLETED), 0), arena);
	is_int((int)m.row->n_elements, ROW_RANGES, "one that continues the last is not more");
	history_merge_add(&m, row_of(7, 9 * ROW_RANGES, STATE(COMPLETED), 0), arena);
	is_int((int)m.row->n_elements, 0, "beyond that none is");
	is_int((int)m.row->count, ROW_RANGES + 2, "all are counted");
}

int main(void)
{
	arena = arena_new(0);
	check_counts();
	check_attempts();
	check_bound();
	arena_free(arena);
	return done();
}
