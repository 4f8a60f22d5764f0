/*
 * Merges rows of the history (history_merge.h). Input: rows in their order. Output: a row that grows in the
 * arena. Of several attempts of an element the last one counts. A row names at most ROW_RANGES ranges of
 * elements, as rows of waiting elements do.
 */
#include "armctld/history_merge.h"

#include "core/view/job_rows.h"
#include "util/mem.h"

int history_merge_rank(Armada__JobState state)
{
	static const Armada__JobState order[] = {
		ARMADA__JOB_STATE__JOB_COMPLETED, ARMADA__JOB_STATE__JOB_PREEMPTED,
		ARMADA__JOB_STATE__JOB_CANCELLED, ARMADA__JOB_STATE__JOB_NODE_FAIL,
		ARMADA__JOB_STATE__JOB_TIMEOUT,   ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY,
		ARMADA__JOB_STATE__JOB_FAILED,
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (order[i] == state)
			return (int)i;
	return -1;
}

static uint64_t elements_of(const Armada__JobRow *row)
{
	return row->count ? row->count : 1;
}

static uint32_t first_of(const Armada__JobRow *row)
{
	return row->n_elements ? row->elements[0]->first : 0;
}

/* The counter of the state; it is made if there is none. */
static Armada__StateCount *counter(Armada__JobRow *row, Armada__JobState state, struct arena *arena)
{
	enum { STATES = 32 };

	for (size_t i = 0; i < row->n_progress; i++)
		if (row->progress[i]->state == state)
			return row->progress[i];
	if (!row->n_progress)
		row->progress = arena_alloc(arena, STATES * sizeof(*row->progress));
	if (row->n_progress == STATES)
		return row->progress[STATES - 1];
	row->progress[row->n_progress] = arena_alloc(arena, sizeof(**row->progress));
	armada__state_count__init(row->progress[row->n_progress]);
	row->progress[row->n_progress]->state = state;
	return row->progress[row->n_progress++];
}

bool history_merge_fits(const struct history_merge *m, const Armada__JobRow *row)
{
	return m->row && row->is_array && m->row->job == row->job;
}

static void note_last(struct history_merge *m, const Armada__JobRow *row)
{
	m->last_state = row->state;
	m->last_first = first_of(row);
}

void history_merge_begin(struct history_merge *m, Armada__JobRow *row, struct arena *arena)
{
	Armada__IndexRange **ranges = arena_alloc(arena, ROW_RANGES * sizeof(*ranges));

	if (row->n_elements == 1)
		ranges[0] = row->elements[0];
	row->elements = ranges;
	row->n_elements = row->n_elements == 1;
	row->count = elements_of(row);
	row->n_progress = 0;
	counter(row, row->state, arena)->count = row->count;
	m->row = row;
	note_last(m, row);
}

/* Adds the indexes, or gives them up: states differ, or there are too many ranges. */
static void add_indexes(Armada__JobRow *to, const Armada__JobRow *row)
{
	Armada__IndexRange *last = to->n_elements ? to->elements[to->n_elements - 1] : NULL;

	if (!last)
		return;
	if (row->state != to->state || row->n_elements != 1 ||
	    (to->n_elements == ROW_RANGES && row->elements[0]->first != last->last + 1))
		to->n_elements = 0;
	else if (row->elements[0]->first == last->last + 1 && last->step <= 1 &&
		 row->elements[0]->step <= 1)
		last->last = row->elements[0]->last;
	else
		to->elements[to->n_elements++] = row->elements[0];
}

static void extend_times(Armada__JobRow *to, const Armada__JobRow *row)
{
	if (row->start_us && (!to->start_us || row->start_us < to->start_us))
		to->start_us = row->start_us;
	if (row->end_us > to->end_us)
		to->end_us = row->end_us;
}

/* The worst state that an element has. */
static Armada__JobState worst(const Armada__JobRow *row)
{
	Armada__JobState state = ARMADA__JOB_STATE__JOB_STATE_UNSET;

	for (size_t i = 0; i < row->n_progress; i++)
		if (row->progress[i]->count &&
		    history_merge_rank(row->progress[i]->state) > history_merge_rank(state))
			state = row->progress[i]->state;
	return state;
}

/* Sets the state. The reason and the exit code are those of the first element that ended in it. */
static void settle_state(Armada__JobRow *to, const Armada__JobRow *row)
{
	Armada__JobState state = worst(to);
	bool has = state == row->state;

	if (state == to->state)
		return;
	to->state = state;
	to->reason = has ? row->reason : (char *)"";
	to->exit_code = has ? row->exit_code : 0;
	to->exit_signal = has ? row->exit_signal : 0;
}

void history_merge_add(struct history_merge *m, const Armada__JobRow *row, struct arena *arena)
{
	Armada__JobRow *to = m->row;

	if (first_of(row) == m->last_first) { /* a later attempt of the same element */
		counter(to, m->last_state, arena)->count -= elements_of(row);
		to->n_elements = row->state == m->last_state ? to->n_elements : 0;
	} else {
		add_indexes(to, row);
		to->count += elements_of(row);
	}
	counter(to, row->state, arena)->count += elements_of(row);
	to->merged = true;
	to->usage = NULL;
	to->n_groups = 0;
	to->n_nodes = 0;
	to->attempt = 0;
	to->last_end = (char *)"";
	extend_times(to, row);
	settle_state(to, row);
	note_last(m, row);
}
