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
 * An amount that several options can give, such as --memory, --mem and --mem-per-cpu. Options with
 * the same `from`, the source that set one of them last, replace each other.
 */
struct spec_amount {
	size_t amount, from; /* offsets in struct spec */
	const char *name;    /* the option */
	bool in_bytes;       /* memory; else a count */
};

enum {
	SPEC_MEMORY,
	SPEC_MEM,
	SPEC_MEM_PER_CPU,
	SPEC_MEM_PER_GPU,
	SPEC_GPUS,
	SPEC_GPUS_PER_TASK,
	SPEC_GPUS_PER_NODE,
	SPEC_AMOUNTS,
};
extern const struct spec_amount spec_amounts[SPEC_AMOUNTS];

/* amount: a row of spec_amounts. */
int spec_set_amount(void *target, const void *amount, const char *value, struct err *err);
int spec_set_mem(void *target, const char *value, struct err *err);
/* N or MIN-MAX. */
int spec_set_nodes(void *target, const char *value, struct err *err);
int spec_set_tasks_per_gpu(void *target, const char *value, struct err *err);
int spec_set_exclusive(void *target, const char *value, struct err *err);
