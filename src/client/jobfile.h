/*
 * A job file: the options of a job, and its groups of tasks, in libconfig's syntax.
 *
 * At the top stand the options of asubmit by their long names (- or _ between words), what is to be
 * run, and `groups`, a list of groups. What can stand in a group is one table (jobfile_group), of
 * which most rows are options of asubmit too: job_options says which. The file is the weakest source
 * of what it says. Messages begin with "NAME: line N: ".
 */
#pragma once

#include "client/spec/spec.h"

/* What else can stand in a job file, at the top or in a group; for the parser and the manual. */
struct jobfile_key {
	const char *name, *arg;
	bool top, group;    /* where */
	const char *option; /* of asubmit, that it is in a group; NULL: it is none */
	const char *help;
};
extern const struct jobfile_key jobfile_keys[];
extern const size_t jobfile_key_count;

enum { JOBFILE_MAX = 1 << 20, JOBFILE_GROUPS_MAX = 64 };

/* Read a job file's text into s, which is as spec_init left it. Scripts are only named. */
int jobfile_parse(struct spec *s, const char *name, const char *text, struct err *err);
/* The same of a file; the scripts that it names are read, from its own folder if their names begin
 * with no /. */
int jobfile_read(struct spec *s, const char *path, int64_t max_script_bytes, struct err *err);
