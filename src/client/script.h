/*
 * Job scripts: reading with a limit of size, checks, and #ARMADA lines.
 *
 * As in Slurm, directives are lines that begin with "#ARMADA" and a blank, before the first line
 * that is neither empty nor a comment. Words are separated by blanks; '...', "..." and \ quote, and
 * a # at the beginning of a word begins a comment. Messages begin with "NAME: line N: ".
 */
#pragma once

#include "client/spec/spec.h"

/* Lines for a warning, because they have no effect; 0: none. */
struct script_notes {
	unsigned late_line;   /* an #ARMADA line after the first command; it is ignored */
	unsigned sbatch_line; /* an #SBATCH line in a script without #ARMADA lines */
};

/* path NULL: standard input. More than max_bytes is refused. */
int script_read(const char *path, int64_t max_bytes, struct buf *out, struct err *err);

/* Refuses a text that cannot be a script: empty, binary, without "#!", or with DOS line ends. */
int script_check(const char *name, const char *text, size_t len, struct err *err);

/* Applies the directives of a script to s. */
int script_directives(struct spec *s, const char *name, const char *text, size_t len,
		      struct script_notes *ret_notes, struct err *err);
