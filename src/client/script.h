/*
 * A job script: read whole and bounded, checked, and searched for its #ARMADA lines.
 *
 * Like Slurm's, directives are lines that begin with "#ARMADA" and a blank, before the first line
 * that is neither empty nor a comment. Their words are split at blanks; '...', "..." and \ quote,
 * and a # at the beginning of a word begins a comment. Messages begin with "NAME: line N: ".
 */
#pragma once

#include "client/spec/spec.h"

/* Lines that a user probably meant otherwise, for a warning; 0: none. */
struct script_notes {
	unsigned late_line;   /* an #ARMADA line after the first command: not read */
	unsigned sbatch_line; /* an #SBATCH line of a script without #ARMADA lines */
};

/* path NULL: standard input. More than max_bytes is refused. */
int script_read(const char *path, int64_t max_bytes, struct buf *out, struct err *err);

/* Refuse what cannot be a script: empty, binary, without "#!", with DOS line ends. */
int script_check(const char *name, const char *text, size_t len, struct err *err);

/* Apply the directives of a script to s. */
int script_directives(struct spec *s, const char *name, const char *text, size_t len,
		      struct script_notes *ret_notes, struct err *err);

/*
 * The first line, from 1, where a shell script seems to call mpirun, mpiexec or arun, with the word
 * that does, borrowed from text; 0: none. For advice: it knows less than a shell does.
 */
unsigned script_find_launcher(const char *text, size_t len, const char **ret_word, int *ret_len);
