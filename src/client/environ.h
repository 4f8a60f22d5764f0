/*
 * The environment a job takes along, captured at submission.
 *
 * Variables that Armada sets for tasks never travel, so a job that submits another does not give
 * it its own number. The table of those variables is also what asubmit(1) is held to.
 */
#pragma once

#include "util/buf.h"
#include "util/err.h"

struct task_variable {
	const char *name;
	const char *help;
};

/* Every ARMADA_* variable that a task may get. */
const struct task_variable *environ_task_variables(size_t *ret_count);

/*
 * Append what `exported` (--export: NULL or ALL, NONE, or a list; ALL may be one of its words)
 * selects of env, as NUL-terminated NAME=value strings. More than max_bytes is refused, naming the
 * largest variable.
 */
int environ_capture(char *const *env, const char *exported, int64_t max_bytes, struct buf *out,
		    struct err *err);
