/*
 * The names of a task's files: patterns with their %-letters expanded.
 */
#pragma once

#include "util/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* What the letters stand for. Everything is borrowed. */
struct task_names {
	uint64_t job;
	bool is_array;
	uint32_t element, rank, attempt;
	const char *group, *node, *name, *job_set, *user;
};

/* In the arena; "" for an empty pattern. Unknown letters stay as they are. */
char *task_file_name(const char *pattern, const struct task_names *n, struct arena *arena);
