/*
 * Options of a command as members of a JSON object.
 *
 * A name has - or _. A value is what the option takes: a text, a number, true or false; a list is joined by
 * commas, as on the command line. A size or a time is a text with its unit.
 */
#pragma once

#include "util/arena.h"
#include "util/options.h"

#include <jansson.h>

struct option_body {
	const struct opt_table *const *tables; /* ended by NULL */
	const char *const *others;             /* members that are no options, for suggestions */
	size_t other_count;
	const char *command; /* whose options these are, for messages */
};

/* Sets an option in its target. The texts that the target borrows are in root or in the arena. */
int option_body_set(const struct option_body *b, const char *name, const json_t *value,
		    void *target, struct arena *arena, struct err *err);
