/*
 * Options for the start of a job: dependencies and begin time.
 *
 * The target of each function is a struct spec. A function accepts the whole value, or refuses it
 * with a message that gives the accepted values; then nothing has changed. The value is NULL if the
 * option takes no value, or if an optional value is missing.
 */
#pragma once

#include "util/err.h"

int spec_set_dependency(void *target, const char *value, struct err *err);

/* The field is an int64_t, in microseconds of the wall clock. */
int spec_read_begin(void *field, const void *unused, const char *value, struct err *err);
