/*
 * The command line of a command that describes a job: its own options take effect at once, those of
 * the job (spec_options) are kept until weaker sources have had their say, and the first word that
 * is no option begins what is to be run.
 */
#ifndef CMD_GIVEN_H
#define CMD_GIVEN_H

#include "client/options.h"
#include "client/spec.h"

struct given {
	const struct opt *o;
	const char *value;
	char shown[64]; /* as written, for messages */
};

struct given_line {
	struct given *list;
	size_t count;
	const char *const *operands; /* words of argv */
	size_t operand_count;
	bool after_dashes; /* the operands follow "--" */
};

/* target is for the setters of the command's own options. Errors name the option. */
int given_read(struct given_line *l, const struct opt_table *const *tables, int argc, char **argv,
	       void *target, struct err *err);
void given_done(struct given_line *l);
/* Set what was given, in order. */
int given_apply(const struct given_line *l, struct spec *s, struct err *err);
/* The option as written, if it was given; else NULL. */
const char *given_shown(const struct given_line *l, const char *name);

#endif
