/*
 * What every command has in common: --help and --version from its tables, messages on stderr as
 * "asubmit: error: ...", exit codes, a connection when it needs one.
 */
#pragma once

#include "client/connection.h"
#include "util/options.h"

#include <stdio.h>

/* For `main` to fill and hand to command_main. */
struct command {
	const char *name;
	const char *summary;                   /* one line for --help */
	const char *const *usages;             /* what may follow the name, NULL-terminated */
	const struct opt_table *const *tables; /* NULL-terminated */
	void (*more_help)(struct buf *out);    /* after the options; or NULL */
	const char *notes;                     /* at the end of --help, or NULL */
	/* Parses and does it all; negative errno with err, or an exit code. */
	int (*run)(int argc, char **argv, struct err *err);
};

/* The rows --help and --version: every command ends its tables with this one. */
extern const struct opt_table command_options;

int command_main(const struct command *cmd, int argc, char **argv);

/* "asubmit: warning: ..." on stderr. */
void command_warn(const struct command *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "s" unless count is 1. */
const char *command_plural(uint64_t count);
