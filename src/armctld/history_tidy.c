/*
 * Attempts of new rows, and steps of the state plugin on old ones (history_tidy.h).
 *
 * Input: rows of a batch; the steady clock. Output: calls of the plugin. A step takes some milliseconds.
 * Steps follow each other at once while there is work, but rows that wait to be written come first after
 * each few.
 */
#include "armctld/history_tidy.h"

#include "armctld/history_attempt.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"

enum {
	STEPS = 20, /* before rows that wait are written */
	PAUSE_US = 10 * 1000000,
	PAUSE_AFTER_ERROR_US = 60 * 1000000,
	ARENA_BYTES = 1 << 20,
};

int history_tidy_attempts(const struct history_tidy *t, const struct armada_history_row *rows,
			  size_t count, struct armada_error *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct armada_attempt *list;
	size_t n = 0;
	int rc;

	if (!t->state->accounting_put || !count)
		return 0;
	list = xcalloc(count, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		if (!rows[i].start &&
		    history_attempt_of(arena, rows[i].row, rows[i].row_len, &list[n]) == 0)
			n++;
	rc = t->state->accounting_put(t->handle, list, n, err);
	free(list);
	return rc;
}

static int attempt_of(void *arg, const void *row, size_t len, struct armada_attempt *ret)
{
	struct arena *arena = arg;

	if (arena_used(arena) > ARENA_BYTES)
		arena_clear(arena);
	return history_attempt_of(arena, row, len, ret);
}

int64_t history_tidy_run(struct history_tidy *t)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct armada_error err = {""};
	int rc = 1;

	if (!t->state->history_tidy)
		return INT64_MAX;
	if (clock_us(CLOCK_MONOTONIC) < t->due_us)
		return t->due_us;
	for (int i = 0; i < STEPS && rc > 0; i++)
		rc = t->state->history_tidy(t->handle, clock_us(CLOCK_REALTIME), attempt_of, arena,
					    &err);
	if (rc < 0 && !t->failed)
		log_error("old jobs of the history cannot be imported or deleted: %s", err.text);
	t->failed = rc < 0;
	t->due_us = clock_us(CLOCK_MONOTONIC) + (rc > 0   ? 0
						 : rc < 0 ? PAUSE_AFTER_ERROR_US
							  : PAUSE_US);
	return t->due_us;
}
