/*
 * Options of a job for how large it is.
 *
 * The target of each function is a struct spec. It takes the whole value or refuses it with a
 * sentence that says what would be accepted, and then has changed nothing. A value of NULL comes
 * with options that take none, or that were given none.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>

int spec_set_array(void *target, const char *value, struct err *err);

/* An amount that can be said in two ways: where both are kept in a struct spec, and who said it last. */
struct spec_either {
	size_t amount, other, from;
	const char *other_name; /* the option for the other way */
	bool in_bytes;          /* memory; else a count */
};

extern const struct spec_either spec_memory, spec_memory_per_cpu, spec_gpus, spec_gpus_per_task;

/* either: one of those above. */
int spec_set_either(void *target, const void *either, const char *value, struct err *err);
