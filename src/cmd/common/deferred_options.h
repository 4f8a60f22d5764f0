/*
 * The command line of a command that describes a job: its own options take effect at once, those of
 * the job (spec_options) are kept until weaker sources have had their say, and the first word that
 * is no option begins what is to be run.
 */
#pragma once

#include "client/spec/spec.h"
#include "client/spec/table.h"

struct deferred_option {
	const struct opt *o;
	const char *value;
	char shown[64]; /* as written, for messages */
};

struct deferred_options {
	struct deferred_option *list;
	size_t count;
	const char *const *operands; /* words of argv */
	size_t operand_count;
	bool after_dashes; /* the operands follow "--" */
};

/* target is for the setters of the command's own options. Errors name the option. */
int deferred_options_read(struct deferred_options *l, const struct opt_table *const *tables,
			  int argc, char **argv, void *target, struct err *err);
void deferred_options_done(struct deferred_options *l);
/* Set what was given, in order. */
int deferred_options_apply(const struct deferred_options *l, struct spec *s, struct err *err);
