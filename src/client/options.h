/*
 * The row of a command line.
 *
 * One table of rows gives the parsing of a command's options, its --help, its shell completion and
 * the tests that hold its manual to them. Parsing follows GNU getopt_long (long names, unambiguous
 * beginnings, "--name=value", clustered letters, "--"), but keeps no state of its own, so that
 * #ARMADA lines and programs that use libarmada can share it, and it suggests the nearest name for
 * one that does not exist.
 *
 * A row hides those of the same name in later tables; one without a help text is not shown, and is
 * there to refuse what only another command knows.
 */
#ifndef CLIENT_OPTIONS_H
#define CLIENT_OPTIONS_H

#include "util/buf.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>

struct opt {
	const char *name;  /* long name, without dashes */
	const char *alias; /* other names that --help does not show: "job-name -p" */
	char letter;       /* 0: none */
	const char *arg;   /* what --help shows for the value; NULL: takes none; "[X]": at will */
	int (*set)(void *target, const char *value, struct err *err); /* value NULL: none given */
	const char *help; /* one sentence without a full stop */
};

struct opt_table {
	const char *heading; /* over the options in --help; NULL: they are not shown */
	const struct opt *rows;
	size_t count;
};

/* Set up by the caller: tables and argv; next is the first word to look at. */
struct opt_parser {
	const struct opt_table *const *tables; /* NULL-terminated, as everywhere below */
	char *const *argv;
	int argc;
	int next;
	bool after_dashes; /* "--" was seen: all that follows are operands */
	const char *rest;  /* of a cluster of letters */
	char shown[64];    /* the option as written, for messages: "-t", "--time" */
};

/* Below every errno: what a setter returns to end the parsing with a code of its own. */
enum { OPT_ERRNO_LEAST = -4095 };

enum { OPT_END = 0, OPT_OPTION = 1, OPT_OPERAND = 2 };

/*
 * The next option (ret_opt, ret_value) or operand (ret_value). Returns one of the above, or -EINVAL
 * with a sentence. Values are borrowed from argv.
 */
int opt_next(struct opt_parser *p, const struct opt **ret_opt, const char **ret_value,
	     struct err *err);

/*
 * Parse everything: each option's setter is called with target, in order; operands are moved to a
 * new array (NULL-terminated, freed with free(); the words are borrowed). Whatever errno a setter
 * returns, a mistake on a command line is -EINVAL.
 */
int opt_parse(const struct opt_table *const *tables, int argc, char *const *argv, void *target,
	      const char ***ret_operands, size_t *ret_count, struct err *err);

/* The row of a long name or alias, exactly; NULL for none. */
const struct opt *opt_find(const struct opt_table *const *tables, const char *name);

/* The lines of --help. */
void opt_help(const struct opt_table *const *tables, struct buf *out);

#endif
