/*
 * The frame of every command: --help and --version from its tables of options, messages on stderr
 * such as "asubmit: error: ...", and exit codes.
 */
#pragma once

#include "client/connection.h"
#include "util/options.h"

#include <stdio.h>

/* The description of a command; its `main` passes it to command_main(). */
struct command {
	const char *name;
	const char *summary;                   /* one line for --help */
	const char *const *usages;             /* the arguments after the name, NULL-terminated */
	const struct opt_table *const *tables; /* NULL-terminated */
	void (*more_help)(struct buf *out);    /* after the options; or NULL */
	const char *notes;                     /* at the end of --help, or NULL */
	/*
	 * Parses the command line and runs the command; a negative errno with err, or an exit code.
	 */
	int (*run)(int argc, char **argv, struct err *err);
};

/* The options --help and --version; the last table of every command. */
extern const struct opt_table command_options;

int command_main(const struct command *cmd, int argc, char **argv);

/* Prints "asubmit: warning: ..." on stderr. */
void command_warn(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
