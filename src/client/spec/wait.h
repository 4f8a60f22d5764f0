/*
 * Options of a job for what it waits for.
 *
 * The target of each function is a struct spec. It takes the whole value or refuses it with a
 * sentence that says what would be accepted, and then has changed nothing. A value of NULL comes
 * with options that take none, or that were given none.
 */
#pragma once

#include "util/err.h"

int spec_set_dependency(void *target, const char *value, struct err *err);

/* The field is an int64_t, in microseconds of the wall clock. */
int spec_read_begin(void *field, const void *unused, const char *value, struct err *err);
