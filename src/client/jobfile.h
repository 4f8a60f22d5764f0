/*
 * A job file: the options of a job, and its groups of tasks, in libconfig's syntax.
 *
 * At the top are the options of asubmit by their long names (with - or _), the program to run, and
 * `groups`, a list of groups. The keys of a group are rows of jobfile_keys; most are options of
 * asubmit too. The environment and the command line override the file. Messages begin with "NAME:
 * line N: ".
 */
#pragma once

#include "client/spec/spec.h"

/*
 * The keys of a job file that are not options of asubmit, and the keys of groups. The parser and
 * armada-job(5) use this table.
 */
struct jobfile_key {
	const char *name, *arg;
	bool top, group;    /* where it is allowed */
	const char *option; /* the option of asubmit that it sets; NULL: none */
	const char *help;
};
extern const struct jobfile_key jobfile_keys[];
extern const size_t jobfile_key_count;

enum { JOBFILE_MAX = 1 << 20, JOBFILE_GROUPS_MAX = 64 };

/* Reads the text of a job file into s, which spec_init() has initialized. Scripts are not read. */
int jobfile_parse(struct spec *s, const char *name, const char *text, struct err *err);
/*
 * The same for a file. The scripts that it names are read; a name without / at its beginning is
 * relative to the directory of the file.
 */
int jobfile_read(struct spec *s, const char *path, int64_t max_script_bytes, struct err *err);
