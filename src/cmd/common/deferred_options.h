/*
 * The command line of a command that describes a job (asubmit, arun).
 *
 * The options of the command itself are set at once. The options of the job (spec_options) are only
 * stored: weaker sources, such as #ARMADA lines and the environment, must be applied before them.
 * The program to run begins at the first word that is not an option.
 */
#pragma once

#include "client/spec/spec.h"
#include "client/spec/table.h"

struct deferred_option {
	const struct opt *o;
	const char *value;
	char shown[64]; /* as the user wrote it, for messages */
};

struct deferred_options {
	struct deferred_option *list;
	size_t count;
	const char *const *operands; /* words of argv */
	size_t operand_count;
	bool after_dashes; /* the operands follow "--" */
};

/* Parses argv. target receives the values of the command's own options. Errors name the option. */
int deferred_options_read(struct deferred_options *l, const struct opt_table *const *tables,
			  int argc, char **argv, void *target, struct err *err);
void deferred_options_done(struct deferred_options *l);
/* Sets the stored options in s, in the order of the command line. */
int deferred_options_apply(const struct deferred_options *l, struct spec *s, struct err *err);
