/*
 * The keys of a job in a job file: the options of the job, its program, and its groups of tasks.
 *
 * At the top are the options of asubmit by their long names (with - or _), the program to run, and
 * `groups`, a list of groups. The keys of a group are rows of jobfile_keys; most are options of
 * asubmit too. The environment and the command line override the file. Messages begin with "NAME:
 * line N: ".
 */
#pragma once

#include "client/jobtree.h"
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

enum { JOBFILE_MAX = 32 << 20, JOBFILE_GROUPS_MAX = 64 };

/* The file, for messages. */
struct jobfile_source {
	const char *name; /* "": its lines mean nothing to the user, and messages do not have them */
	bool paths; /* messages show "jobs[2].cpus"; false: "cpus" */
};

/* Puts "FILE: line N: KEY: " before the text of err; returns rc. */
int jobfile_at(const struct jobfile_source *source, const struct jobtree *t, int rc,
	       struct err *err);
/*
 * Sets the keys of a map in s, except some (NULL: all are set; ends with NULL). A map may be read
 * after that of the defaults, with s->source raised and s->program_is_default set: its values
 * replace them.
 */
int jobfile_settings(struct spec *s, const struct jobfile_source *source, const struct jobtree *map,
		     const char *const *except, struct err *err);
/* Call after the last map. */
void jobfile_settings_end(struct spec *s);
