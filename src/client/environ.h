/*
 * The environment of a job, captured at submission.
 *
 * Variables that Armada sets for tasks are never passed on, so that a job that submits another job
 * does not give it its own id. A test compares the table of these variables with asubmit(1).
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
 * Appends the variables of env that `exported` selects (--export: NULL or ALL, NONE, or a list; ALL
 * may be one of its words; without ALL also HOME, LOGNAME, PATH, SHELL and USER), as NUL-terminated
 * NAME=value strings. More than max_bytes is refused with the name of the largest variable.
 */
int environ_capture(char *const *env, const char *exported, int64_t max_bytes, struct buf *out,
		    struct err *err);
/* Appends the variables of env that out does not have yet. The same limit applies. */
int environ_complete(char *const *env, int64_t max_bytes, struct buf *out, struct err *err);
