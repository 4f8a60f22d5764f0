/*
 * Options for the size of a job.
 *
 * The target of each function is a struct spec. A function accepts the whole value, or refuses it
 * with a message that gives the accepted values; then nothing has changed. The value is NULL if the
 * option takes no value, or if an optional value is missing.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>

int spec_set_array(void *target, const char *value, struct err *err);

/*
 * An amount with two options, such as --memory and --mem-per-cpu: the offsets in struct spec of
 * both amounts, and of the source that set one of them last.
 */
struct spec_exclusive {
	size_t amount, other, from;
	const char *other_name; /* the other option */
	bool in_bytes;          /* memory; else a count */
};

extern const struct spec_exclusive spec_memory, spec_memory_per_cpu, spec_gpus, spec_gpus_per_task;

/* either: one of the constants above. */
int spec_set_either(void *target, const void *either, const char *value, struct err *err);
